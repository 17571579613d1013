import { describe, expect, it } from "vitest";
import { parseGoJson } from "../../../../src/apiserver/internal/go-json.js";

describe("reading JSON as Go does", () => {
  it.each([
    [`{"a":[1,-2.5e3,true,false,null,"x\\n\\u00e9"],"b":{}}`],
    [` [ ] `],
    [`"x"`],
    [`0`],
    [`{"a":{"b":[[],{}]}}`],
  ])("agrees with JSON.parse on %s", (text) => {
    expect(parseGoJson(text)).toEqual({ value: JSON.parse(text), duplicates: [] });
  });

  it.each<[string, string]>([
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    [`{"a"`, "unexpected end of JSON input"],
    [`{"a":1,}`, "invalid character '}' looking for beginning of object key string"],
    [`[1,]`, "invalid character ']' looking for beginning of value"],
    [`{a:1}`, "invalid character 'a' looking for beginning of object key string"],
    [`{"a" 1}`, "invalid character '1' after object key"],
    [`{"a":1 "b"}`, `invalid character '"' after object key:value pair`],
    [`[1 2]`, "invalid character '2' after array element"],
    [`{} x`, "invalid character 'x' after top-level value"],
    [`nul`, "invalid character ' ' in literal null (expecting 'l')"],
    [`{"a":-`, "invalid character ' ' in numeric literal"],
    [`{"a":1.`, "invalid character ' ' after decimal point in numeric literal"],
    [`{"a":1ex}`, "invalid character 'x' in exponent of numeric literal"],
    [`{"a":1e+`, "invalid character ' ' in exponent of numeric literal"],
    [`{"a":"\\`, "invalid character ' ' in string escape code"],
    [`{"a":"\\u12`, "invalid character ' ' in \\u hexadecimal character escape"],
    [`{"a":"x`, "unexpected end of JSON input"],
    [`nulx`, "invalid character 'x' in literal null (expecting 'l')"],
    [`-x`, "invalid character 'x' in numeric literal"],
    [`"a\u0001"`, "invalid character '\\x01' in string literal"],
    [`"\\x"`, "invalid character 'x' in string escape code"],
    [`'a'`, "invalid character '\\'' looking for beginning of value"],
  ])("refuses %j", (text, message) => {
    expect(() => parseGoJson(text)).toThrow(message);
  });

  it("names keys given twice, lets the last win, and keeps __proto__ as data", () => {
    const { value, duplicates } = parseGoJson(`{"a":1,"l":[{"b":1,"b":2,"b":3}],"a":2,"__proto__":{"x":1}}`);
    expect(JSON.stringify(value)).toBe(`{"a":2,"l":[{"b":3}],"__proto__":{"x":1}}`);
    expect(duplicates).toEqual(["l[0].b", "a"]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("turns lone surrogates into replacement characters", () => {
    expect(parseGoJson(`"a\\ud800b"`).value).toBe("a\uFFFDb");
  });

  it("takes 9,900 levels and refuses 20,000", () => {
    const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(Array.isArray(parseGoJson(deep(9_900)).value)).toBe(true);
    expect(() => parseGoJson(deep(20_000))).toThrow("exceeded max depth");
  });
});
