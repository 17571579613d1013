import { describe, expect, it } from "vitest";
import { GoJsonError, parseGoJson } from "../../../../src/apiserver/internal/go-json.js";

describe("parseGoJson", () => {
  it.each([
    [`{"a":[1,-2.5e3,true,false,null,"x\\n\\u00e9"],"b":{}}`],
    [` [ ] `],
    [`"x"`],
    [`0`],
    [`{"a":{"b":[[],{}]}}`],
  ])("agrees with JSON.parse on %s", (text) => {
    expect(parseGoJson(text)).toEqual({ value: JSON.parse(text), duplicates: [] });
  });

  it.each([
    "",
    "{",
    `{"a"`,
    `{"a":1,}`,
    `[1,]`,
    `{a:1}`,
    `{"a" 1}`,
    `{"a":1 "b"}`,
    `[1 2]`,
    `{} x`,
    `nul`,
    `{"a":-`,
    `{"a":1.`,
    `{"a":1ex}`,
    `{"a":1e+`,
    `{"a":"\\`,
    `{"a":"\\u12`,
    `{"a":"x`,
    `nulx`,
    `-x`,
    `"a\u0001"`,
    `"\\x"`,
    `'a'`,
  ])("rejects %j", (text) => {
    expect(() => parseGoJson(text)).toThrow(GoJsonError);
  });

  it("reports duplicate keys, lets the last one win, and keeps __proto__ as data", () => {
    const { value, duplicates } = parseGoJson(`{"a":1,"l":[{"b":1,"b":2,"b":3}],"a":2,"__proto__":{"x":1}}`);
    expect(JSON.stringify(value)).toBe(`{"a":2,"l":[{"b":3}],"__proto__":{"x":1}}`);
    expect(duplicates).toEqual(["l[0].b", "a"]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("replaces lone surrogates with U+FFFD", () => {
    expect(parseGoJson(`"a\\ud800b"`).value).toBe("a\uFFFDb");
  });

  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("accepts 10,000 levels of %s and rejects one more", (_, open, close) => {
    const deep = (levels: number): string =>
      open.repeat(levels - 1) + (open === "[" ? "[]" : "{}") + close.repeat(levels - 1);
    expect(typeof parseGoJson(deep(10_000)).value).toBe("object");
    expect(() => parseGoJson(deep(10_001))).toThrow(`invalid character '${open[0]!}' exceeded max depth`);
  });
});
