import { describe, expect, it } from "vitest";
import type { ObjectOf } from "../../../src/meta/kind.js";
import type { StandardSchema } from "../../../src/meta/standard-schema.js";
import { defineKindFromSchema } from "../../../src/objects/schema/define-kind-from-schema.js";

const validator = <T extends object>(jsonSchema?: object): StandardSchema<T, T> =>
  ({
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: T) => ({ value }),
      ...(jsonSchema && { jsonSchema: { input: () => jsonSchema } }),
    },
  }) as unknown as StandardSchema<T, T>;
const names = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" } as const;

/** Converts the schema of one field. */
function convert(field: object, more: object = {}): unknown {
  const jsonSchema = { type: "object", properties: { spec: { type: "object", properties: { field } } }, ...more };
  const { definition } = defineKindFromSchema({ ...names, schema: validator(jsonSchema) });
  const { openAPIV3Schema } = definition.spec.versions[0]!.schema!;
  return openAPIV3Schema?.properties?.["spec"]?.properties?.["field"];
}

const text = { type: "string" };
const whole = { type: "integer" };

describe("the structural schema of a validator", () => {
  it.each<[string, object, object]>([
    [
      "keeps annotations, limits and extensions",
      { ...text, description: "d", minLength: 1, "x-kubernetes-map-type": "atomic", $comment: "c" },
      { type: "string", description: "d", minLength: 1, "x-kubernetes-map-type": "atomic" },
    ],
    ["makes a type with null nullable", { type: ["string", "null"] }, { type: "string", nullable: true }],
    [
      "makes a union with null nullable",
      { anyOf: [{ ...whole, minimum: 1 }, { type: "null" }] },
      { type: "integer", minimum: 1, nullable: true },
    ],
    ["keeps an integer or a text", { anyOf: [whole, text] }, { "x-kubernetes-int-or-string": true }],
    [
      "turns exclusive bounds into flags",
      { type: "number", exclusiveMinimum: 0, minimum: -1, maximum: 5 },
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 5 },
    ],
    ["drops the bounds of safe integers", { ...whole, minimum: -9007199254740991, maximum: 9007199254740991 }, whole],
    ["turns a constant into an enumeration", { const: "a" }, { type: "string", enum: ["a"] }],
    [
      "joins constants",
      {
        anyOf: [
          { ...text, const: "a" },
          { ...text, const: "b" },
        ],
      },
      { type: "string", enum: ["a", "b"] },
    ],
    [
      "keeps alternatives of a text",
      {
        anyOf: [
          { ...text, maxLength: 3 },
          { ...text, pattern: "^x" },
        ],
      },
      { type: "string", anyOf: [{ maxLength: 3 }, { pattern: "^x" }] },
    ],
    [
      "closes no objects",
      { type: "object", properties: { a: text }, additionalProperties: false, required: ["a"] },
      { type: "object", properties: { a: text }, required: ["a"] },
    ],
    [
      "keeps unknown fields of open objects",
      { type: "object", properties: { a: text }, additionalProperties: {} },
      { type: "object", properties: { a: text }, "x-kubernetes-preserve-unknown-fields": true },
    ],
    ["keeps any value", {}, { "x-kubernetes-preserve-unknown-fields": true }],
    [
      "keeps records",
      { type: "object", propertyNames: text, additionalProperties: whole },
      { type: "object", additionalProperties: whole },
    ],
    [
      "turns conditions of keys into a rule",
      { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: whole, required: ["a"] },
      {
        type: "object",
        additionalProperties: whole,
        "x-kubernetes-validations": [
          { rule: '"a" in self', message: 'the key "a" is required' },
          { rule: 'self.all(key, key in ["a", "b"])', message: "a key is not valid" },
        ],
      },
    ],
    [
      "turns unique items into a set",
      { type: "array", items: text, uniqueItems: true },
      { type: "array", items: text, "x-kubernetes-list-type": "set" },
    ],
    [
      "merges intersections",
      {
        allOf: [
          { type: "object", properties: { a: text }, required: ["a"] },
          { type: "object", properties: { b: whole } },
        ],
      },
      { type: "object", properties: { a: text, b: whole }, required: ["a"] },
    ],
    [
      "merges unions of objects",
      {
        oneOf: [
          { type: "object", properties: { type: { ...text, const: "x" }, x: text }, required: ["type", "x"] },
          { type: "object", properties: { type: { ...text, const: "y" }, y: whole }, required: ["type"] },
        ],
      },
      {
        type: "object",
        properties: { type: { type: "string", enum: ["x", "y"] }, x: text, y: whole },
        required: ["type"],
        oneOf: [
          { required: ["type", "x"], properties: { type: { enum: ["x"] } } },
          { required: ["type"], properties: { type: { enum: ["y"] } } },
        ],
      },
    ],
    [
      "drops formats that the server doesn't check",
      { ...text, format: "duration", pattern: "^P" },
      { type: "string", pattern: "^P" },
    ],
    [
      "drops a pattern of a known format that Go can't read",
      { ...text, format: "email", pattern: "^(?!a)" },
      { type: "string", format: "email" },
    ],
  ])("%s", (_, field, expected) => {
    expect(convert(field)).toEqual(expected);
  });

  it("replaces references", () => {
    expect(convert({ $ref: "#/$defs/a", description: "d" }, { $defs: { a: text } })).toEqual({
      type: "string",
      description: "d",
    });
  });

  it.each<[string, object, string]>([
    ["tuples", { type: "array", prefixItems: [text] }, "spec.field is a tuple"],
    ["recursion", { $ref: "#/$defs/node" }, "spec.field.children[] is recursive"],
    ["references to nothing", { $ref: "#/$defs/none" }, 'spec.field refers to "#/$defs/none", which doesn\'t exist'],
    ["unions of types", { anyOf: [text, { type: "boolean" }] }, "spec.field can be string or boolean"],
    ["lookarounds", { ...text, pattern: "^(?!a)" }, "spec.field has the pattern ^(?!a)"],
    ["backreferences", { ...text, pattern: "(a)\\1" }, "spec.field has the pattern"],
    ["negations", { not: {} }, "spec.field is a negation"],
    ["null alone", { type: "null" }, "spec.field can only be null"],
    [
      "records with properties",
      { type: "object", properties: { a: text }, additionalProperties: text },
      "spec.field has both properties",
    ],
    [
      "contradicting intersections",
      {
        allOf: [
          { type: "object", properties: { a: text } },
          { type: "object", properties: { a: whole } },
        ],
      },
      "spec.field.a is an intersection of schemas with different type",
    ],
    [
      "sets of objects",
      { type: "array", uniqueItems: true, items: { type: "object", properties: { a: text } } },
      "spec.field has unique items",
    ],
  ])("refuses %s and names the field", (_, field, message) => {
    const node = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } };
    expect(() => convert(field, { $defs: { node } })).toThrow(message);
  });
});

describe("a kind from a validator", () => {
  interface Widget {
    readonly metadata?: object;
    readonly spec: { readonly size: number };
    readonly status?: { readonly ready: boolean };
  }
  const schema = validator<Widget>({
    type: "object",
    properties: {
      metadata: { type: "object" },
      spec: { type: "object", properties: { size: whole }, required: ["size"] },
      status: { type: "object", properties: { ready: { type: "boolean" } } },
    },
    required: ["metadata", "spec", "status"],
  });

  it("has types, names, columns, rules and subresources in one place", () => {
    const Widget = defineKindFromSchema({
      ...names,
      schema,
      scale: true,
      shortNames: ["wd"],
      columns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
      rules: { "": [{ rule: "has(self.spec)" }], "spec.size": [{ rule: "self > 0" }] },
    });
    const object: ObjectOf<typeof Widget> = { metadata: { name: "a" }, spec: { size: 1 } };
    // @ts-expect-error the size is a number
    const wrong: ObjectOf<typeof Widget> = { spec: { size: "1" } };
    expect([object, wrong]).toHaveLength(2);
    expect(Widget).toMatchObject({ ...names, custom: true, schema });
    expect(Widget.definition).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList", shortNames: ["wd"] },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    properties: { size: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0" }] } },
                    required: ["size"],
                  },
                  status: { type: "object", properties: { ready: { type: "boolean" } } },
                },
                required: ["spec"],
                "x-kubernetes-validations": [{ rule: "has(self.spec)" }],
              },
            },
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
            },
            additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
          },
        ],
      },
    });
  });

  it("takes a JSON Schema for validators that don't export one", () => {
    expect(() => defineKindFromSchema({ ...names, schema: validator() })).toThrow("pass options.jsonSchema");
    const jsonSchema = { type: "object", properties: { spec: text } };
    const { definition } = defineKindFromSchema({ ...names, schema: validator(), jsonSchema });
    expect(definition.spec.versions[0]?.schema?.openAPIV3Schema?.properties).toEqual({ spec: text });
  });

  it("refuses rules for fields that don't exist, and schemas that aren't objects", () => {
    expect(() => defineKindFromSchema({ ...names, schema, rules: { "spec.none": [] } })).toThrow(
      'options.rules: the schema has no field "spec.none"',
    );
    expect(() => defineKindFromSchema({ ...names, schema: validator(text) })).toThrow(
      "must be an object with properties",
    );
  });
});
