import { describe, expect, it } from "vitest";
import { compileCel, evaluateCel } from "../../../../src/apiserver/cel/cel.js";
import { fromCel } from "../../../../src/apiserver/cel/values/data.js";
import { type CelValue, LiteralMap } from "../../../../src/apiserver/cel/values/values.js";

const costLimit = 100_000;
const times = (text: string, count: number, separator = ""): string =>
  Array.from({ length: count }, () => text).join(separator);

function evaluate(expression: string, variables: Readonly<Record<string, CelValue>> = {}): CelValue {
  return evaluateCel(compileCel(expression, Object.keys(variables)), variables, { costLimit }).value;
}

/** A list that contains a shorter one twice, which does so too, and so on: small in memory, 2^40 elements written out. */
const nested = `[[1]]${times(".map(x, [x, x])", 40)}`;
const nestedMaps = `[{'a': 1}]${times(".map(x, {'a': x, 'b': x})", 40)}`;
const ten = "aaaaaaaaaa";

const growing: Readonly<Record<string, string>> = {
  "concatenated lists": `[[1, 1, 1, 1, 1]]${times(`.map(a, ${times("a", 20, "+")})`, 7)}.size() > 0`,
  "concatenated strings": `['${ten}']${times(`.map(a, ${times("a", 20, "+")})`, 7)}[0].size() > 0`,
  "concatenated bytes": `[b'${ten}']${times(`.map(a, ${times("a", 20, "+")})`, 7)}[0].size() > 0`,
  "replaced characters": `['${ten}']${times(`.map(a, a.replace('a', '${times(ten, 20)}'))`, 5)}[0].size() > 0`,
  "texts replaced by themselves": `['${ten}']${times(".map(a, a.replace('a', a))", 7)}[0].size() > 0`,
  "joined lists": `['${ten}']${times(`.map(a, [${times("a", 20, ",")}].join(a))`, 9)}[0].size() > 0`,
  "formatted strings": `['${ten}']${times(`.map(a, '${times("%s", 20)}'.format([${times("a", 20, ",")}]))`, 9)}[0].size() > 0`,
  "formatted bytes": `['${ten}']${times(".map(a, '%x%x'.format([a, a]))", 40)}[0].size() > 0`,
  "split and joined strings": `['a,a']${times(".map(a, a.split(',').join(a))", 40)}[0].size() > 0`,
  "quoted strings": `['"""']${times(".map(a, strings.quote(a))", 40)}[0].size() > 0`,
  "strings in upper case": `['${ten}']${times(".map(a, (a + a + a).upperAscii() + a.lowerAscii())", 40)}[0].size() > 0`,
  "flattened lists": `[1, 1]${times(".map(x, [x, x, x, x]).map(x, [x, x].flatten()).flatten()", 20)}.size() > 0`,
  "a list flattened to any depth": `${nested}.flatten(100).size() > 0`,
  "a range": "lists.range(90000).map(x, x).size() > 0",
  "equal nested lists": `${nested} == ${nested}`,
  "equal nested maps": `${nestedMaps} == ${nestedMaps}`,
  "a nested list in a list": `${nested}[0] in ${nested}`,
  "sets of nested lists": `sets.contains(${nested}, ${nested})`,
  "the index of a nested list": `${nested}.indexOf(${nested}[0]) == 0`,
  "distinct nested lists": `(${nested} + ${nested}).distinct().size() == 1`,
  "a formatted nested list": `'%s'.format([${nested}]).size() > 0`,
  "a number of many digits": `int(['9999999999']${times(".map(a, a + a + a + a + a + a + a + a + a + a + a)", 4)}[0]) > 0`,
  "a quantity of many digits": `quantity(['9999999999']${times(".map(a, a + a + a + a + a + a + a + a + a + a)", 4)}[0]).isInteger()`,
  "a repeated count of characters": `['é😀']${times(".map(a, a + a + a + a + a + a + a + a + a + a)", 4)}.all(t, lists.range(5000).all(x, t.size() > 1))`,
};

describe("CEL growth", () => {
  it.each(Object.entries(growing))("%s exceed the cost limit instead of the memory", (_title, expression) => {
    expect(() => evaluate(expression)).toThrow("operation cancelled: actual cost limit exceeded");
  });

  it("the result of a policy is limited to a million values", () => {
    expect(() => fromCel(evaluate(nested))).toThrow("operation cancelled");
  });

  it("a long run of spaces inside a string trims in linear time", () => {
    expect(evaluate("('x' + spaces + 'x ').trim().size()", { spaces: " ".repeat(200_000) })).toBe(200_002n);
  });

  it("calls whose values are small cost what kube-apiserver charges", () => {
    const cost = (expression: string): number => evaluateCel(compileCel(expression, []), {}).cost;
    expect(cost("[1, 2] + [3] == [1, 2, 3]")).toBe(2);
    expect(cost("['a', 'b'].join('-') == 'a-b'")).toBe(2);
    expect(cost("'aXa'.replace('X', 'YYYY').size() == 6")).toBe(3);
  });
});

describe("CEL values with characters beyond the basic plane", () => {
  it.each([
    ["'a😀b'.size()", 3n],
    ["'a😀b'.charAt(1)", "😀"],
    ["'a😀b'.charAt(3)", ""],
    ["'a😀b'.indexOf('b')", 2n],
    ["'a😀b😀'.indexOf('😀', 2)", 3n],
    ["'a😀b'.substring(1, 2)", "😀"],
    ["'a😀b'.substring(2)", "b"],
    ["'%x'.format(['😀'])", "f09f9880"],
    ["strings.quote('a\"😀\\n')", '"a\\"😀\\n"'],
  ])("%s counts characters", (expression, result) => {
    expect(evaluate(expression)).toEqual(result);
  });

  it.each(["'a😀b'.charAt(4)", "'a😀b'.substring(4)", "'a😀b'.substring(0, 4)", "'a'.charAt(-1)"])(
    "%s is out of range",
    (expression) => {
      expect(() => evaluate(expression)).toThrow("index out of range");
    },
  );
});

describe("CEL lists with a declared type", () => {
  const set = (...items: CelValue[]): CelValue => Object.assign([...items], { listType: "set" as const });
  const keyed = (...items: CelValue[]): CelValue =>
    Object.assign([...items], { listType: "map" as const, mapKeys: ["k"] });
  const entry = (k: string, v: bigint): CelValue =>
    new LiteralMap([
      ["k", k],
      ["v", v],
    ]);

  it.each<[string, CelValue, CelValue, boolean]>([
    ["sets in another order", set("a", "b"), set("b", "a"), true],
    ["sets with other elements", set("a", "b"), set("a", "c"), false],
    ["a set of an integer and one of the same double", set(1n, 2n), set(2, 1), true],
    ["a set of a text and one of a number", set("1"), set(1n), false],
    [
      "keyed lists in another order",
      keyed(entry("a", 1n), entry("b", 2n)),
      keyed(entry("b", 2n), entry("a", 1n)),
      true,
    ],
    ["keyed lists with another value", keyed(entry("a", 1n)), keyed(entry("a", 2n)), false],
  ])("%s compare by content", (_title, left, right, equal) => {
    expect(evaluate("left == right", { left, right })).toBe(equal);
  });

  it("adding sets unites them", () => {
    expect(evaluate("left + right", { left: set("a", "b"), right: set("b", "c") })).toEqual(set("a", "b", "c"));
  });

  it("adding keyed lists replaces elements with the same key", () => {
    const sum = evaluate("left + right", { left: keyed(entry("a", 1n)), right: keyed(entry("b", 2n), entry("a", 3n)) });
    expect(fromCel(sum)).toEqual([
      { k: "a", v: 3 },
      { k: "b", v: 2 },
    ]);
  });

  it("comparing long sets takes linear time", () => {
    const items = Array.from({ length: 5000 }, (_, at) => `item-${at}`);
    expect(evaluate("left == right", { left: set(...items), right: set(...items.toReversed()) })).toBe(true);
  });
});
