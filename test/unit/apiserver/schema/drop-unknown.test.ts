import { expect, it } from "vitest";
import { dropUnknownFields } from "../../../../src/apiserver/schema/drop-unknown.js";

const pod = "io.k8s.api.core.v1.Pod";
const unknown = (count: number, value: unknown = 1): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${String(at)}`, value]));

it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["few unknown fields", unknown(50), unknown(50)],
  ["many unknown fields", { ...unknown(300), spec: { a: 1 } }, { ...unknown(100), spec: { a: 1 } }],
  [
    "many unknown fields of a nested struct",
    { spec: { ...unknown(300), nodeName: "n" } },
    { spec: { ...unknown(100), nodeName: "n" } },
  ],
  ["directives", { ...unknown(300), $patch: "replace" }, { ...unknown(100), $patch: "replace" }],
  ["members to retain", { ...unknown(300), $retainKeys: [] }, { ...unknown(300), $retainKeys: [] }],
  ["nulls, which aren't reported", { ...unknown(300, null), x: 1 }, { ...unknown(300, null), x: 1 }],
  ["a map", { metadata: { labels: unknown(300) } }, { metadata: { labels: unknown(300) } }],
])("dropUnknownFields of a patch with %s keeps what can have an effect", (_what, patch, kept) => {
  expect(dropUnknownFields(pod, patch)).toEqual(kept);
});
