import { describe, expect, it } from "vitest";
import { compileCel, evaluateCel } from "../../../../src/apiserver/cel/cel.js";
import { CelCompileError } from "../../../../src/apiserver/cel/checker/check.js";
import { typeOfSchema } from "../../../../src/apiserver/cel/checker/types.js";
import { fromCel, toCel } from "../../../../src/apiserver/cel/values/data.js";
import { CelError } from "../../../../src/apiserver/cel/values/values.js";
import type { Schema } from "../../../../src/apiserver/schema/schema.js";

const schema: Schema = {
  type: "object",
  properties: {
    n: { type: "integer" },
    d: { type: "number" },
    s: { type: "string" },
    b: { type: "boolean" },
    when: { type: "string", format: "date-time" },
    ios: { "x-kubernetes-int-or-string": true },
    l: { type: "array", items: { type: "string" } },
    nums: { type: "array", items: { type: "integer" } },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    m: { type: "object", additionalProperties: { type: "integer" } },
    o: { type: "object", properties: { "a-b": { type: "string" }, in: { type: "string" }, gone: { type: "string" } } },
  },
};
const data = {
  n: 5,
  d: 2,
  s: "abc",
  b: true,
  when: "2024-02-03T04:05:06Z",
  ios: "50%",
  l: ["a", "b"],
  nums: [3, 1, 2],
  set: ["x", "y"],
  m: { k: 1, "x.y": 2 },
  o: { "a-b": "dash", in: "word" },
};
const self = toCel(data, schema);
const variables = new Map([["self", typeOfSchema(schema)]]);

function run(expression: string): unknown {
  try {
    return fromCel(evaluateCel(compileCel(expression, variables), { self }).value);
  } catch (error) {
    if (error instanceof CelError) return `error: ${error.message}`;
    if (error instanceof CelCompileError)
      return `does not compile: ${error.message.split("\n")[0]!.replace(/^ERROR: <input>:\d+:\d+: /, "")}`;
    throw error;
  }
}

describe("CEL in CustomResourceDefinitions and policies", () => {
  it.each<[string, unknown]>([
    ["self.n > 3 && self.b", true],
    ["self.n + 1 == 6", true],
    ["self.n / 2 == 2", true],
    ["-self.n < 0", true],
    ["self.d * 2.0 == 4.0", true],
    ["self.n < 5.5", true],
    ["has(self.s) && !has(self.o.gone)", true],
    ["has(dyn(null).x) || has(dyn(1).x)", false],
    ["self.o.gone", "error: no such key: gone"],
    ["self.o.a__dash__b + self.o.__in__", "dashword"],
    ["self.?o.?gone.orValue('none')", "none"],
    ["self.?s.hasValue()", true],
    ["self.l.all(x, x.size() == 1)", true],
    ["self.l.exists(x, x == 'b')", true],
    ["self.l.exists_one(x, x == 'b')", true],
    ["self.l.map(x, x + '!')", ["a!", "b!"]],
    ["self.nums.filter(x, x > 1)", [3, 2]],
    ["self.m.all(k, self.m[k] > 0)", true],
    ["self.m.exists(k, v, k == 'x.y' && v == 2)", true],
    ["self.nums.transformList(i, v, v * i)", [0, 1, 4]],
    ["self.m.transformMap(k, v, v + 1)", { k: 2, "x.y": 3 }],
    ["'k' in self.m", true],
    ["self.m['x.y']", 2],
    ["self.nums.sum() == 6 && self.nums.min() == 1 && self.nums.max() == 3", true],
    ["self.nums.isSorted()", false],
    ["self.nums.indexOf(2)", 2],
    ["[1, 2].indexOf(9)", -1],
    ["self.set == ['y', 'x']", true],
    ["self.l == ['b', 'a']", false],
    ["sets.contains(self.l, ['a'])", true],
    ["self.nums[9]", "error: index out of bounds: 9"],
    ["1 / 0", "error: division by zero"],
    ["9223372036854775807 + 1", "error: integer overflow"],
    ["self.o.gone == 'x' || true", true],
    ["false && self.o.gone == 'x'", false],
    ["self.nums.exists(x, 6 / (x - 1) == 3)", true],
    ["self.nums.all(x, 6 / (x - 1) == 3)", false],
    ["'abc'.matches('^a.c$')", true],
    ["'a1b22'.find('[0-9]+')", "1"],
    ["'a1b22'.findAll('[0-9]+')", ["1", "22"]],
    ["'a'.matches('(' + '')", expect.stringMatching(/^error: error parsing regexp/)],
    ["'a'.matches('(')", expect.stringContaining("invalid matches argument")],
    ["'a,b,c'.split(',', 2)", ["a", "b,c"]],
    ["['a', 'b'].join('-')", "a-b"],
    ["'Héllo'.charAt(1) + 'x'.upperAscii()", "éX"],
    ["'aXbX'.replace('X', '-', 1)", "a-bX"],
    ["'hello'.substring(1, 3)", "el"],
    ["size('é')", 1],
    ["'%d of %s: %.2f'.format([1, 'x', 2.5])", "1 of x: 2.50"],
    ["self.when < timestamp('2024-02-04T00:00:00Z')", true],
    ["self.when.getFullYear()", 2024],
    ["self.when.getHours('+02:00')", 6],
    ["self.when + duration('1h') - self.when == duration('60m')", true],
    ["duration('90s').getMinutes()", 1],
    ["string(duration('1m30s'))", "90s"],
    ["quantity('1Gi').isGreaterThan(quantity('1G'))", true],
    ["quantity('200M').compareTo(quantity('0.2G'))", 0],
    ["quantity('50k').add(20) == quantity('50020')", true],
    ["isQuantity('x')", false],
    ["ip('192.168.0.1').family()", 4],
    ["ip('::1').isLoopback()", true],
    ["cidr('10.0.0.0/8').containsIP('10.9.8.7')", true],
    ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true],
    ["string(1) == '1' && isIP('x') == false", true],
    ["ip.isCanonical('2001:0db8::1')", false],
    ["url('https://a.b:80/p?q=1').getHostname()", "a.b"],
    ["url('https://a.b:80/p?q=1').getPort()", "80"],
    ["isURL('::')", false],
    ["format.dns1123Label().validate('A').hasValue()", true],
    ["semver('1.2.3').isLessThan(semver('1.10.0'))", true],
    ["type(self.n) == int", true],
    ["self.ios == '50%'", true],
    ["type(self.ios) == string ? self.ios.endsWith('%') : self.ios > 0", true],
    ["optional.of(1).optMap(x, x + 1).value()", 2],
    ["int('7') + int(2.9)", 9],
    ["dyn(1) == 1.0", true],
    ["[1, ?optional.none(), ?optional.of(2)]", [1, 2]],
    ["{'a': 1, ?'b': optional.none(), ?'c': {'x': 3}[?'x']}", { a: 1, c: 3 }],
    ["string(ip('::0:1'))", "::1"],
    ["string(cidr('10.0.0.0/8'))", "10.0.0.0/8"],
    ["type(ip('1.2.3.4')) == net.IP", true],
    ["--3", 3],
    ["!!true", true],
    ['\'a\' + r\'\\d\' + """b"""', "a\\db"],
    ["0x1F", 31],
    ["1e2", 100],
    ["b'\\x41' == b'A'", true],
    ["'\\u00e9\\101\\x42'", "\u00e9AB"],
    ["1 // one", 1],
    ["[3, 1, 2].sortBy(x, -x)", [3, 2, 1]],
    ["[1, 2].first().value() + [1, 2].last().value()", 3],
    ["{'a': 1}.transformMapEntry(k, v, {string(v): k})", { 1: "a" }],
    ["self.nope == 1", "does not compile: undefined field 'nope'"],
    ["other", "does not compile: undeclared reference to 'other' (in container '')"],
    ["self.s == 1", "does not compile: found no matching overload for '_==_' applied to '(string, int)'"],
    ["self.s ==", expect.stringMatching(/^does not compile: Syntax error/)],
    ["self.s && true", "does not compile: expected type 'bool' but found 'string'"],
    ["self.__proto__", "does not compile: undefined field '__proto__'"],
    ["self.l.all(1, true)", expect.stringMatching(/^does not compile/)],
  ])("%s", (expression, expected) => {
    expect(run(expression)).toEqual(expected);
  });

  it("enforces the cost limit", () => {
    const list = toCel(Array.from({ length: 300 }, (_, at) => at));
    const program = compileCel("self.all(a, self.all(b, self.all(c, a + b + c >= 0)))", ["self"]);
    const start = performance.now();
    expect(() => evaluateCel(program, { self: list })).toThrow("cost limit exceeded");
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(() => evaluateCel(compileCel("'x'.matches(self)", ["self"]), { self: "(a+)+$".repeat(10) })).not.toThrow();
  });

  it("reads variables lazily", () => {
    let asked = 0;
    const lazy = (): bigint => {
      asked += 1;
      return 1n;
    };
    expect(evaluateCel(compileCel("false && x == 1", ["x"]), { x: lazy }).value).toBe(false);
    expect(asked).toBe(0);
    expect(evaluateCel(compileCel("x + x == 2", ["x"]), { x: lazy }).value).toBe(true);
    expect(asked).toBe(1);
  });
});
