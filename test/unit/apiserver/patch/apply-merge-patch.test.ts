import { describe, expect, it } from "vitest";
import { applyMergePatch } from "../../../../src/apiserver/patch/apply-merge-patch.js";

describe("merge patch", () => {
  it.each<[string, string, string, string]>([
    ["sets, adds and removes members", `{"a":1,"b":2}`, `{"a":3,"b":null,"c":4}`, `{"a":3,"c":4}`],
    ["merges nested objects", `{"a":{"x":1,"y":2}}`, `{"a":{"x":null,"z":3}}`, `{"a":{"y":2,"z":3}}`],
    ["replaces lists", `{"l":[1,2]}`, `{"l":[3]}`, `{"l":[3]}`],
    ["drops nulls of new objects", `{}`, `{"a":{"x":null,"y":1}}`, `{"a":{"y":1}}`],
    ["drops nulls of objects that replace null", `{"a":null}`, `{"a":{"x":null}}`, `{"a":{}}`],
    [
      "drops nulls inside lists that replace lists",
      `{"l":[1]}`,
      `{"l":[{"x":null,"y":1},null]}`,
      `{"l":[{"y":1},null]}`,
    ],
    ["keeps nulls inside lists that replace objects", `{"l":{}}`, `{"l":[{"x":null}]}`, `{"l":[{"x":null}]}`],
    ["replaces scalars by objects", `{"a":1}`, `{"a":{"b":{"c":null}}}`, `{"a":{"b":{}}}`],
    ["keeps stored nulls", `{"a":null,"b":1}`, `{"b":2}`, `{"a":null,"b":2}`],
    ["keeps __proto__ as a key", `{"__proto__":{"x":1}}`, `{"__proto__":{"y":2}}`, `{"__proto__":{"x":1,"y":2}}`],
    ["replaces the document with a list", `{"a":1}`, `[{"x":null}]`, `[{}]`],
  ])("%s", (_name, document, patch, expected) => {
    expect(JSON.stringify(applyMergePatch(JSON.parse(document), JSON.parse(patch)))).toBe(expected);
  });

  it.each([null, 1, "x", true])("%j is rejected", (patch) => {
    expect(() => applyMergePatch({}, patch)).toThrow("Invalid JSON Patch");
  });

  it("leaves its inputs unchanged", () => {
    const document = { a: { x: 1 } };
    const result = applyMergePatch(document, { a: { y: [1] } }) as { a: { y: number[]; x: number } };
    result.a.x = 2;
    expect(document).toEqual({ a: { x: 1 } });
  });
});
