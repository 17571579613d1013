import type { Draw } from "./draw.js";

type Json = Record<string, unknown>;

const names = ["a", "b", "c", "d", "in", "x-y"];
const formats = [
  "date",
  "date-time",
  "duration",
  "byte",
  "ipv4",
  "uuid",
  "uri",
  "k8s-short-name",
  "password",
  "bogus",
  "int32",
];
const odd: readonly unknown[] = [
  null,
  "",
  "a",
  "b",
  "bad",
  "aaaa",
  "2001-01-01",
  "2001-01-01T00:00:00Z",
  "1h",
  "YQ==",
  0,
  -1,
  4,
  7,
  1.5,
  5_000_000_000,
  true,
  false,
  [],
  {},
  ["a", "a"],
  [1],
  [null],
  [{ k: "a" }, { k: "a" }],
  { a: 1 },
  { a: "a" },
  { a: null },
  { zz: 1 },
  { apiVersion: "v1", kind: "Pod", metadata: { name: "x", bogus: 1 } },
];

const texts = ["a", "b", "aa", "ab", "c", "bad", "2001-01-01"];

/** Validation rules by type, from simple ones to transition rules. */
const rules: Readonly<Record<string, readonly string[]>> = {
  string: [
    "self != 'bad'",
    "self.size() < 3",
    "self.startsWith('a')",
    "self == oldSelf",
    "self >= oldSelf",
    "oldSelf.hasValue() || self == 'a'",
    "self.size() > 1 ? self.charAt(0) == 'a' : true",
  ],
  integer: [
    "self < 5",
    "self >= oldSelf",
    "self % 2 == 0",
    "oldSelf.orValue(0) <= self",
    "10 / self > 1",
    "self < 100",
  ],
  number: ["self < 5.0", "self >= oldSelf"],
  boolean: ["self", "self == oldSelf", "!self || oldSelf.orValue(true)"],
  array: [
    "self.size() < 3",
    "self == oldSelf",
    "self.all(x, x == self[0])",
    "self.exists_one(x, x == self[0])",
    "self[1] == self[0]",
    "oldSelf.hasValue()",
  ],
  object: [
    "has(self.a)",
    "!has(self.b) || has(self.a)",
    "self == oldSelf",
    "has(self.a) == has(oldSelf.a)",
    "!has(self.a) || self.a == self.a",
    "self.a == oldSelf.a",
    "oldSelf.hasValue()",
  ],
  map: ["self.all(k, k != 'a')", "self.size() < 3", "self == oldSelf", "!('b' in self)", "self.exists(k, k == 'a')"],
};

function ruled(draw: Draw, schema: Json): Json {
  if (!draw.chance(0.3)) return schema;
  const fields = Object.keys((schema["properties"] ?? {}) as Json);
  if (
    schema["type"] === "object" &&
    schema["additionalProperties"] === undefined &&
    (!fields.includes("a") || !fields.includes("b")) &&
    draw.chance(0.9)
  )
    return schema;
  const scalar = schema["type"] === "string" || schema["type"] === "integer";
  const own = rules[schema["additionalProperties"] === undefined ? String(schema["type"]) : "map"] ?? [
    "type(self) == int || self == 'a'",
    "self == oldSelf",
  ];
  const made = Array.from({ length: draw.pick([1, 1, 2]) }, () => {
    const rule = draw.pick(own);
    const optional = /oldSelf\.(hasValue|orValue)/.test(rule)
      ? { optionalOldSelf: true }
      : draw.put(0.05, () => ({ optionalOldSelf: rule.includes("oldSelf") }));
    return {
      rule,
      ...optional,
      ...draw.put(0.3, () => ({ message: draw.pick(["told so", " told ", "x"]) })),
      ...draw.put(0.25, () => ({
        messageExpression: draw.pick([
          ...(scalar ? ["'made of ' + string(self)"] : []),
          "'made'",
          "''",
          "oldSelf == self ? 'same' : 'other'",
          "'a\\nb'",
        ]),
      })),
      ...draw.put(0.25, () => ({
        reason: draw.pick(["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]),
      })),
      ...draw.put(fields.length > 0 ? 0.25 : 0.01, () => ({
        fieldPath: draw.chance(0.05) ? ".a.b" : `.${draw.pick(fields)}`,
      })),
    };
  });
  return { ...schema, "x-kubernetes-validations": made };
}

function text(draw: Draw): Json {
  return {
    type: "string",
    maxLength: draw.pick([1, 2, 3, 5, 20]),
    ...draw.put(0.15, () => ({ minLength: draw.pick([1, 2]) })),
    ...draw.put(0.15, () => ({ pattern: draw.pick(["^a+$", "^[a-c]*$", "b"]) })),
    ...draw.put(0.2, () => ({ enum: draw.pick([["a", "b"], ["a"], ["a", null], ["b", "bad", "2001-01-01"]]) })),
    ...draw.put(0.15, () => ({ format: draw.pick(formats) })),
    ...draw.put(0.2, () => ({ default: draw.pick(["a", "a", "a", "a", "b", "ab", null, draw.chance(0.2) ? 1 : "a"]) })),
  };
}

function number(draw: Draw, type: string): Json {
  return {
    type,
    ...draw.put(0.3, () => ({ minimum: draw.pick([0, 1, -1, 0.5]) })),
    ...draw.put(0.3, () => ({ maximum: draw.pick([5, 7, 4.5]) })),
    ...draw.put(0.1, () => ({ exclusiveMinimum: true })),
    ...draw.put(0.1, () => ({ exclusiveMaximum: true })),
    ...draw.put(0.15, () => ({ multipleOf: draw.pick([2, 1, 0.5]) })),
    ...draw.put(0.2, () => ({ format: draw.pick(["int32", "int64", "float", "double", "bogus"]) })),
    ...draw.put(0.1, () => ({
      enum: draw.pick([
        [1, 2, 4],
        [1.5, 7],
      ]),
    })),
    ...draw.put(0.2, () => ({ default: draw.pick([1, 2, 4, 1.5, null]) })),
  };
}

function list(draw: Draw, depth: number): Json {
  const type = draw.pick([undefined, "atomic", "set", "map", "map"]);
  const bounds = { maxItems: draw.pick([2, 3, 5]), ...draw.put(0.15, () => ({ minItems: 1 })) };
  if (type === "map") {
    const keys = draw.chance(0.3) ? ["k", "n"] : ["k"];
    const item = object(draw, depth - 1, {
      k: draw.pick([{ type: "string", maxLength: 5 }, { type: "integer" }]),
      ...(keys.length > 1 ? { n: { type: "string", maxLength: 5, default: "x" } } : {}),
    });
    return {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": keys,
      items: { ...item, required: [...new Set(["k", ...((item["required"] as string[] | undefined) ?? [])])] },
      ...bounds,
    };
  }
  const items =
    type === "set"
      ? draw.pick([
          text(draw),
          { type: "integer" },
          { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "string", maxLength: 3 } } },
        ])
      : randomSchema(draw, depth - 1);
  return {
    type: "array",
    items,
    ...bounds,
    ...(type === undefined ? {} : { "x-kubernetes-list-type": type }),
    ...draw.put(0.1, () => ({ default: draw.pick([[], ["a"], null]) })),
  };
}

/** Creates a rule for a field. */
function condition(draw: Draw): Json {
  return draw.pick<Json>([
    { minLength: 2 },
    { maxLength: 1 },
    { pattern: "^a" },
    { enum: ["a", 1] },
    { minimum: 2 },
    { maximum: 3 },
    { minItems: 1 },
    { maxProperties: 1 },
    { format: "date" },
    { not: { enum: ["b", 4] } },
    { required: ["a"] },
    { anyOf: [{ minLength: 2 }, { enum: ["a"] }] },
  ]);
}

function conditions(draw: Draw, fields: readonly string[]): Json {
  const one = (): Json =>
    fields.length === 0 || draw.chance(0.3)
      ? draw.pick<Json>([{ minProperties: 1 }, { maxProperties: 2 }, { required: ["a"] }])
      : draw.chance(0.4)
        ? { required: [draw.pick(fields)] }
        : { properties: { [draw.pick(fields)]: condition(draw) } };
  return {
    ...draw.put(0.12, () => ({ allOf: [one(), one()] })),
    ...draw.put(0.15, () => ({ anyOf: [one(), one()] })),
    ...draw.put(0.15, () => ({ oneOf: [one(), one()] })),
    ...draw.put(0.12, () => ({ not: one() })),
  };
}

function object(draw: Draw, depth: number, own: Json = {}): Json {
  const properties: Json = { ...own };
  for (const name of draw.some(names, 0.45)) properties[name] = randomSchema(draw, depth - 1);
  const fields = Object.keys(properties);
  return ruled(draw, {
    type: "object",
    ...(fields.length === 0 ? {} : { properties }),
    ...draw.put(0.3, () => ({ required: draw.some(draw.chance(0.1) ? names : fields, 0.4) })),
    ...draw.put(0.15, () => ({ "x-kubernetes-preserve-unknown-fields": true })),
    ...draw.put(0.1, () => ({ "x-kubernetes-map-type": draw.pick(["atomic", "granular"]) })),
    ...draw.put(0.1, () => ({ minProperties: 1 })),
    ...draw.put(0.1, () => ({ maxProperties: draw.pick([1, 2, 3]) })),
    ...draw.put(0.1, () => ({ default: draw.pick([{}, {}, {}, null]) })),
    ...conditions(draw, fields),
  });
}

function map(draw: Draw, depth: number): Json {
  return ruled(draw, {
    type: "object",
    additionalProperties: draw.chance(0.1) ? true : randomSchema(draw, depth - 1),
    maxProperties: draw.pick([2, 3]),
  });
}

const nested: Json = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  properties: { spec: { type: "object", properties: { a: { type: "string", maxLength: 3 } } } },
};

/** Creates a schema that is structural most of the time. */
export function randomSchema(draw: Draw, depth: number): Json {
  const schema = draw.weighted<Json>([
    [6, () => ruled(draw, text(draw))],
    [3, () => ruled(draw, number(draw, "integer"))],
    [1, () => ruled(draw, number(draw, "number"))],
    [1, () => ruled(draw, { type: "boolean", ...draw.put(0.3, () => ({ default: draw.pick([true, false]) })) })],
    [depth > 0 ? 4 : 0, () => object(draw, depth)],
    [depth > 0 ? 2 : 0, () => map(draw, depth)],
    [depth > 0 ? 4 : 0, () => ruled(draw, list(draw, depth))],
    [
      1,
      () =>
        ruled(draw, {
          "x-kubernetes-int-or-string": true,
          ...draw.put(0.3, () => ({ anyOf: [{ type: "integer" }, { type: "string" }] })),
          ...draw.put(0.3, () => ({ maxLength: 3, maximum: 5 })),
          ...draw.put(0.2, () => ({ pattern: "^a" })),
        }),
    ],
    [
      1,
      () => ({
        "x-kubernetes-preserve-unknown-fields": true,
        ...draw.put(0.6, () => ({ type: "object" })),
        ...draw.put(0.3, () => ({
          properties: {
            a: { type: "string", maxLength: 2 },
            b: { type: "object", properties: { a: { type: "string" } } },
          },
        })),
      }),
    ],
    [1, () => ({ ...nested, ...draw.put(0.4, () => ({ "x-kubernetes-preserve-unknown-fields": true })) })],
  ]);
  return draw.chance(0.12) ? { ...schema, nullable: true } : schema;
}

/** Creates a value that mostly conforms to a schema. */
export function randomValue(draw: Draw, schema: Json | true | undefined, faults: number): unknown {
  if (draw.chance(faults) || schema === undefined || schema === true) return draw.pick(odd);
  const {
    properties,
    additionalProperties,
    items,
    enum: values,
  } = schema as {
    properties?: Record<string, Json>;
    additionalProperties?: Json | true;
    items?: Json;
    enum?: unknown[];
  };
  if (schema["nullable"] === true && draw.chance(0.2)) return null;
  if (values !== undefined && draw.chance(0.8)) return draw.pick(values);
  if (schema["x-kubernetes-embedded-resource"] === true)
    return {
      apiVersion: "v1",
      kind: "Pod",
      ...draw.put(0.5, () => ({
        metadata: draw.pick<Json>([
          { name: "x" },
          { name: "x", labels: { a: "b" } },
          { creationTimestamp: "x" },
          { labels: { "b d": "x" } },
          { name: "x", bogus: 1 },
        ]),
      })),
      ...draw.put(0.6, () => ({ spec: { a: draw.pick(texts) } })),
    };
  switch (schema["type"]) {
    case "string":
      return draw.pick(texts);
    case "integer":
      return draw.pick([0, 1, 2, 3, 4, 5, 6, 7]);
    case "number":
      return draw.pick([0, 1, 1.5, 2, 4.5, 7]);
    case "boolean":
      return draw.chance(0.5);
    case "array":
      return Array.from({ length: draw.pick([0, 1, 1, 2, 2, 3]) }, () => randomValue(draw, items, faults));
    case "object": {
      const object: Json = {};
      for (const [name, property] of Object.entries(properties ?? {}))
        if (draw.chance(0.7)) object[name] = randomValue(draw, property, faults);
      if (additionalProperties !== undefined)
        for (const name of draw.some(names, 0.3)) object[name] = randomValue(draw, additionalProperties, faults);
      if (draw.chance(0.06)) object[draw.pick(["zz", "a", "metadata"])] = draw.pick(odd);
      return object;
    }
    default:
      return schema["x-kubernetes-int-or-string"] === true ? draw.pick(["a", 1, "ab", 7]) : draw.pick(odd);
  }
}

/** Returns the value with one change. */
export function changedValue(draw: Draw, value: unknown, schema: Json | true | undefined, faults: number): unknown {
  const known = schema === true ? undefined : schema;
  if (Array.isArray(value) && value.length > 0 && draw.chance(0.8)) {
    const list: unknown[] = value.slice();
    const items = known?.["items"] as Json | undefined;
    const at = Math.floor(draw.number() * list.length);
    switch (draw.pick(["change", "change", "remove", "add", "turn"])) {
      case "remove":
        return list.toSpliced(at, 1);
      case "add":
        return [...list, randomValue(draw, items, faults)];
      case "turn":
        return list.reverse();
      default:
        return list.with(at, changedValue(draw, list[at], items, faults));
    }
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && draw.chance(0.9)) {
    const object = { ...(value as Json) };
    const properties = (known?.["properties"] ?? {}) as Record<string, Json>;
    const keys = Object.keys(object);
    const name = keys.length > 0 && draw.chance(0.75) ? draw.pick(keys) : draw.pick([...Object.keys(properties), "zz"]);
    const below = properties[name] ?? (known?.["additionalProperties"] as Json | true | undefined);
    if (Object.hasOwn(object, name) && draw.chance(0.2)) Reflect.deleteProperty(object, name);
    else
      object[name] = Object.hasOwn(object, name)
        ? changedValue(draw, object[name], below, faults)
        : randomValue(draw, below, faults);
    return object;
  }
  return randomValue(draw, known, faults);
}

/** Returns the schema with one field replaced. */
export function changedSchema(draw: Draw, schema: Json, depth: number): Json {
  const properties = schema["properties"] as Record<string, Json> | undefined;
  const keys = Object.keys(properties ?? {});
  if (keys.length === 0 || draw.chance(0.2))
    return draw.chance(0.5) ? object(draw, depth) : ruled(draw, { ...schema, ...conditions(draw, keys) });
  const name = draw.pick(keys);
  const old = properties![name]!;
  const changed =
    old["type"] === "object" && old["properties"] !== undefined && draw.chance(0.6)
      ? changedSchema(draw, old, depth - 1)
      : old["type"] === "string"
        ? { ...old, ...ruled(draw, text(draw)) }
        : old["type"] === "array"
          ? { ...old, maxItems: draw.pick([1, 2]), ...ruled(draw, { type: "array" }) }
          : randomSchema(draw, depth - 1);
  return { ...schema, properties: { ...properties, [name]: changed } };
}
