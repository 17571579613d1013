import { describe, expect, it } from "vitest";
import { celCostLimit, compileCel, evaluateCel } from "../../../../src/apiserver/cel/cel.js";
import { typeOfSchema } from "../../../../src/apiserver/cel/checker/types.js";
import { toCel } from "../../../../src/apiserver/cel/values/data.js";
import type { Schema } from "../../../../src/apiserver/schema/schema.js";

const texts =
  (length: number) =>
  (count: number): string[] =>
    Array.from({ length: count }, (_, at) => String(at).padStart(length, "a"));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Rules, and the smallest number of items with which kube-apiserver 1.36 rejects the cost of a call. */
const rules: readonly (readonly [rule: string, least: number, make: (count: number) => unknown[], items: Schema])[] = [
  ["self.all(a, self.all(b, a == b || a != b))", 334, texts(8), { type: "string" }],
  ["self.all(a, a in self)", 998, texts(8), { type: "string" }],
  ["self.all(a, self.exists(b, b == a))", 533, texts(8), { type: "string" }],
  ["self.all(a, self.all(b, a + b >= 0))", 378, numbers, { type: "integer" }],
  ["self.all(a, self.filter(b, b > a).size() >= 0)", 325, texts(8), { type: "string" }],
  ["self.all(a, self.map(b, b + a).size() >= 0)", 250, texts(8), { type: "string" }],
  ["self.all(a, self.exists_one(b, b == a))", 576, texts(8), { type: "string" }],
  ["self.all(a, self.all(b, a.contains('xyzxyzxyz') == b.contains('abcabcabc')))", 250, texts(50), { type: "string" }],
  ["self.all(a, self.all(b, a.matches('^[a-z0-9]+$')))", 214, texts(50), { type: "string" }],
  ["self.all(a, self.sum() >= 0)", 998, numbers, { type: "integer" }],
  ["self.all(a, self.all(b, a == b ? true : (a < b || a > b)))", 309, texts(8), { type: "string" }],
  ["self.all(a, self.all(b, size(a) == size(b)))", 354, texts(8), { type: "string" }],
];

describe("run-time cost of a rule is within a tenth of kube-apiserver's", () => {
  it.each(rules)("%s", (rule, least, make, items) => {
    const schema: Schema = { type: "array", items };
    const program = compileCel(rule, new Map([["self", typeOfSchema(schema)]]));
    const { cost } = evaluateCel(program, { self: toCel(make(least) as never, schema) }, { costLimit: Infinity });
    expect(cost / celCostLimit).toBeGreaterThan(0.9);
    expect(cost / celCostLimit).toBeLessThan(1.1);
  });
});

/**
 * Rules over a list of strings, and the smallest number of strings that exceeds kube-apiserver's limit; one less
 * doesn't.
 */
const borders: readonly (readonly [rule: string, least: number])[] = [
  ["self.l.all(a, self.l.slice(0, self.l.size()).size() >= 0)", 990],
  ["self.l.all(a, self.l.distinct().size() > 0)", 79],
  ["self.l.all(a, self.l.sort().size() > 0)", 79],
  ["self.l.all(a, self.l.sortBy(x, x).size() > 0)", 77],
  ["self.l.all(a, self.l.reverse().size() > 0)", 992],
  ["self.l.all(a, self.l.join(',') != '')", 745],
  ["self.l.all(a, sets.contains(self.l, [a]))", 992],
  ["self.l.all(a, sets.intersects(self.l, [a]))", 992],
  ["self.l.all(a, sets.equivalent(self.l, self.l))", 80],
  ["self.l.all(a, !sets.contains(self.l, ['zz', 'yy']))", 706],
  ["self.l.all(a, self.l.all(b, b.substring(1, 4) != ''))", 447],
  ["self.l.all(a, self.l.all(b, b.charAt(1) != ''))", 447],
  ["self.l.all(a, self.l.all(b, b.lowerAscii() != ''))", 447],
  ["self.l.all(a, self.l.all(b, b.replace('a', 'bb') != ''))", 408],
  ["self.l.all(a, self.l.all(b, b.split('a').size() > 0))", 354],
  ["self.l.all(a, self.l.all(b, b.findAll('a').size() > 0))", 378],
  ["self.l.all(a, self.l.all(b, strings.quote(b) != ''))", 447],
  ["self.l.all(a, self.l.all(b, 'x%s'.format([b]) != ''))", 258],
  ["self.l.all(a, self.l.all(b, '%s-%s-%d'.format([a, b, 5]) != ''))", 250],
  ["self.l.all(a, self.l.all(b, {a: b}.size() == 1))", 165],
  ["self.l.all(a, self.l.all(b, {}.size() == 0))", 447],
  ["self.l.all(a, self.l.all(b, a in {a: b}))", 165],
  ["self.l.all(a, self.l.all(b, [a, b].size() == 2))", 243],
  ["self.l.all(a, self.l.all(b, [a, b, 'x'].exists(x, x == a)))", 197],
];

/**
 * Rules that stay below the limit with 1400 strings, because their cost depends on the result or on values other than
 * strings.
 */
const cheap = [
  "self.l.all(a, self.l.slice(0, 5).size() >= 0)",
  "self.l.all(a, lists.range(50).size() > 0)",
  "self.l.all(a, [self.l].flatten().size() > 0)",
  "self.l.all(a, self.l.indexOf(a) >= 0)",
  "self.l.all(a, self.l.max() != '')",
];

describe("run-time cost of a rule crosses the limit at kube-apiserver's size", () => {
  const schema: Schema = { type: "object", properties: { l: { type: "array", items: { type: "string" } } } };
  const costOf = (rule: string, count: number): number => {
    const program = compileCel(rule, new Map([["self", typeOfSchema(schema)]]));
    return evaluateCel(program, { self: toCel({ l: texts(8)(count) }, schema) }, { costLimit: Infinity }).cost;
  };

  it.each(borders)("%s", (rule, least) => {
    expect(costOf(rule, least - 1)).toBeLessThanOrEqual(celCostLimit);
    expect(costOf(rule, least)).toBeGreaterThan(celCostLimit);
  });

  it.each(cheap)("%s", (rule) => {
    expect(costOf(rule, 1400)).toBeLessThanOrEqual(celCostLimit);
  });

  it("charges a text for its length, which kube-apiserver doesn't, so that a rule can't fill the memory", () => {
    const rule = "self.l.all(a, '%s'.format([self.l]) != '')";
    expect(costOf(rule, 1000)).toBeLessThanOrEqual(celCostLimit);
    expect(costOf(rule, 1400)).toBeGreaterThan(celCostLimit);
  });
});
