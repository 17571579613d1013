import { describe, expect, it } from "vitest";
import { applyJsonPatch } from "../../../../src/apiserver/patch/apply-json-patch.js";
import { decodeJsonPatch } from "../../../../src/apiserver/patch/decode-json-patch.js";
import { PatchError, patchErrorStatus } from "../../../../src/apiserver/patch/patch-error.js";

function apply(document: string, patch: string): string | number {
  try {
    return JSON.stringify(applyJsonPatch(JSON.parse(document), decodeJsonPatch(patch, { check: true }).operations));
  } catch (error) {
    if (error instanceof PatchError) return error.code;
    throw error;
  }
}

describe("JSON patch", () => {
  it.each<[string, string, string, string | number]>([
    ["adds a member", `{"a":1}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`],
    ["adds null where there is no value", `{}`, `[{"op":"add","path":"/a"}]`, `{"a":null}`],
    ["does not add a whole document", `{}`, `[{"op":"add","path":"","value":{}}]`, 422],
    ["does not add below what is missing", `{}`, `[{"op":"add","path":"/a/b","value":1}]`, 422],
    ["replaces a missing key", `{}`, `[{"op":"replace","path":"/a","value":1}]`, `{"a":1}`],
    ["replaces the whole document", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}}]`, `{"b":2}`],
    ["does not replace the whole document by a scalar", `{"a":1}`, `[{"op":"replace","path":"","value":3}]`, 422],
    ["removes", `{"a":1}`, `[{"op":"remove","path":"/a"}]`, `{}`],
    ["does not remove what is missing", `{}`, `[{"op":"remove","path":"/a"}]`, 422],
    ["appends", `{"l":[1]}`, `[{"op":"add","path":"/l/-","value":2}]`, `{"l":[1,2]}`],
    ["appends at -1", `{"l":[1]}`, `[{"op":"add","path":"/l/-1","value":2}]`, `{"l":[1,2]}`],
    ["inserts in front at -2", `{"l":[1]}`, `[{"op":"add","path":"/l/-2","value":2}]`, `{"l":[2,1]}`],
    ["rejects -3 of one", `{"l":[1]}`, `[{"op":"add","path":"/l/-3","value":2}]`, 422],
    ["removes the last at -1", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/-1"}]`, `{"l":[1]}`],
    ["replaces the last at -1", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/-1","value":3}]`, `{"l":[1,3]}`],
    ["accepts 01 as an index", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/01","value":3}]`, `{"l":[1,3]}`],
    ["accepts +1 as an index", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/+1"}]`, `{"l":[1]}`],
    ["rejects an index beyond the end", `{"l":[1]}`, `[{"op":"add","path":"/l/2","value":3}]`, 422],
    ["rejects - except to append", `{"l":[1]}`, `[{"op":"remove","path":"/l/-"}]`, 422],
    ["rejects a name as an index", `{"l":[1]}`, `[{"op":"add","path":"/l/x","value":3}]`, 422],
    ["moves", `{"a":1}`, `[{"op":"move","from":"/a","path":"/b"}]`, `{"b":1}`],
    ["does not move what is missing", `{}`, `[{"op":"move","from":"/a","path":"/b"}]`, 422],
    [
      "copies",
      `{"a":{"x":1}}`,
      `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/y","value":2}]`,
      `{"a":{"x":1},"b":{"x":1,"y":2}}`,
    ],
    ["copies what is missing as null", `{}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"b":null}`],
    ["finds a missing key equal to null", `{}`, `[{"op":"test","path":"/a","value":null}]`, `{}`],
    ["finds a missing key equal to a missing value", `{}`, `[{"op":"test","path":"/a"}]`, `{}`],
    ["finds a value unequal to a missing value", `{"a":1}`, `[{"op":"test","path":"/a"}]`, 422],
    ["finds 1 and 1.0 unequal", `{"a":1}`, `[{"op":"test","path":"/a","value":1.0}]`, 422],
    [
      "finds different spellings of a string unequal",
      `{"a":"a"}`,
      `[{"op":"test","path":"/a","value":"\\u0061"}]`,
      422,
    ],
    [
      "compares a spelling with itself",
      `{}`,
      `[{"op":"add","path":"/a","value":"<b>"},{"op":"test","path":"/a","value":"<b>"}]`,
      `{"a":"<b>"}`,
    ],
    ["finds a stored < unequal to a plain one", `{"a":"<"}`, `[{"op":"test","path":"/a","value":"<"}]`, 422],
    ["finds a stored < equal to its escape", `{"a":"<"}`, `[{"op":"test","path":"/a","value":"\\u003c"}]`, `{"a":"<"}`],
    [
      "compares objects in any order",
      `{"a":{"x":1,"y":[2]}}`,
      `[{"op":"test","path":"/a","value":{"y":[2],"x":1}}]`,
      `{"a":{"x":1,"y":[2]}}`,
    ],
    ["tests the whole document", `{"a":1}`, `[{"op":"test","path":"","value":{"a":1}}]`, `{"a":1}`],
    ["decodes ~1 and ~0 once", `{}`, `[{"op":"add","path":"/a~1b~01","value":1}]`, `{"a/b~1":1}`],
    ["ignores text before the first slash", `{}`, `[{"op":"add","path":"x/a","value":1}]`, `{"a":1}`],
    ["rejects a pointer without a slash", `{}`, `[{"op":"add","path":"a","value":1}]`, 422],
    ["accepts the empty key", `{}`, `[{"op":"add","path":"/","value":1}]`, `{"":1}`],
    ["keeps __proto__ as a key", `{}`, `[{"op":"add","path":"/__proto__","value":{"x":1}}]`, `{"__proto__":{"x":1}}`],
    ["does not see inherited properties", `{}`, `[{"op":"remove","path":"/constructor"}]`, 422],
    ["rejects an unknown op", `{}`, `[{"op":"frob","path":"/a"}]`, 422],
    ["rejects a missing op", `{}`, `[{"path":"/a"}]`, 422],
    ["rejects a missing path", `{}`, `[{"op":"add","value":1}]`, 422],
    ["rejects a null operation", `{}`, `[null]`, 422],
    ["accepts null as no operations", `{"a":1}`, `null`, `{"a":1}`],
    [
      "keeps nothing of a failed patch",
      `{"a":1}`,
      `[{"op":"remove","path":"/a"},{"op":"test","path":"/a","value":1}]`,
      422,
    ],
    ["rejects an op that is not a string", `{}`, `[{"op":1,"path":"/a"}]`, 400],
    ["rejects an object", `{}`, `{"op":"add"}`, 400],
    ["rejects malformed text", `{}`, `[{"op":`, 400],
    ["rejects empty text", `{}`, ``, 400],
  ])("%s", (_name, document, patch, expected) => {
    expect(apply(document, patch)).toBe(expected);
  });

  it("leaves document and patch unchanged, so that it can be applied again", () => {
    const document = { l: [1], o: { x: 1 } };
    const { operations } = decodeJsonPatch(
      `[{"op":"add","path":"/v","value":{"n":[1]}},{"op":"add","path":"/v/n/-","value":2},{"op":"remove","path":"/o/x"}]`,
      { check: false },
    );
    const first = applyJsonPatch(document, operations);
    expect(applyJsonPatch(document, operations)).toEqual(first);
    expect(document).toEqual({ l: [1], o: { x: 1 } });
  });

  it("limits operations and copies", () => {
    const many = JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a" })));
    expect(apply("{}", many)).toBe(413);
    const explosive = [
      { op: "add", path: "/a", value: { x: "x".repeat(1000) } },
      ...Array.from({ length: 40 }, () => [
        { op: "copy", from: "/a", path: "/a/b" },
        { op: "copy", from: "/a", path: "/a/c" },
      ]).flat(),
    ];
    expect(apply("{}", JSON.stringify(explosive))).toBe(422);
  });

  it("warns about duplicate and unknown fields when checked", () => {
    const text = `[{"op":"test","path":"/a","path":"/b","foo":1,"value":{"x":1,"x":2}}]`;
    expect(decodeJsonPatch(text, { check: true }).strictErrors).toEqual([
      `json patch duplicate field "[0].path"`,
      `json patch duplicate field "[0].value.x"`,
      `json patch unknown field "[0].foo"`,
    ]);
    expect(decodeJsonPatch(text, { check: false }).strictErrors).toEqual([]);
  });

  it("hides the reason of a 422, as kube-apiserver does", () => {
    expect(patchErrorStatus(new PatchError(422, "test failed"))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "the server rejected our request due to an error in our request",
      reason: "Invalid",
      details: {},
      code: 422,
    });
  });
});
