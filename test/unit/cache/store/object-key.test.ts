import { expect, it } from "vitest";
import { objectKey, parseObjectKey } from "../../../../src/cache/store/object-key.js";

it.each<[object, string]>([
  [{ metadata: { namespace: "x", name: "a" } }, "x/a"],
  [{ metadata: { name: "a" } }, "a"],
  [{ metadata: { namespace: "", name: "a" } }, "a"],
  [{ metadata: { namespace: "x" } }, ""],
  [{ metadata: { name: "" } }, ""],
  [{}, ""],
  [{ cells: ["a"], object: { metadata: { namespace: "x", name: "a" } } }, "x/a"],
  [{ cells: ["a"], object: null }, ""],
])("objectKey of %j is %j", (object, key) => expect(objectKey(object)).toBe(key));

it.each([
  ["x/a", { namespace: "x", name: "a" }],
  ["a", { namespace: undefined, name: "a" }],
  ["x/a:b.c", { namespace: "x", name: "a:b.c" }],
])("parseObjectKey of %j is %j", (key, parts) => {
  expect(parseObjectKey(key)).toEqual(parts);
});
