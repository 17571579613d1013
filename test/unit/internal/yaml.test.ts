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

describe("YAML with a limit on tokens", () => {
  it.each([
    ["items in brackets", `{a: [${"b,".repeat(10_000)}`],
    ["comments", "#\n".repeat(10_000)],
    ["blank lines in a block", `a: |\n${"\n".repeat(10_000)}`],
    ["keys", "a: b\n".repeat(10_000)],
    ["anchors", `a: ${"&a ".repeat(10_000)}`],
    ["tags", `a: ${"!!x ".repeat(10_000)}`],
  ])("refuses more %s before it builds a tree", (_name, text) => {
    expect(() => parseYaml(text, { maxTokens: 5_000, onDuplicate: () => undefined })).toThrow(/more than 5000 tokens/);
  });

  it("refuses unbounded nesting of every kind after a thousand levels", () => {
    for (const text of ["[", "{", "? ", "- ", "- [", "{a: "])
      expect(() => parseYaml(text.repeat(100_000), { maxTokens: 50_000 })).toThrow(/nested too deeply/);
  });

  it("accepts a document below the limit", () => {
    expect(parseYaml("a: [b, c]\n", { maxTokens: 50 })).toEqual({ a: ["b", "c"] });
  });
});
