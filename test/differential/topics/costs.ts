import type { Probe, Topic } from "../probe.js";

type Json = Record<string, unknown>;

const text = { type: "string" };
const short = { type: "string", maxLength: 10 };
const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });
const map = (value: Json, more: Json = {}): Json => ({ type: "object", additionalProperties: value, ...more });
const object = (properties: Json): Json => ({ type: "object", properties });

/** Schemas of `spec` with rules, which apply to `spec` itself unless the schema has its own. */
const cases: readonly (readonly [schema: Json, ...rules: string[]])[] = [
  [object({ items: list(text) }), "self.items.all(a, self.items.all(b, a == b))"],
  [object({ items: list(text, { maxItems: 10 }) }), "self.items.all(a, self.items.all(b, a == b))"],
  [object({ items: list(short, { maxItems: 100 }) }), "self.items.all(a, self.items.all(b, a == b))"],
  [
    object({ items: list(short, { maxItems: 100 }) }),
    "self.items.all(a, self.items.all(b, self.items.all(c, a == b || b == c)))",
  ],
  [object({ items: list({ type: "integer" }) }), "self.items.all(a, a > 0)"],
  [object({ items: list({ type: "integer" }) }), "self.items.exists(a, a > 0)"],
  [object({ items: list(text) }), "self.items.all(a, a.startsWith('x'))"],
  [object({ items: list(text) }), "self.items.all(a, a.contains('x'))"],
  [object({ items: list(text) }), "self.items.all(a, a.matches('x'))"],
  [object({ items: list(text, { maxItems: 1000 }) }), "self.items.all(a, a.matches('^[a-z]+$'))"],
  [object({ name: text }), "self.name.matches('^[a-z]+$')"],
  [object({ name: text }), "self.name.contains('abc')"],
  [object({ name: text }), "self.name.split(',').all(x, x.matches('a'))"],
  [object({ name: text }), "self.name.split(',').all(x, x == 'a')"],
  [object({ name: short }), "self.name.split(',').all(x, x.matches('a'))"],
  [object({ name: text, other: text }), "self.name == self.other"],
  [object({ name: text, other: text }), "(self.name + self.other).matches('a')"],
  [object({ name: text }), "self.name.replace('a', 'b') == 'c'"],
  [object({ name: text }), "self.name.lowerAscii() == 'c'"],
  [object({ name: text }), "self.name.size() > 0"],
  [object({ labels: map(text) }), "self.labels.all(k, k.matches('a'))"],
  [object({ labels: map(text) }), "self.labels.all(k, self.labels[k].matches('a'))"],
  [object({ labels: map(text, { maxProperties: 10 }) }), "self.labels.all(k, self.labels[k].matches('a'))"],
  [object({ labels: map(short, { maxProperties: 10 }) }), "self.labels.all(k, self.labels[k].matches('a'))"],
  [object({ a: list(object({ b: list(text) })) }), "self.a.all(x, x.b.all(y, y == 'z'))"],
  [
    object({ a: list(object({ b: list(short, { maxItems: 10 }) }), { maxItems: 10 }) }),
    "self.a.all(x, x.b.all(y, y == 'z'))",
  ],
  [object({ a: list(object({ b: list(text) }), { maxItems: 100 }) }), "self.a.all(x, x.b.exists(y, y.contains('z')))"],
  [object({ items: list({ type: "string", "x-kubernetes-validations": [{ rule: "self.matches('a')" }] }) })],
  [object({ items: list({ type: "string", "x-kubernetes-validations": [{ rule: "self == 'a'" }] }) })],
  [
    object({
      items: list(
        { type: "string", maxLength: 10, "x-kubernetes-validations": [{ rule: "self.matches('a')" }] },
        { maxItems: 1000 },
      ),
    }),
  ],
  [object({ items: list({ ...object({ n: text }), "x-kubernetes-validations": [{ rule: "self.n.contains('a')" }] }) })],
  [
    object({
      items: list({ ...object({ l: list(text) }), "x-kubernetes-validations": [{ rule: "self.l.all(x, x == 'a')" }] }),
    }),
  ],
  [
    object({
      m: map({ ...object({ l: list(text) }), "x-kubernetes-validations": [{ rule: "self.l.all(x, x == 'a')" }] }),
    }),
  ],
  [object({ items: list(text) }), "self.items.map(x, x + 'a').all(y, y.matches('b'))"],
  [object({ items: list(text) }), "self.items.filter(x, x != 'a').size() == 0"],
  [object({ items: list(text) }), "self.items == oldSelf.items"],
  [object({ items: list(text) }), "'a' in self.items"],
  [object({ items: list(text) }), "self.items.exists_one(x, x in self.items)"],
  [object({ items: list(text), other: list(text) }), "self.items.all(x, x in self.other)"],
  [object({ items: list(text, { "x-kubernetes-list-type": "set" }) }), "self.items.all(x, x in oldSelf.items)"],
  [object({ items: list(text) }), "sets.contains(self.items, ['a'])"],
  [object({ items: list(text) }), "sets.equivalent(self.items, oldSelf.items)"],
  [object({ items: list(text) }), "self.items.isSorted()"],
  [object({ items: list({ type: "integer" }) }), "self.items.sum() > 0"],
  [object({ items: list({ type: "integer" }) }), "self.items.max() > 0"],
  [object({ items: list(text) }), "self.items.indexOf('a') == 0"],
  [object({ items: list(text) }), "self.items.join(',') == 'a'"],
  [object({ u: text }), "url(self.u).getHost() == 'a'"],
  [object({ u: text }), "isURL(self.u)"],
  [object({ u: list(text) }), "self.u.all(x, isURL(x))"],
  [object({ q: list(text) }), "self.q.all(x, isQuantity(x) && quantity(x).isGreaterThan(quantity('1')))"],
  [object({ i: list(text) }), "self.i.all(x, isIP(x))"],
  [object({ i: list(text) }), "self.i.all(x, cidr(x).containsIP('1.2.3.4'))"],
  [object({ d: { type: "string", format: "date-time" } }), "self.d > timestamp('2020-01-01T00:00:00Z')"],
  [object({ d: list({ type: "string", format: "date-time" }) }), "self.d.all(a, self.d.all(b, a <= b))"],
  [object({ d: list({ type: "string", format: "duration" }) }), "self.d.all(a, self.d.all(b, a <= b))"],
  [object({ e: list({ type: "string", enum: ["a", "bb"] }) }), "self.e.all(a, self.e.all(b, a == b))"],
  [object({ b: list({ type: "boolean" }) }), "self.b.all(x, self.b.all(y, x == y))"],
  [object({ name: text }), Array.from({ length: 40 }, () => "self.name.matches('a')").join(" && ")],
  [object({ name: text }), ...Array.from({ length: 12 }, () => "self.name.matches('a')")],
  [
    object({ items: list(short, { maxItems: 60 }) }),
    ...Array.from({ length: 30 }, () => "self.items.all(a, self.items.all(b, a == b))"),
  ],
  [object({ name: text }), "self.name.find('a') == 'b'"],
  [object({ name: text }), "self.name.findAll('a').size() > 1"],
  [object({ name: text }), "self.name.substring(1).contains('a')"],
  [object({ name: text }), "self.name.trim().startsWith('b')"],
  [object({ name: text }), "base64.encode(bytes(self.name)) == 'a'"],
  [object({ name: text }), "string(self.name) == 'a'"],
  [object({ name: text }), "self.name.reverse() == 'a'"],
  [object({ any: { "x-kubernetes-preserve-unknown-fields": true, type: "object" } }), "has(self.any)"],
  [object({ p: { "x-kubernetes-int-or-string": true } }), "self.p == 'a' || self.p == 1"],
  [object({ p: list({ "x-kubernetes-int-or-string": true }) }), "self.p.all(x, self.p.all(y, x == y))"],
  [object({ name: text }), "format.dns1123Label().validate(self.name).hasValue()"],
  [object({ i: list(text) }), "self.i.all(x, ip.isCanonical(x))"],
  [object({ name: text }), "strings.quote(self.name).contains('a')"],
  [object({ n: list(text) }), "self.n.all(x, strings.quote(x).contains('a'))"],
  [object({ n: list(text) }), "lists.range(5).all(x, self.n[x] == 'a')"],
  [object({ n: list(text) }), "self.n.slice(0, 5).all(x, x == 'a')"],
  [object({ n: list(text) }), "self.n.reverse() == self.n"],
  [object({ n: list(text) }), "self.n.distinct().size() == 1"],
  [object({ n: list(text) }), "self.n.sort() == self.n"],
  [object({ n: list(list(text)) }), "self.n.flatten().size() == 1"],
  [object({ n: list(text) }), "self.n.sortBy(x, x.size()) == self.n"],
  [object({ n: list(object({ a: { type: "integer" } })) }), "self.n.sortBy(x, x.a).size() == 1"],
  [object({ n: list(text) }), "self.n.transformList(i, v, v + 'a').all(x, x == 'a')"],
  [object({ n: list(text) }), "self.n.all(i, v, v == 'a' && i < 5)"],
  [object({ m: map(text) }), "self.m.all(k, v, v == k)"],
  [object({ m: map(text) }), "self.m.transformMap(k, v, v + k).size() == 1"],
  [object({ m: map(text) }), "self.m.exists(k, v, v.contains(k))"],
  [object({ name: text }), "optional.of(self.name).optMap(x, x.contains('abc')).orValue(false)"],
  [object({ name: text }), "self.?name.orValue('').contains('abc')"],
  [object({ name: text }), "self.name.contains(self.name)"],
  [object({ names: list(text, { maxItems: 30 }) }), "self.names.all(x, self.names.exists_one(y, y == x))"],
  [
    object({ m: map(object({ l: list(text, { maxItems: 20 }) }), { maxProperties: 20 }) }),
    "self.m.all(k, self.m[k].l.all(x, x.startsWith(k)))",
  ],
  [object({ b: { type: "string", format: "byte" } }), "self.b.size() > 0 && string(self.b).contains('a')"],
  [object({ n: list(text) }), "self.n.map(x, x.size()).sum() > 5"],
  [object({ n: list(text) }), "self.n.map(x, x.size() > 5, x + 'a').all(y, y != 'a')"],
  [object({ n: list(text, { maxItems: 50 }) }), "self.n.filter(x, x != 'a').all(y, y.matches('a'))"],
  [object({ n: list(text, { maxItems: 50 }) }), "(self.n + ['a', 'b']).all(x, x == 'a')"],
  [object({ n: text, f: { type: "boolean" } }), "(self.f ? self.n : 'abc').contains('abcdefgh')"],
  [
    object({ n: list(short, { maxItems: 500 }), k: list(short, { maxItems: 500 }) }),
    "self.n.all(x, self.k.exists(y, y == x) || x in self.k)",
  ],
  [
    {
      ...object({ n: list(text) }),
      "x-kubernetes-validations": [{ rule: "true", messageExpression: "self.n.all(x, x.contains('abc')) ? 'a' : 'b'" }],
    },
  ],
];

function definition(at: number, [spec, ...rules]: (typeof cases)[number]): Json {
  const rule = rules.length === 0 ? {} : { "x-kubernetes-validations": rules.map((each) => ({ rule: each })) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `costs${String(at)}.\${ns}.dev` },
    spec: {
      group: "${ns}.dev",
      scope: "Namespaced",
      names: {
        plural: `costs${String(at)}`,
        singular: `cost${String(at)}`,
        kind: `Cost${String(at)}`,
        listKind: `Cost${String(at)}List`,
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { ...spec, ...rule } } } },
        },
      ],
    },
  };
}

/** Cost limits of rules, estimated when a definition is created. */
export const costs: Topic = {
  name: "costs",
  probes: cases.map(
    (each, at): Probe => ({
      id: `${String(at)} ${(each[1] ?? "inside").slice(0, 60)}`,
      steps: [
        {
          method: "POST",
          path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
          json: definition(at, each),
          ignore: ["/spec", "/metadata", "/status"],
        },
      ],
    }),
  ),
};
