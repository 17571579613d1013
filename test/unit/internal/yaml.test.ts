import { describe, expect, it } from "vitest";
import { parseYaml, parseYamlDocuments } from "../../../src/internal/yaml/yaml.js";

// The expected values are the results of sigs.k8s.io/yaml v1.6.0, kubectl's own parser.
describe("YAML scalars", () => {
  it.each([
    ["1_000", 1000],
    ["017", 15],
    ["0o17", 15],
    ["0b11", 3],
    ["-0b11", -3],
    ["09", 9],
    ["1e3", 1000],
    ["12:30", "12:30"],
    ["2020-01-01", "2020-01-01"],
    ["0x1F", 31],
    ["1e400", "1e400"],
    ["+5", 5],
    ["1.", 1],
    ["._5", "._5"],
    ["0_7", 7],
    ["1__0", 10],
    ["_1", "_1"],
    ["-.5", -0.5],
    [".5e3", 500],
    ["0o9", "0o9"],
    ["0xffffffffffffffff", 18446744073709551615],
    ["0xfffffffffffffffff", "0xfffffffffffffffff"],
    ["08.5", 8.5],
    ["1e", "1e"],
    ["-9223372036854775809", -9223372036854776000],
    ["!!str 1", "1"],
    ['!!int "3"', 3],
    ["!!float 3", 3],
    ["!!binary aGk=", "hi"],
    ["!foo 1", "1"],
    ["!!bool yes", true],
    ["yes", true],
    ["No", false],
    ["ON", true],
    ["off", false],
    ["y", true],
    ["N", false],
    ["true", true],
    ["~", null],
    ["Null", null],
    ["", null],
    ["yEs", "yEs"],
    ["'yes'", "yes"],
    ['"017"', "017"],
    ['"\\u0041"', "A"],
    ["=", "="],
    ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
  ])("%s parses as %j", (text, value) => {
    expect(parseYaml(`a: ${text}\n`)).toEqual({ a: value });
  });

  it("follow the same rules as keys and become strings", () => {
    const text =
      "1.5: a\n1e3: b\n0x10: c\n017: d\nyes: f\n1000000.0: g\n12345678.5: h\n1e21: i\n99999999999999999999: j\n.5: k\n-0: x\n1e-7: m\n=: v\n";
    expect(parseYaml(text)).toEqual({
      0: "x",
      0.5: "k",
      "1.2345678e+07": "h",
      1.5: "a",
      1000: "b",
      15: "d",
      16: "c",
      "1e+06": "g",
      "1e+20": "j",
      "1e+21": "i",
      "1e-07": "m",
      true: "f",
      "=": "v",
    });
  });

  it("keep all digits of 64-bit keys", () => {
    expect(Object.keys(parseYaml("9007199254740993: a\n0x10: b\n") as object)).toEqual(["16", "9007199254740993"]);
  });
});

describe("YAML structure", () => {
  it("expands aliases and merges, and a mapping's own keys win", () => {
    expect(parseYaml("a: &x {b: 1, c: 1}\nd: *x\ne: {<<: [*x, {c: 2, z: 3}], b: 9}\n")).toEqual({
      a: { b: 1, c: 1 },
      d: { b: 1, c: 1 },
      e: { b: 9, c: 1, z: 3 },
    });
  });

  it("supports JSON, several documents and empty input", () => {
    expect(parseYaml('{"a": [1, "x", null, {"b": false}]}')).toEqual({ a: [1, "x", null, { b: false }] });
    expect(parseYamlDocuments("a: 1\n---\n# nothing\n---\nb: 2\n")).toEqual([{ a: 1 }, null, { b: 2 }]);
    expect(parseYaml("")).toBeNull();
    expect(parseYaml('{"a": "\\ud83d\\ude00"}')).toEqual({ a: "😀" });
  });

  it("skips a byte order mark at the beginning of each document, as joined files have them", () => {
    expect(parseYamlDocuments("\ufeffa: 1\n---\n\ufeffa: 2\nb: 3\n--- # x\n\n\ufeff- c\n- d\n")).toEqual([
      { a: 1 },
      { a: 2, b: 3 },
      ["c", "d"],
    ]);
  });

  it("treats __proto__ and constructor as ordinary keys", () => {
    const value = parseYaml("__proto__: {polluted: true}\nconstructor: 1\n<<: {__proto__: 2}\n") as Record<
      string,
      unknown
    >;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("YAML errors", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"abcdefgh"
    .split("")
    .map((name, index, all) =>
      index === 0
        ? ""
        : `${name}: &${name} [${Array(9)
            .fill(`*${all[index - 1]!}`)
            .join()}]\n`,
    )
    .join("")}`;
  it.each([
    ["a duplicate key", "a: 1\nb: 1\na: 2\n", 'line 3: duplicate key "a"'],
    ["keys that become equal", '1: a\n"1": b\n', 'line 2: duplicate key "1"'],
    ["a null key", "~: 1\n", "line 1: a key must be a string"],
    ["a list as a key", "? [a]\n: 1\n", "line 1: a key must be a string"],
    ["an infinity", "a: .inf\n", "line 1: .inf is not a valid JSON number"],
    ["a wrong tag", "a: !!int foo\n", "line 1: the value is not a valid !!int"],
    ["an unknown anchor", "a: *y\n", "line 1: "],
    ["a recursive anchor", "a: &a [*a]\n", 'line 1: anchor "a" contains itself'],
    ["an alias bomb", bomb, "aliases expand to more than 100000 nodes"],
    ["a broken document", "a: [1\nb: 2\n", "line "],
    ["tabs as indentation", "a:\n\tb: 1\n", "line "],
    ["nesting without end", "[".repeat(20_000), "nested too deeply"],
  ])("reject %s", (_name, text, message) => {
    expect(() => parseYaml(text)).toThrow(SyntaxError);
    expect(() => parseYaml(text)).toThrow(message);
  });
});

describe("YAML nesting", () => {
  it("is refused after a thousand levels, whatever it consists of", () => {
    for (const text of ["[", "{", "? ", "- ", "[{a: ", "{a: "])
      expect(() => parseYaml(text.repeat(100_000))).toThrow("nested too deeply");
    const deep = `a: &a ${"[".repeat(600)}${"]".repeat(600)}\nb: ${"[".repeat(600)}*a${"]".repeat(600)}\n`;
    expect(() => parseYaml(deep)).toThrow("nested too deeply");
    expect(parseYaml("[".repeat(900) + "]".repeat(900))).toHaveLength(1);
  });
});

// Results of sigs.k8s.io/yaml v1.6.0 (go.yaml.in/yaml/v2), where YAML 1.1 and 1.2 differ or a line ends early.
describe("YAML texts", () => {
  it.each<[string, unknown]>([
    ["a: b\n  c\n\n  d\ne: f # g\n", { a: "b c\nd", e: "f" }],
    ["a: b#c\nd: e:f\n", { a: "b#c", d: "e:f" }],
    ["a: |\n  b\n   c\n\nd: |-\n  e\nf: |+\n  g\n\n", { a: "b\n c\n", d: "e", f: "g\n\n" }],
    ["a: |2\n   b\nc: >\n  d\n  e\n\n  f\n   g\n  h\n", { a: " b\n", c: "d e\nf\n g\nh\n" }],
    ["a: |\n  b", { a: "b" }],
    ["a: >-\n\n  b\n", { a: "\nb" }],
    ["a: 'b''c\n\n  d'\n", { a: "b'c\nd" }],
    ['a: "b\\\n  c\\td\\x41\\U0001F600 \n e"\n', { a: "bc\tdA😀 e" }],
    ["a:\n- b\n-\n  c: d\n  e: f\n- - g\n  - h\ni: j\n", { a: ["b", { c: "d", e: "f" }, ["g", "h"]], i: "j" }],
    ["? a\n: b\n? c\n", { a: "b", c: null }],
    ["{a: b, c, 'd':e, ? f : g, [h]: i}", undefined],
    [
      "{a: b, c, 'd':e, ? f : g, h:i, j: [k: l, m]}",
      { a: "b", c: null, d: "e", f: "g", "h:i": null, j: [{ k: "l" }, "m"] },
    ],
    ["[a, b,\n# c\n d\n e]\n", ["a", "b", "d e"]],
    ["a: &x\n  b: c\n&y d: *x\ne: *y\n", { a: { b: "c" }, d: { b: "c" }, e: "d" }],
    ["a: &x b\n*x : c\n", { a: "b", b: "c" }],
    [
      "%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\nb: !<tag:yaml.org,2002:str> 2\nc: ! 3\n",
      { a: "1", b: "2", c: "3" },
    ],
    ["\ufeffa: b\r\nc:\r\n- d\r\n", { a: "b", c: ["d"] }],
    ["--- a\n... # b\n", "a"],
    ["{a: b} c\n", { a: "b" }],
    ["{a: b}\n---\n[", { a: "b" }],
  ])("%j", (text, value) => {
    if (value === undefined) expect(() => parseYaml(text)).toThrow(SyntaxError);
    else expect(parseYaml(text)).toEqual(value);
  });

  it.each([
    ["a: b: c\n", "line 1: mapping values are not allowed in this context"],
    ["a: - b\n", "line 1: block sequence entries are not allowed in this context"],
    ["a: 1\n  b: 2\n", "line 2: mapping values are not allowed in this context"],
    ["a:\n  - b\n c: d\n", "line 3: did not find expected key"],
    ["a\nb: c\n", "line 2: mapping values are not allowed in this context"],
    ["a: b\nc\nd: e\n", "line 2: could not find expected ':'"],
    ["- a\nb: c\n", "line 2: did not find expected '-' indicator"],
    ["a: @b\n", "line 1: found character that cannot start any token"],
    ["a: [b\nc: d\n", "line 2: mapping values are not allowed in this context"],
    ["a: [b c: d, ]x\n", "line 1: did not find expected key"],
    ["a: {b: c\n---\n}\n", "line 2: found unexpected document indicator"],
    ["a: 'b\n", "line 1: found unexpected end of stream"],
    ['a: "\\y"\n', "line 1: found unknown escape character"],
    ['a: "\\xg0"\n', "line 1: did not find expected hexadecimal number"],
    ['a: "\\ud800"\n', "line 1: found invalid Unicode character escape code"],
    ['a: "\\ud800\\u0041"\n', "line 1: found invalid Unicode character escape code"],
    ['a: "\\udc00\\ud800"\n', "line 1: found invalid Unicode character escape code"],
    ['a: "\\U0000d800\\udc00"\n', "line 1: found invalid Unicode character escape code"],
    ["a:\r\n\n  b\0\n", "line 3: control characters are not allowed"],
    ["# \u0007\na: b\n", "line 1: control characters are not allowed"],
    ["a: 'b\u007f'\n", "line 1: control characters are not allowed"],
    ["a: b\uffff\n", "line 1: control characters are not allowed"],
    ["a: |x\n", "line 1: did not find expected comment or line break"],
    ["a: |\n \tb\n", "line 2: found a tab character where an indentation space is expected"],
    ["a: !x!y z\n", "line 1: found undefined tag handle"],
    ["a: &b *c\n", "line 1: did not find expected node content"],
    ["%YAML 1.2\n---\na: b\n", "line 1: found incompatible YAML document"],
    [`${"k".repeat(1_025)}: a\n`, "line 1: mapping values are not allowed in this context"],
    ["{a: b} @\n", "line 1: found character that cannot start any token"],
  ])("%j is refused", (text, message) => {
    expect(() => parseYaml(text)).toThrow(message);
  });
});

// Results of kubectl 1.36 for texts with each of them as line end.
describe("line ends of YAML 1.1", () => {
  const [nextLine, separator] = ["\u0085", "\u2028"];
  it.each<[string, string, string]>([
    ["k: a\n  b", "a b", "a\u2028b"],
    ["k: a\n\n  b", "a\nb", "a\u2028\u2028b"],
    ["k: 'a\n  b'", "a b", "a\u2028b"],
    ['k: "a \n \n b"', "a\nb", "a\u2028\u2028b"],
    ['k: "a\\\n  b"', "ab", "ab"],
    ["k: |\n  a\n  b\n", "a\nb\n", "a\u2028b\u2028"],
    ["k: >\n  a\n  b\n", "a b\n", "a\u2028b\u2028"],
    ["k: >\n  a\n\n  b\n", "a\nb\n", "a\u2028\u2028b\u2028"],
    ["k: |+\n  a\n\n", "a\n\n", "a\u2028\u2028"],
    ["k: |-\n  a\n\n", "a", "a"],
    ["# c\nk: a # c\n", "a", "a"],
  ])("fold and end %j as kubectl does", (text, folded, kept) => {
    expect(parseYaml(text)).toEqual({ k: folded });
    expect(parseYaml(text.replaceAll("\n", nextLine))).toEqual({ k: folded });
    expect(parseYaml(text.replaceAll("\n", separator))).toEqual({ k: kept });
    expect(parseYaml(text.replaceAll("\n", "\u2029"))).toEqual({ k: kept.replaceAll(separator, "\u2029") });
  });

  it("fold after the first one only, and count as lines", () => {
    expect(parseYaml("k: a\u2028\n  b\nl: c\n\u2028  d")).toEqual({ k: "a\u2028\nb", l: "c\u2028d" });
    expect(() => parseYaml("a: b\u0085c:\u2028\u2029d: \0")).toThrow("line 4:");
    expect(() => parseYaml("a: b\u0085c: d\u2028- e")).toThrow("line 3:");
  });

  it("are ordinary characters in texts of JSON, unless the body is YAML", () => {
    const text = '{"k":"a \u2028 b \u0085 c"}';
    expect(parseYamlDocuments(text + text)).toEqual([JSON.parse(text), JSON.parse(text)]);
    expect(parseYaml(text)).toEqual({ k: "a\u2028b c" });
  });
});
