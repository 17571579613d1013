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
    ["generationChanged: a new generation", generationChanged(), updated({ generation: 1 }, { generation: 2 }), true],
    [
      "generationChanged: the same generation",
      generationChanged(),
      updated({ generation: 1, labels: { a: "b" } }, { generation: 1 }),
      false,
    ],
    [
      "generationChanged: no generation",
      generationChanged(),
      updated({ resourceVersion: "1" }, { resourceVersion: "2" }),
      false,
    ],
    ["generationChanged: an added object", generationChanged(), added({ generation: 1 }), true],
    ["generationChanged: a deleted object", generationChanged(), deleted({ generation: 1 }), true],
    ["labelChanged: a changed label", labelChanged(), updated({ labels: { a: "1" } }, { labels: { a: "2" } }), true],
    ["labelChanged: a removed label", labelChanged(), updated({ labels: { a: "1" } }, {}), true],
    [
      "labelChanged: the same labels in another order",
      labelChanged(),
      updated({ labels: { a: "1", b: "2" } }, { labels: { b: "2", a: "1" } }),
      false,
    ],
    ["labelChanged: empty and absent labels", labelChanged(), updated({ labels: {} }, {}), false],
    [
      "annotationChanged: a changed annotation",
      annotationChanged(),
      updated({ annotations: { a: "1" } }, { annotations: { a: "2" } }),
      true,
    ],
    [
      "annotationChanged: the same annotations",
      annotationChanged(),
      updated({ annotations: { a: "1" }, generation: 1 }, { annotations: { a: "1" }, generation: 2 }),
      false,
    ],
    [
      "resourceVersionChanged: a new version",
      resourceVersionChanged(),
      updated({ resourceVersion: "1" }, { resourceVersion: "2" }),
      true,
    ],
    [
      "resourceVersionChanged: a resync",
      resourceVersionChanged(),
      updated({ resourceVersion: "1" }, { resourceVersion: "1" }),
      false,
    ],
    ["labelsMatch: matching labels", labelsMatch("app in (web, db)"), added({ labels: { app: "db" } }), true],
    ["labelsMatch: other labels", labelsMatch("app=web"), added({ labels: { app: "db" } }), false],
    ["labelsMatch: labels that matched before", labelsMatch("app=web"), updated({ labels: { app: "web" } }, {}), true],
    ["labelsMatch: labels that never matched", labelsMatch("app=web"), updated({ labels: { app: "x" } }, {}), false],
    [
      "allOf: both pass",
      allOf(generationChanged(), labelChanged()),
      updated({ generation: 1 }, { generation: 2, labels: { a: "1" } }),
      true,
    ],
    [
      "allOf: one of two passes",
      allOf(generationChanged(), labelChanged()),
      updated({ generation: 1 }, { generation: 2 }),
      false,
    ],
    [
      "anyOf: one of two passes",
      anyOf(generationChanged(), labelChanged()),
      updated({ generation: 1 }, { generation: 2 }),
      true,
    ],
    ["anyOf: neither passes", anyOf(generationChanged(), labelChanged()), updated({}, {}), false],
    ["anyOf without predicates", anyOf(), added({}), false],
    ["allOf without predicates", allOf(), added({}), true],
    ["not inverts a predicate", not(generationChanged()), updated({ generation: 1 }, { generation: 2 }), false],
  ])("%s", (_name, predicate, change, expected) => {
    expect(predicate(change)).toBe(expected);
  });

  it("labelsMatch rejects an invalid selector", () => {
    expect(() => labelsMatch("app==")).not.toThrow();
    expect(() => labelsMatch("app in (")).toThrow(TypeError);
  });
});

describe("event handlers", () => {
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
    ["enqueueForObject enqueues the object itself", enqueueForObject()(added({})), ["ns/a"]],
    [
      "enqueueForOwner enqueues the controller",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r"), owner("other", { controller: false })] })),
      ["ns/r"],
    ],
    [
      "enqueueForOwner accepts another version of the owner's kind",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { apiVersion: "apps/v9" })] })),
      ["ns/r"],
    ],
    [
      "enqueueForOwner ignores owners of another group",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { apiVersion: "other/v1" })] })),
      [],
    ],
    [
      "enqueueForOwner ignores owners of the core group",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { apiVersion: "v1" })] })),
      [],
    ],
    [
      "enqueueForOwner ignores owners of another kind",
      enqueueForOwner(sets)(added({ ownerReferences: [owner("r", { kind: "Job" })] })),
      [],
    ],
    [
      "enqueueForOwner with match every enqueues every owner",
      enqueueForOwner(sets, { match: "every" })(
        added({ ownerReferences: [owner("r"), owner("s", { controller: false })] }),
      ),
      ["ns/r", "ns/s"],
    ],
    [
      "enqueueForOwner enqueues a cluster-scoped owner",
      enqueueForOwner({ ...sets, scope: "Cluster" })(added({ ownerReferences: [owner("r")] })),
      ["r"],
    ],
    [
      "enqueueForOwner enqueues the old and the new owner",
      enqueueForOwner(sets)(updated({ ownerReferences: [owner("r")] }, { ownerReferences: [owner("s")] })),
      ["ns/r", "ns/s"],
    ],
    [
      "enqueueForOwner enqueues the owner of a deleted object",
      enqueueForOwner(sets)(deleted({ ownerReferences: [owner("r")] })),
      ["ns/r"],
    ],
    [
      "enqueueForOwner enqueues an unchanged owner once",
      enqueueForOwner(sets)(updated({ ownerReferences: [owner("r")] }, { ownerReferences: [owner("r")] })),
      ["ns/r"],
    ],
    ["enqueueForOwner ignores objects without owners", enqueueForOwner(sets)(added({})), []],
    [
      "enqueueMapped enqueues the results of a function without duplicates",
      enqueueMapped<KubernetesObject>(({ metadata }) =>
        Object.values(metadata?.labels ?? {}).map((name) => ({ name })),
      )(updated({ labels: { a: "x" } }, { labels: { a: "y", b: "x" } })),
      ["x", "y"],
    ],
  ])("%s", (_name, requests, expected) => {
    expect(keys(requests)).toEqual(expected);
  });
});
