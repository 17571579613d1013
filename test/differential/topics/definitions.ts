import type { Probe, Step, Topic } from "../probe.js";
import { variants } from "./fuzz.js";
import { one } from "./generic.js";
import { patchFor } from "./writes.js";

type Json = Record<string, unknown>;

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Schema that uses every feature once. */
const schema: Json = {
  type: "object",
  description: "d",
  required: ["spec"],
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object", properties: { name: { type: "string", maxLength: 20, pattern: "^[a-z]+$" } } },
    spec: {
      type: "object",
      required: ["size"],
      minProperties: 1,
      maxProperties: 30,
      title: "t",
      example: { a: 1 },
      externalDocs: { description: "d", url: "u" },
      nullable: false,
      properties: {
        size: {
          type: "string",
          enum: ["s", "m"],
          default: "m",
          minLength: 1,
          maxLength: 5,
          pattern: "^[a-z]+$",
          format: "password",
        },
        count: {
          type: "integer",
          format: "int32",
          minimum: 0,
          maximum: 10,
          exclusiveMinimum: true,
          exclusiveMaximum: false,
          multipleOf: 2,
          default: 4,
        },
        ratio: { type: "number", format: "double" },
        flag: { type: "boolean", nullable: true, default: null },
        port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        set: {
          type: "array",
          items: { type: "string", maxLength: 5 },
          "x-kubernetes-list-type": "set",
          maxItems: 3,
          minItems: 0,
        },
        plain: { type: "array", items: { type: "string" }, uniqueItems: false },
        atomic: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "integer" } },
        parts: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name", "kind"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, kind: { type: "string", default: "x" } },
          },
        },
        map: { type: "object", additionalProperties: { type: "string", maxLength: 5 }, maxProperties: 3 },
        any: { type: "object", additionalProperties: true },
        whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "string" } } },
        some: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
          allOf: [{ required: ["a"] }],
          oneOf: [{ required: ["a"] }, { properties: { b: { minLength: 2 } } }],
          not: { required: ["c"] },
        },
        ruled: {
          type: "string",
          maxLength: 10,
          "x-kubernetes-validations": [
            { rule: "self == oldSelf", message: "fixed", reason: "FieldValueForbidden", optionalOldSelf: false },
            { rule: "self != 'x'", messageExpression: "'not ' + self" },
          ],
        },
      },
      "x-kubernetes-validations": [{ rule: "self.size == 'm' || self.size == 's'", message: "m", fieldPath: ".size" }],
    },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
  },
};
const full: Json = {
  spec: {
    group: "def.cf.dev",
    scope: "Namespaced",
    preserveUnknownFields: false,
    names: {
      plural: "things",
      singular: "thing",
      kind: "Thing",
      listKind: "ThingList",
      shortNames: ["th"],
      categories: ["all"],
    },
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1", "v1beta1"],
        clientConfig: { service: { namespace: "n", name: "s", path: "/convert", port: 443 }, caBundle: "" },
      },
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.count",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          { name: "Size", type: "string", format: "byte", description: "d", priority: 1, jsonPath: ".spec.size" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        selectableFields: [{ jsonPath: ".spec.size" }],
      },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: "old",
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
  status: { storedVersions: ["v1"], conditions: [], acceptedNames: { plural: "things", kind: "Thing" } },
};
const named = (body: Json): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.def.cf.dev" },
  ...body,
});
const create = (body: Json): Step => ({ method: "POST", path: `${definitions}?dryRun=All`, json: named(body) });

const path = `${definitions}/things.def.cf.dev`;
const changed = variants(full);

/** Replaces the schema of `spec`. */
const withSchema = (spec: unknown): Json =>
  named({
    spec: {
      group: "def.cf.dev",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  });
const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
const rule = (type: Json, text: string, more: Json = {}): Json =>
  object({ x: { ...type, "x-kubernetes-validations": [{ rule: text, ...more }] } });
const text = { type: "string", maxLength: 10 };
const list = { type: "array", maxItems: 5, items: text };

/** Schemas with one error, or close to one. */
const schemas: readonly unknown[] = [
  {},
  { type: "" },
  { type: "null" },
  { type: "object", items: {} },
  { type: "array" },
  { type: "array", items: [{ type: "string" }] },
  { type: "object", additionalProperties: false },
  { type: "object", additionalProperties: { type: "string" }, properties: { a: { type: "string" } } },
  { type: "object", patternProperties: { a: { type: "string" } } },
  { $ref: "#/x" },
  { type: "object", definitions: { a: {} } },
  { type: "object", dependencies: { a: ["b"] } },
  { type: "object", additionalItems: true },
  { type: "array", uniqueItems: true, items: { type: "string" } },
  { type: "object", id: "x" },
  { type: "object", $schema: "x" },
  object({ a: { anyOf: [{ type: "string" }, { type: "integer" }] } }),
  object({ a: { type: "string", anyOf: [{ default: "x" }] } }),
  object({ a: { type: "object", allOf: [{ properties: { b: { type: "string" } } }] } }),
  object({ a: { type: "object", not: { properties: { b: {} } } } }),
  object({ a: { type: "object", oneOf: [{ nullable: true }] } }),
  object({ a: { type: "object", anyOf: [{ description: "x" }, { title: "y" }] } }),
  object({ a: { "x-kubernetes-int-or-string": true, type: "string" } }),
  object({ a: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] } }),
  object({
    a: {
      "x-kubernetes-int-or-string": true,
      allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }],
    },
  }),
  object({ a: { "x-kubernetes-int-or-string": true, default: true } }),
  object({ a: { "x-kubernetes-int-or-string": true, maxLength: 3 } }),
  object({ a: { "x-kubernetes-preserve-unknown-fields": false } }),
  object({ a: { "x-kubernetes-preserve-unknown-fields": true } }),
  object({ a: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "string" } } }),
  object({ a: { "x-kubernetes-embedded-resource": true, type: "object" } }),
  object({ a: { "x-kubernetes-embedded-resource": true, type: "string" } }),
  object({ a: { "x-kubernetes-embedded-resource": true, type: "object", properties: { spec: { type: "object" } } } }),
  object({
    a: {
      "x-kubernetes-embedded-resource": true,
      type: "object",
      properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
    },
  }),
  object({ a: { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } } }),
  object({
    a: { type: "array", "x-kubernetes-list-type": "set", items: { type: "array", items: { type: "string" } } },
  }),
  object({
    a: { type: "array", "x-kubernetes-list-type": "set", items: { type: "object", "x-kubernetes-map-type": "atomic" } },
  }),
  object({ a: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } } }),
  object({
    a: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object" },
    },
  }),
  object({
    a: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "a"],
      items: object({ a: { type: "string" } }, { required: ["a"] }),
    },
  }),
  object({
    a: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: object({ a: { type: "object" } }, { required: ["a"] }),
    },
  }),
  object({
    a: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: object({ a: { type: "string", nullable: true } }, { required: ["a"] }),
    },
  }),
  object({
    a: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: object({ a: { type: "string" } }),
    },
  }),
  object({ a: { type: "array", "x-kubernetes-list-map-keys": ["a"], items: { type: "string" } } }),
  object({ a: { type: "object", "x-kubernetes-list-type": "atomic" } }),
  object({ a: { type: "array", "x-kubernetes-map-type": "atomic", items: { type: "string" } } }),
  object({ a: { type: "array", "x-kubernetes-list-type": "bogus", items: { type: "string" } } }),
  object({ a: { type: "string", default: 1 } }),
  object({ a: { type: "string", default: null } }),
  object({ a: { type: "string", nullable: true, default: null } }),
  object({ a: { type: "string", maxLength: 2, default: "long" } }),
  object({ a: object({ b: { type: "string", default: "x" } }, { default: {} }) }),
  object({ a: object({ b: { type: "string" } }, { default: { c: 1 } }) }),
  object({ a: object({ b: { type: "string" } }, { default: { b: 1 } }) }),
  object({ a: object({ b: { type: "string" } }, { required: ["b"], default: {} }) }),
  object({ a: { type: "array", items: { type: "string" }, default: [1] } }),
  object({ a: { type: "array", items: { type: "string", default: "x" }, default: [null] } }),
  object({ a: { type: "string", default: "x", enum: ["y"] } }),
  object({ a: { type: "string", format: "date", default: "x" } }),
  object({ a: { type: "integer", default: 1.5 } }),
  object({ a: { type: "number", default: 1 } }),
  object({ a: { type: "string", pattern: "(" } }),
  object({ a: { type: "string", pattern: "(?=a)" } }),
  object({ a: { type: "string", format: "bogus" } }),
  object({ a: { type: "string", minLength: -1 } }),
  object({ a: { type: "integer", multipleOf: 0 } }),
  object({ a: { type: "integer", multipleOf: -1 } }),
  object({ a: { type: "integer", minimum: 5, maximum: 1 } }),
  object({ a: { type: "integer", exclusiveMinimum: true } }),
  object({ a: { type: "string", enum: [] } }),
  object({ a: { type: "string", enum: [1] } }),
  object({ a: { type: "string", enum: ["a", "a"] } }),
  object({ "": { type: "string" } }),
  object({ "a b": { type: "string" } }),
  object({ a: object({ b: { type: "string" } }, { required: ["c"] }) }),
  object({ a: object({ b: { type: "string" } }, { required: ["b", "b"] }) }),
  object({ a: { type: "bogus" } }),
  object({ a: { type: "Object" } }),
  object({ a: { type: ["string"] } }),
  object({ a: null }),
  object({ a: true }),
  rule(text, ""),
  rule(text, "self"),
  rule(text, "self == 1"),
  rule(text, "self.x"),
  rule(text, "bogus"),
  rule(text, "self =="),
  rule(text, "oldSelf == self"),
  rule(text, "true", { message: "" }),
  rule(text, "true", { message: "a\nb" }),
  rule(text, "true", { message: " " }),
  rule(text, "true", { messageExpression: "1" }),
  rule({ type: "integer" }, "true", { messageExpression: "string(self)" }),
  rule({ type: "integer" }, "self >= oldSelf", {
    messageExpression: "'from ' + string(oldSelf) + ' to ' + string(self)",
  }),
  rule({ type: "string" }, "true", { messageExpression: "'is ' + self" }),
  rule({ type: "array", items: { type: "string" } }, "true", { messageExpression: "self.join(',')" }),
  rule({ type: "string" }, "true", { messageExpression: "self.matches('a+') ? 'a' : 'b'" }),
  rule(text, "true", { messageExpression: "self +" }),
  rule(text, "true", { messageExpression: "" }),
  rule(text, "true", { reason: "Bogus" }),
  rule(text, "true", { reason: "FieldValueRequired" }),
  rule(text, "true", { fieldPath: ".x" }),
  rule(text, "true", { fieldPath: "x" }),
  rule(text, "self == oldSelf", { optionalOldSelf: true }),
  rule(text, "oldSelf.hasValue()", { optionalOldSelf: true }),
  rule(text, "true", { optionalOldSelf: true }),
  rule(text, "true", { message: "x".repeat(3000) }),
  rule({ type: "string" }, "self.matches('^a+$')"),
  rule({ type: "string" }, "self.contains('a')"),
  rule({ type: "array", items: { type: "string" } }, "self.all(x, self.all(y, x == y))"),
  rule({ type: "array", items: { type: "string" } }, "self.all(x, x.matches('a'))"),
  rule(
    { type: "array", items: { type: "array", items: { type: "array", items: { type: "string" } } } },
    "self.all(x, x.all(y, y.all(z, z == 'a')))",
  ),
  rule(list, "self.all(x, x == 'a')"),
  rule(list, "self[0]"),
  rule(list, "self.map(x, x) == self"),
  rule(list, "self == oldSelf"),
  rule({ ...list, "x-kubernetes-list-type": "set" }, "self == oldSelf"),
  object({ x: { ...list, items: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } } }),
  object({
    x: {
      type: "array",
      maxItems: 5,
      items: { type: "object", properties: { a: text }, "x-kubernetes-validations": [{ rule: "self.a == oldSelf.a" }] },
    },
  }),
  object({
    x: { type: "object", additionalProperties: { ...text, "x-kubernetes-validations": [{ rule: "self == 'a'" }] } },
  }),
  object({
    x: {
      type: "object",
      maxProperties: 3,
      additionalProperties: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
    },
  }),
  rule({ type: "object", properties: { a: text, b: { type: "integer" } } }, "self.a == 'x' && self.b > 1"),
  rule({ type: "object", properties: { a: text } }, "self.c"),
  rule({ type: "object", properties: { a: text } }, "true", { fieldPath: ".a" }),
  rule({ type: "object", properties: { a: text } }, "true", { fieldPath: ".b" }),
  rule({ type: "object", properties: { a: text } }, "true", { fieldPath: "['a']" }),
  rule({ type: "object", properties: { a: text } }, "true", { fieldPath: ".a.b" }),
  rule({ type: "object", properties: { a: text } }, "true", { fieldPath: "" }),
  rule({ type: "object", properties: { l: list } }, "true", { fieldPath: ".l[0]" }),
  rule({ type: "object", maxProperties: 2, additionalProperties: text }, "true", { fieldPath: "['k']" }),
  rule({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, "self.a == 1"),
  rule({ "x-kubernetes-int-or-string": true }, "type(self) == int ? self > 1 : self == 'x'"),
  rule({ "x-kubernetes-int-or-string": true }, "self == 'x'"),
  rule({ type: "string", format: "date-time", maxLength: 30 }, "self.getFullYear() > 2000"),
  rule({ type: "string", format: "duration", maxLength: 30 }, "self > duration('1h')"),
  rule({ type: "string", format: "byte", maxLength: 30 }, "self == b'a'"),
  rule(
    { type: "object", properties: { in: text, "a-b": text, "a.b": text, "a/b": text, __x: text } },
    "self.__in__ == 'a' && self.a__dash__b == 'b' && self.a__dot__b == 'c' && self.a__slash__b == 'd' && self.__underscores__x == 'e'",
  ),
  rule({ type: "object", properties: { in: text } }, "self.in == 'a'"),
  rule({ type: "string", enum: ["a", "b"] }, "self == 'c'"),
  rule(
    { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: object({ a: text }) } },
    "self.kind == 'a' && self.metadata.name == 'b' && self.spec.a == 'c'",
  ),
  rule({ type: "string", nullable: true, maxLength: 4 }, "self == null"),
  rule({ type: "number" }, "self > 1"),
  rule({ type: "number" }, "self > 1.0"),
  rule({ type: "boolean" }, "self"),
];

/** Changes that make a whole definition invalid in one way. */
const wholes: readonly (readonly [name: string, change: (definition: Json) => void])[] = (
  [
    ["no-storage", { versions: [{ storage: false }] }],
    ["two-storages", { versions: [{}, { storage: true }] }],
    ["none-served", { versions: [{ served: false }, { served: false }] }],
    ["same-names", { versions: [{ name: "v1beta1" }] }],
    ["no-versions", { versions: null }],
    ["bad-version", { versions: [{ name: "V1" }] }],
    ["reserved-group", { group: "x.k8s.io" }],
    ["no-schema", { versions: [{ schema: null }] }],
    ["empty-schema", { versions: [{ schema: {} }] }],
    ["preserve", { preserveUnknownFields: true }],
    ["strategy-none", { conversion: { strategy: "None" } }],
    ["no-webhook", { conversion: { webhook: null } }],
    ["url-and-service", { conversion: { webhook: { clientConfig: { url: "https://x.example" } } } }],
    ["url", { conversion: { webhook: { clientConfig: { service: null, url: "http://x.example" } } } }],
    ["url-query", { conversion: { webhook: { clientConfig: { service: null, url: "https://u:p@x.example/?a#b" } } } }],
    ["review-versions", { conversion: { webhook: { conversionReviewVersions: ["v3"] } } }],
    ["scale-array", { versions: [{ subresources: { scale: { specReplicasPath: ".spec.parts[0].x" } } }] }],
    ["scale-status", { versions: [{ subresources: { scale: { specReplicasPath: ".status.x" } } }] }],
  ] as const
).map(([name, spec]) => [
  name,
  (definition) => {
    mergeInto(definition["spec"] as Json, spec);
  },
]);

function mergeInto(target: Json, change: unknown): void {
  for (const [key, value] of Object.entries(change as Json)) {
    if (value === null) delete target[key];
    else if (typeof value === "object" && typeof target[key] === "object" && target[key] !== null)
      mergeInto(target[key] as Json, value);
    else target[key] = value;
  }
}

/** Definitions of custom resources with one error, new and stored. */
export const definitionProbes: Topic = {
  name: "definition",
  probes: [
    ...changed.map(([name, body]) => one(`create/${name}`, create(body))),
    ...schemas.map((each, at) =>
      one(`schema/${String(at)} ${JSON.stringify(each).slice(0, 120)}`, {
        method: "POST",
        path: `${definitions}?dryRun=All`,
        json: withSchema(each),
      }),
    ),
    ...wholes.map(([name, change]): Probe => {
      const copy = structuredClone(full);
      change(copy);
      return one(`whole/${name}`, create(copy));
    }),
    ...["things", "things.def.cf", "Things.def.cf.dev", "things.def.cf.dev.", "x.def.cf.dev"].map((name) =>
      one(`name/${name}`, {
        method: "POST",
        path: `${definitions}?dryRun=All`,
        json: { ...named(full), metadata: { name } },
      }),
    ),
    one("first", { method: "POST", path: definitions, json: named(full) }),
    ...changed.map(([name, body]) =>
      one(
        `update/${name}`,
        { method: "GET", path, silent: true, capture: { rv: "/metadata/resourceVersion" } },
        {
          method: "PUT",
          path: `${path}?dryRun=All`,
          json: { ...named(body), metadata: { name: "things.def.cf.dev", resourceVersion: "${rv}" } },
        },
      ),
    ),
    ...changed
      .filter(([name]) => name.startsWith("status"))
      .map(([name, body]) =>
        one(`status/${name}`, { method: "PUT", path: `${path}/status?dryRun=All`, json: named(body) }),
      ),
    one(
      "status/more",
      ...[
        { storedVersions: [] },
        { storedVersions: ["v2"] },
        { storedVersions: ["v1beta1"] },
        { storedVersions: ["v1", "v1"] },
        { storedVersions: ["v1beta1", "v1"] },
      ].map((status) => patchFor(`${path}/status`, "merge", { status }, "&dryRun=All")),
    ),
    one("last", { method: "DELETE", path, silent: true }),
  ],
};
