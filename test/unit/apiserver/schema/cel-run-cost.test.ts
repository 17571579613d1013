import { describe, expect, it } from "vitest";
import { celCostLimit, compileCel, evaluateCel } from "../../../../src/apiserver/schema/cel.js";
import { toCel } from "../../../../src/apiserver/schema/cel-data.js";
import { typeOfSchema } from "../../../../src/apiserver/schema/cel-types.js";
import type { Schema } from "../../../../src/apiserver/schema/schema.js";

const texts = (length: number) => (count: number): string[] => Array.from({ length: count }, (_, at) => String(at).padStart(length, "a"));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Rules, and the least number of items with which a real kube-apiserver 1.36 found that one cost more than a call may. */
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

describe("what a run costs is within a tenth of what a real server counts", () => {
  it.each(rules)("%s", (rule, least, make, items) => {
    const schema: Schema = { type: "array", items };
    const program = compileCel(rule, new Map([["self", typeOfSchema(schema)]]));
    const { cost } = evaluateCel(program, { self: toCel(make(least) as never, schema) }, { costLimit: Infinity });
    expect(cost / celCostLimit).toBeGreaterThan(0.9);
    expect(cost / celCostLimit).toBeLessThan(1.1);
  });
});
