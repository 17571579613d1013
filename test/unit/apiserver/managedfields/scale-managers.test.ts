import { expect, it } from "vitest";
import { managersAfterScale, scaleManagers } from "../../../../src/apiserver/managedfields/scale-managers.js";
import type { ManagedFieldsEntry } from "../../../../src/meta/object.js";

const paths = new Map([["apps/v1", ["spec", "replicas"]]]);

const entry = (fieldsV1: Record<string, unknown>, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "web",
  operation: "Update",
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});

it("a write of a Scale moves the replicas from the object's updater to one of the same name, without a time", () => {
  const time = "2026-11-26T12:00:00Z";
  const parent = [entry({ "f:spec": { "f:replicas": {}, "f:serviceName": {} } }, { time })];
  const shown = scaleManagers(parent, paths);
  expect(shown).toEqual([entry({ "f:spec": { "f:replicas": {} } }, { apiVersion: "autoscaling/v1", time })]);
  // A kube-apiserver stores this with every write, even if the number is the same.
  expect(managersAfterScale(parent, shown, "apps/v1", paths)).toEqual([
    entry({ "f:spec": { "f:replicas": {} } }),
    entry({ "f:spec": { "f:serviceName": {} } }, { time }),
  ]);
});

it("a write of a Scale leaves the replicas to the applier that owns them", () => {
  const parent = [entry({ "f:spec": { "f:replicas": {} } }, { operation: "Apply" })];
  expect(managersAfterScale(parent, scaleManagers(parent, paths), "apps/v1", paths)).toEqual(parent);
});
