// New objects with the same fields share the comparison of the first one.
import { expect, it } from "vitest";
import { trackUpdate } from "../../../../src/apiserver/managedfields/field-manager.js";
import type { FieldScope } from "../../../../src/apiserver/managedfields/field-scope.js";
import { knownCreation } from "../../../../src/apiserver/managedfields/known-creations.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { recordGivenEmpty } from "../../../../src/apiserver/objects/given-empty.js";
import type { ManagedFieldsEntry } from "../../../../src/meta/object.js";
import { builtinFieldScope } from "../../../support/builtin-field-scope.js";

const newScope = (): FieldScope => builtinFieldScope("v1", "Pod");

function pod(change: { spec?: object; container?: object; metadata?: object } = {}): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "web-", labels: { app: "web" }, ...change.metadata },
    spec: { containers: [{ name: "c", image: "i", ...change.container }], ...change.spec },
  };
}

/** A pod whose request had an empty list, which the printed object doesn't show. */
function podWithEmptyList(): ApiObject {
  const object = pod();
  recordGivenEmpty(object["spec"] as object, ["tolerations"]);
  return object;
}

function ownersOf(scope: FieldScope, object: ApiObject, manager = "m"): readonly ManagedFieldsEntry[] | undefined {
  return trackUpdate({ scope, live: undefined, updated: object, manager, nowMs: 0 }).metadata?.managedFields;
}

it.each<[what: string, second: () => ApiObject]>([
  ["an equal object", pod],
  ["another value", () => pod({ container: { image: "j" } })],
  ["a value that isn't empty", () => pod({ metadata: { labels: { app: "" } } })],
  ["another field", () => pod({ spec: { hostname: "h" } })],
  ["a field less", () => pod({ metadata: { labels: undefined } })],
  ["another list element", () => pod({ spec: { containers: [{ name: "d", image: "i" }] } })],
  ["an empty list in the request", podWithEmptyList],
  ["an empty map", () => pod({ spec: { securityContext: {} } })],
  ["another generated name", () => pod({ metadata: { generateName: "api-" } })],
  ["a field that doesn't fit the type", () => pod({ spec: { containers: "none" } })],
])("owners of %s after another creation are those of a first creation", (_what, second) => {
  const used = newScope();
  const first = pod();
  ownersOf(used, first);
  // The write goes on to change the object.
  (first["spec"] as { hostname?: string }).hostname = "later";
  expect(ownersOf(used, second())).toEqual(ownersOf(newScope(), second()));
  expect(ownersOf(used, pod(), "n")).toEqual(ownersOf(newScope(), pod(), "n"));
});

/** Scope of a kind whose objects always have a hostname. */
function hostScope(): FieldScope {
  const scope = newScope();
  return { ...scope, empty: () => ({ ...scope.empty(), spec: { hostname: "none" } }) };
}

it.each([
  ["none", "h"],
  ["h", "none"],
  ["h", "i"],
])("owners of the hostname %s, then %s, depend on the one of an empty object", (first, second) => {
  const used = hostScope();
  ownersOf(used, pod({ spec: { hostname: first } }));
  const next = pod({ spec: { hostname: second } });
  expect(ownersOf(used, next)).toEqual(ownersOf(hostScope(), next));
});

it("new objects that differ in names and other values share a comparison", () => {
  const scope = newScope();
  const onNode = (name: string, nodeName: string): ApiObject => ({
    ...pod({ spec: { nodeName } }),
    metadata: { name },
  });
  ownersOf(scope, onNode("a", "node-1"));
  expect(knownCreation(onNode("b", "node-2"), scope)).toBeDefined();
  expect(knownCreation(onNode("b", "node-2"), newScope())).toBeUndefined();
});

it("an unchanged manager keeps its entry in the next write", () => {
  const scope = newScope();
  const created = trackUpdate({ scope, live: undefined, updated: pod(), manager: "m", nowMs: 0 });
  const updated = { ...created, spec: { containers: [{ name: "c", image: "i" }], hostname: "h" } };
  const written = trackUpdate({ scope, live: created, updated, manager: "n", nowMs: 1000 });
  expect(written.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(["m", "n"]);
  expect(written.metadata?.managedFields?.[0]).toBe(created.metadata?.managedFields?.[0]);
});

it("managers of different objects share an entry if nothing in it differs", () => {
  const scope = newScope();
  const entry = (manager: string, nowMs: number, change: object = {}): ManagedFieldsEntry | undefined =>
    trackUpdate({ scope, live: undefined, updated: pod({ spec: change }), manager, nowMs }).metadata
      ?.managedFields?.[0];
  const first = entry("m", 0);
  expect(entry("m", 0, { containers: [{ name: "c", image: "j" }] })).toBe(first);
  expect(entry("m", 1000)).toEqual({ ...first, time: "1970-01-01T00:00:01Z" });
  expect(entry("n", 0)).toEqual({ ...first, manager: "n" });
  expect(entry("m", 0, { hostname: "h" })?.fieldsV1).not.toEqual(first?.fieldsV1);
  expect(entry("m", 0)).toEqual(first);
});
