import { describe, expect, it } from "vitest";
import { applyStrategicMergePatch } from "../../../../src/apiserver/patch/apply-strategic-merge-patch.js";
import { PatchError } from "../../../../src/apiserver/patch/patch-error.js";
import { definition } from "../../../../src/gen/openapi/definitions.js";

const resolve = (name: string): object => definition(name) ?? {};
const pod = { $ref: "io.k8s.api.core.v1.Pod" };
const deployment = { $ref: "io.k8s.api.apps.v1.Deployment" };

function apply(schema: object, document: object, patch: object): unknown {
  try {
    return applyStrategicMergePatch(
      document as Record<string, unknown>,
      patch as Record<string, unknown>,
      schema,
      resolve,
    );
  } catch (error) {
    if (error instanceof PatchError) return error.code;
    throw error;
  }
}

const containers = (...names: string[]): object => ({
  spec: { containers: names.map((name) => ({ name, image: name })) },
});

describe("strategic merge patch", () => {
  it.each<[string, object, object, object, unknown]>([
    [
      "merges containers by name and keeps their order",
      pod,
      containers("a", "b"),
      { spec: { containers: [{ name: "b", image: "x" }] } },
      {
        spec: {
          containers: [
            { name: "a", image: "a" },
            { name: "b", image: "x" },
          ],
        },
      },
    ],
    ["puts new elements in front", pod, containers("a"), containers("n"), containers("n", "a")],
    [
      "interleaves old and new elements by the old order",
      pod,
      containers("a", "b", "c"),
      { spec: { containers: [{ name: "n" }, { name: "b" }] } },
      {
        spec: {
          containers: [{ name: "n" }, { name: "a", image: "a" }, { name: "b", image: "b" }, { name: "c", image: "c" }],
        },
      },
    ],
    [
      "applies the order of the patch",
      pod,
      containers("a", "b"),
      { spec: { containers: [{ name: "b" }, { name: "a" }] } },
      containers("b", "a"),
    ],
    [
      "deletes an element",
      pod,
      containers("a", "b"),
      { spec: { containers: [{ name: "a", $patch: "delete" }] } },
      containers("b"),
    ],
    [
      "replaces a list",
      pod,
      containers("a", "b"),
      { spec: { containers: [{ $patch: "replace" }, { name: "n" }] } },
      { spec: { containers: [{ name: "n" }] } },
    ],
    [
      "empties a list",
      pod,
      containers("a"),
      { spec: { containers: [{ $patch: "replace" }] } },
      { spec: { containers: [] } },
    ],
    [
      "replaces atomic lists",
      pod,
      { spec: { tolerations: [{ key: "a" }] } },
      { spec: { tolerations: [{ key: "b" }] } },
      { spec: { tolerations: [{ key: "b" }] } },
    ],
    [
      "merges ports by number",
      pod,
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1 }] }] } },
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, name: "x" }] }] } },
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, name: "x" }] }] } },
    ],
    [
      "merges maps and deletes by null",
      pod,
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { a: null, c: "3" } } },
      { metadata: { labels: { b: "2", c: "3" } } },
    ],
    [
      "drops nulls and directives in new elements",
      pod,
      {},
      { metadata: { labels: { a: null, b: "1" }, annotations: { $patch: "delete" } } },
      { metadata: { labels: { b: "1" } } },
    ],
    [
      "unites sets of scalars",
      pod,
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { finalizers: ["c", "b"] } },
      { metadata: { finalizers: ["c", "a", "b"] } },
    ],
    [
      "removes scalars from sets",
      pod,
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["a", "z"] } },
      { metadata: { finalizers: ["b"] } },
    ],
    [
      "orders sets",
      pod,
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { "$setElementOrder/finalizers": ["b", "a"] } },
      { metadata: { finalizers: ["b", "a"] } },
    ],
    [
      "orders lists of maps with new elements",
      pod,
      containers("a", "b"),
      {
        spec: {
          "$setElementOrder/containers": [{ name: "n" }, { name: "b" }, { name: "a" }],
          containers: [{ name: "n" }],
        },
      },
      { spec: { containers: [{ name: "n" }, { name: "b", image: "b" }, { name: "a", image: "a" }] } },
    ],
    [
      "rejects an order with strings for a list of maps",
      pod,
      containers("a"),
      { spec: { "$setElementOrder/containers": ["a"] } },
      500,
    ],
    [
      "rejects an order that the patch contradicts",
      pod,
      containers("a"),
      { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "n" }] } },
      500,
    ],
    [
      "retains keys",
      deployment,
      { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      { spec: { strategy: { type: "Recreate" } } },
    ],
    [
      "rejects keys that are not retained",
      deployment,
      { spec: { strategy: { type: "RollingUpdate" } } },
      { spec: { strategy: { $retainKeys: ["rollingUpdate"], type: "Recreate" } } },
      400,
    ],
    [
      "replaces a map",
      pod,
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "replace", b: "2" } } },
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "rejects an order with maps that lack the merge key",
      pod,
      { spec: { tolerations: [{ key: "a" }] } },
      { spec: { tolerations: [], "$setElementOrder/tolerations": [] } },
      500,
    ],
    [
      "rejects an order for a missing list",
      pod,
      { metadata: { finalizers: [] } },
      { metadata: { "$setElementOrder/finalizers": [] } },
      500,
    ],
    [
      "empties a map",
      pod,
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "delete" } } },
      { metadata: { labels: {} } },
    ],
    [
      "rejects an unknown directive",
      pod,
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "frob" } } },
      500,
    ],
    ["rejects an element without its merge key", pod, containers("a"), { spec: { containers: [{ image: "x" }] } }, 500],
    [
      "rejects a malformed directive",
      pod,
      { metadata: { finalizers: ["a"] } },
      { metadata: { $deleteFromPrimitiveList: ["a"] } },
      400,
    ],
    [
      "keeps __proto__ as a key",
      pod,
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: JSON.parse(`{"__proto__":"x"}`) as object } },
      { metadata: { labels: JSON.parse(`{"a":"1","__proto__":"x"}`) as object } },
    ],
  ])("%s", (_name, schema, document, patch, expected) => {
    const before = JSON.stringify(document);
    expect(JSON.stringify(apply(schema, document, patch))).toBe(JSON.stringify(expected));
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each([
    [
      "the directives of merged maps",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "replace", b: "2" }, $retainKeys: ["labels"] } },
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "lists with an order",
      { spec: { containers: [{ name: "a" }] } },
      {
        spec: {
          "$setElementOrder/containers": [{ name: "a" }],
          containers: [{ name: "a", image: "x" }],
          hostname: "h",
        },
      },
      { spec: { hostname: "h" } },
    ],
    [
      "nothing in replaced lists",
      { spec: { tolerations: [] } },
      { spec: { tolerations: [{ $patch: "replace" }] } },
      { spec: { tolerations: [{ $patch: "replace" }] } },
    ],
  ])("consumes %s", (_what, document, patch, left) => {
    apply(pod, document, patch);
    expect(patch).toEqual(left);
  });
});
