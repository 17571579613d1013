import { readFileSync } from "node:fs";
import type { Model, Schema } from "./load.js";
import type { Output } from "./output.js";

interface RawField {
  json: string;
  kind: string;
  msg?: string;
  rep?: boolean;
  map?: boolean;
  ptr?: boolean;
  omitempty?: boolean;
  omitzero?: boolean;
  inline?: boolean;
}

const LETTERS: Record<string, string> = {
  string: "s",
  bool: "b",
  double: "f",
  bytes: "y",
  Time: "t",
  MicroTime: "u",
  Quantity: "q",
  IntOrString: "o",
  RawExtension: "r",
  FieldsV1: "r",
  Duration: "d",
};

/** Definitions whose JSON is one of several shapes, a schema among them. */
const SCHEMA_OR = /\.JSONSchemaPropsOr(Array|Bool|StringArray)$/;

/**
 * Writes the Go structs behind the definitions: fields in their order, with what decides whether a zero value is
 * printed. A server's output can't be had from OpenAPI alone.
 */
export function generateGoTypes(model: Model, output: Output): void {
  const { messages } = JSON.parse(readFileSync(new URL("../fields.json", import.meta.url), "utf8")) as {
    messages: Record<string, RawField[] | null>;
  };
  const structs = new Map<string, RawField[]>();
  for (const [message, fields] of Object.entries(messages)) structs.set(definitionOf(message), fields ?? []);
  const names = [...model.definitions.keys()]
    .filter((name) => structs.has(name) && !SCHEMA_OR.test(name) && !name.endsWith(".apiextensions.v1.JSON"))
    .sort();
  const index = new Map(names.map((name, position) => [name, position]));

  const describe = (name: string, fields: RawField[]): string[] =>
    fields.flatMap((field) => {
      if (field.inline === true) return describe(name, structs.get(definitionOf(field.msg ?? "")) ?? []);
      const property = model.definitions.get(name)?.properties?.[field.json];
      const flags = `${field.ptr === true ? "*" : ""}${field.rep === true ? "[" : ""}${field.map === true ? "{" : ""}`;
      return [
        `${field.json}:${flags}${letter(field, property, index)}${field.omitzero === true ? "!" : field.omitempty === true ? "?" : ""}`,
      ];
    });

  const text = Object.fromEntries(
    names.map((name) => {
      const fields = describe(name, structs.get(name) ?? []);
      const properties = model.definitions.get(name)?.properties ?? {};
      // TypeMeta is embedded in every kind and has no field numbers.
      const types = ["kind", "apiVersion"]
        .filter((key) => properties[key] !== undefined && !fields.some((field) => field.startsWith(`${key}:`)))
        .map((key) => `${key}:s?`);
      return [name, [...types, ...fields].join(",")];
    }),
  );
  output.add(
    "src/gen/go-types.ts",
    `${TYPES}
const text: string =
  '${JSON.stringify(text).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}';
${ACCESSOR}`,
  );
}

function definitionOf(message: string): string {
  return `io.k8s.${message.replace(/^k8s\.io\//, "").replaceAll("/", ".")}`;
}

function letter(field: RawField, property: Schema | undefined, index: Map<string, number>): string {
  if (field.kind === "int") {
    const format =
      property?.format ??
      property?.items?.format ??
      (typeof property?.additionalProperties === "object" ? property.additionalProperties.format : undefined);
    return format === "int32" ? "i" : "l";
  }
  const refs = [
    property,
    property?.items,
    typeof property?.additionalProperties === "object" ? property.additionalProperties : undefined,
  ];
  if (refs.some((schema) => schema?.$ref !== undefined && SCHEMA_OR.test(schema.$ref))) return "p";
  if (field.kind.startsWith("list:")) return "S";
  if (field.kind !== "msg") return LETTERS[field.kind] ?? "a";
  const name = definitionOf(field.msg ?? "");
  const position = index.get(name);
  return position === undefined ? "a" : `m${String(position)}`;
}

const TYPES = `
/** Go types used by the API. \`any\` is any JSON, \`schemaOr\` a schema or another value. */
export type GoKind =
  | "string" | "bool" | "int32" | "int64" | "float64" | "bytes" | "Time" | "MicroTime" | "Quantity" | "IntOrString" | "RawExtension" | "Duration"
  | "strings" | "struct" | "any" | "schemaOr";

/** Field of a Go struct. */
export interface GoField {
  /** Name in JSON. */
  readonly name: string;
  /** Type of the field, or of its elements. */
  readonly kind: GoKind;
  /** Definition name, for a struct. */
  readonly struct?: string;
  /** True for a slice of the type. */
  readonly list: boolean;
  /** True for a map from strings to the type. */
  readonly map: boolean;
  /** True for a pointer, whose target is written even if it's zero. */
  readonly pointer: boolean;
  /** Values that JSON omits. \`empty\`: zero values other than structs. \`zero\`: all zero values. \`never\`: none. */
  readonly omit: "never" | "empty" | "zero";
}
`;

const ACCESSOR = `
const kinds: Readonly<Record<string, GoKind>> = {
  s: "string", b: "bool", i: "int32", l: "int64", f: "float64", y: "bytes", t: "Time", u: "MicroTime", q: "Quantity", o: "IntOrString", r: "RawExtension",
  d: "Duration", S: "strings", m: "struct", a: "any", p: "schemaOr",
};

let packed: Readonly<Record<string, string>> | undefined;
let names: readonly string[] = [];
const parsed = new Map<string, readonly GoField[]>();

/** Returns the fields of the struct behind a definition, in Go's order; \`undefined\` if there is no struct. */
export function goStruct(definition: string): readonly GoField[] | undefined {
  const known = parsed.get(definition);
  if (known !== undefined) return known;
  if (packed === undefined) {
    packed = JSON.parse(text) as Record<string, string>;
    names = Object.keys(packed);
  }
  if (!Object.hasOwn(packed, definition)) return undefined;
  const fields = (packed[definition] ?? "").split(",").filter((part) => part !== "").map(parseField);
  parsed.set(definition, fields);
  return fields;
}

function parseField(part: string): GoField {
  const match = /^(.*):(\\*?)(\\[?)(\\{?)([a-zA-Z])(\\d*)([?!]?)$/.exec(part);
  if (match === null) throw new Error(\`malformed field \${part}\`);
  const [, name = "", pointer, list, map, letter = "", index = "", omit] = match;
  const struct = index === "" ? undefined : names[Number(index)];
  return {
    name,
    kind: kinds[letter] ?? "any",
    ...(struct === undefined ? {} : { struct }),
    list: list === "[",
    map: map === "{",
    pointer: pointer === "*",
    omit: omit === "!" ? "zero" : omit === "?" ? "empty" : "never",
  };
}
`;
