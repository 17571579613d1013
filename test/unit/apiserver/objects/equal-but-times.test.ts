import { describe, expect, it } from "vitest";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { equalButTimes } from "../../../../src/apiserver/objects/equal-but-times.js";

const entry = { manager: "kubectl", operation: "Update", apiVersion: "v1", time: "2026-01-01T00:00:00Z" } as const;
const base: ApiObject = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "web", resourceVersion: "1", labels: { app: "web" }, managedFields: [entry] },
  spec: { containers: [] },
  status: { phase: "Running" },
};
const withMetadata = (changes: object): ApiObject => ({ ...base, metadata: { ...base.metadata, ...changes } });
const { status: _status, ...withoutStatus } = base;

const rows: [string, ApiObject, boolean][] = [
  ["a copy", structuredClone(base), true],
  ["another time of a manager", withMetadata({ managedFields: [{ ...entry, time: "2026-01-02T00:00:00Z" }] }), true],
  ["another resourceVersion", withMetadata({ resourceVersion: "2" }), true],
  ["members that are undefined", { ...withMetadata({ annotations: undefined }), data: undefined }, true],
  ["another manager", withMetadata({ managedFields: [{ ...entry, manager: "helm" }] }), false],
  ["one manager more", withMetadata({ managedFields: [entry, entry] }), false],
  ["no managers", withMetadata({ managedFields: undefined }), false],
  ["another label", withMetadata({ labels: { app: "api" } }), false],
  ["annotations", withMetadata({ annotations: { note: "x" } }), false],
  ["another spec", { ...base, spec: { containers: [{ name: "main" }] } }, false],
  ["another status", { ...base, status: { phase: "Failed" } }, false],
  ["no status", withoutStatus, false],
  ["a member more", { ...base, data: {} }, false],
];

describe("equalButTimes", () => {
  it.each(rows)("compares an object and one with %s", (_, other, expected) => {
    expect(equalButTimes(base, other)).toBe(expected);
    expect(equalButTimes(other, base)).toBe(expected);
  });
});
