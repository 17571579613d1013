import { describe, expect, it } from "vitest";
import type { Change } from "../../../../src/cache/store/change.js";
import { enqueueForObject, enqueueForOwner, enqueueMapped } from "../../../../src/controller/reconcile/enqueue.js";
import {
  allOf,
  annotationChanged,
  anyOf,
  generationChanged,
  labelChanged,
  labelsMatch,
  not,
  type Predicate,
  resourceVersionChanged,
} from "../../../../src/controller/reconcile/predicates.js";
import { requestKey } from "../../../../src/controller/reconcile/reconcile-request.js";
import type { KubernetesObject, ObjectMeta } from "../../../../src/meta/object.js";

const of = (metadata: ObjectMeta): KubernetesObject => ({ metadata: { namespace: "ns", name: "a", ...metadata } });
const updated = (before: ObjectMeta, after: ObjectMeta): Change<KubernetesObject> => ({
  type: "updated",
  key: "ns/a",
  old: of(before),
  object: of(after),
  cause: "live",
  initial: false,
});
const added = (metadata: ObjectMeta): Change<KubernetesObject> => ({
  type: "added",
  key: "ns/a",
  object: of(metadata),
  cause: "live",
  initial: false,
});
const deleted = (metadata: ObjectMeta): Change<KubernetesObject> => ({
  type: "deleted",
  key: "ns/a",
  object: of(metadata),
  finalStateUnknown: false,
  cause: "live",
  initial: false,
});

describe("predicates", () => {
  it.each<[string, Predicate, Change<KubernetesObject>, boolean]>([
    ["another generation", generationChanged(), updated({ generation: 1 }, { generation: 2 }), true],
    [
      "the same generation",
      generationChanged(),
      updated({ generation: 1, labels: { a: "b" } }, { generation: 1 }),
      false,
    ],
    ["no generation at all", generationChanged(), updated({ resourceVersion: "1" }, { resourceVersion: "2" }), false],
    ["a new object, whatever its generation", generationChanged(), added({ generation: 1 }), true],
    ["an end, whatever its generation", generationChanged(), deleted({ generation: 1 }), true],
    ["another label", labelChanged(), updated({ labels: { a: "1" } }, { labels: { a: "2" } }), true],
    ["one label less", labelChanged(), updated({ labels: { a: "1" } }, {}), true],
    [
      "labels in another order",
      labelChanged(),
      updated({ labels: { a: "1", b: "2" } }, { labels: { b: "2", a: "1" } }),
      false,
    ],
    ["no labels in two ways", labelChanged(), updated({ labels: {} }, {}), false],
    [
      "another annotation",
      annotationChanged(),
      updated({ annotations: { a: "1" } }, { annotations: { a: "2" } }),
      true,
    ],
    [
      "the same annotations",
      annotationChanged(),
      updated({ annotations: { a: "1" }, generation: 1 }, { annotations: { a: "1" }, generation: 2 }),
      false,
    ],
    ["another version", resourceVersionChanged(), updated({ resourceVersion: "1" }, { resourceVersion: "2" }), true],
    ["a resync", resourceVersionChanged(), updated({ resourceVersion: "1" }, { resourceVersion: "1" }), false],
    ["labels that match", labelsMatch("app in (web, db)"), added({ labels: { app: "db" } }), true],
    ["labels that do not", labelsMatch("app=web"), added({ labels: { app: "db" } }), false],
    ["labels that matched before", labelsMatch("app=web"), updated({ labels: { app: "web" } }, {}), true],
    ["labels that never matched", labelsMatch("app=web"), updated({ labels: { app: "x" } }, {}), false],
    [
      "both of two",
      allOf(generationChanged(), labelChanged()),
      updated({ generation: 1 }, { generation: 2, labels: { a: "1" } }),
      true,
    ],
    ["one of both", allOf(generationChanged(), labelChanged()), updated({ generation: 1 }, { generation: 2 }), false],
    ["one of any", anyOf(generationChanged(), labelChanged()), updated({ generation: 1 }, { generation: 2 }), true],
    ["none of any", anyOf(generationChanged(), labelChanged()), updated({}, {}), false],
    ["none at all", anyOf(), added({}), false],
    ["all of none", allOf(), added({}), true],
    ["the opposite", not(generationChanged()), updated({ generation: 1 }, { generation: 2 }), false],
  ])("let through, or not: %s", (_name, predicate, change, expected) => {
    expect(predicate(change)).toBe(expected);
  });

  it("refuse a selector that is none", () => {
    expect(() => labelsMatch("app==")).not.toThrow();
    expect(() => labelsMatch("app in (")).toThrow(TypeError);
  });
});

describe("whom a change concerns", () => {
  const owner = (name: string, more: object = {}) => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name,
    uid: name,
    controller: true,
    ...more,
  });
  const sets = { group: "apps", kind: "ReplicaSet", scope: "Namespaced" as const };
  const keys = (requests: Iterable<Parameters<typeof requestKey>[0]>): string[] => Array.from(requests, requestKey);

  it.each<[string, Iterable<Parameters<typeof requestKey>[0]>, string[]]>([
    ["the object itself", enqueueForObject()(added({})), ["ns/a"]],
    [
      "its controller",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r"), owner("other", { controller: false })] })),
      ["ns/r"],
    ],
    [
      "a controller by another version of its kind",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { apiVersion: "apps/v9" })] })),
      ["ns/r"],
    ],
    [
      "nobody of another group",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { apiVersion: "other/v1" })] })),
      [],
    ],
    [
      "nobody of the core group",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { apiVersion: "v1" })] })),
      [],
    ],
    ["nobody of another kind", enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { kind: "Job" })] })), []],
    [
      "every owner",
      enqueueForOwner(sets, { match: "every" })(
        added({ ownerReferences: [owner("r"), owner("s", { controller: false })] }),
      ),
      ["ns/r", "ns/s"],
    ],
    [
      "an owner without namespace",
      enqueueForOwner({ ...sets, scope: "Cluster" })(added({ ownerReferences: [owner("r")] })),
      ["r"],
    ],
    [
      "the old and the new owner",
      enqueueForOwner(sets)(updated({ ownerReferences: [owner("r")] }, { ownerReferences: [owner("s")] })),
      ["ns/r", "ns/s"],
    ],
    ["the owner of what went", enqueueForOwner(sets)(deleted({ ownerReferences: [owner("r")] })), ["ns/r"]],
    [
      "an owner that stays, once",
      enqueueForOwner(sets)(updated({ ownerReferences: [owner("r")] }, { ownerReferences: [owner("r")] })),
      ["ns/r"],
    ],
    ["nobody without owners", enqueueForOwner(sets)(added({})), []],
    [
      "what a function says",
      enqueueMapped<KubernetesObject>(({ metadata }) =>
        Object.values(metadata?.labels ?? {}).map((name) => ({ name })),
      )(updated({ labels: { a: "x" } }, { labels: { a: "y", b: "x" } })),
      ["x", "y"],
    ],
  ])("%s", (_name, requests, expected) => {
    expect(keys(requests)).toEqual(expected);
  });
});
