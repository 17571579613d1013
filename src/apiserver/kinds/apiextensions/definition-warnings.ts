import { goQuote } from "../../internal/go-text.js";
import { isKnownFormat } from "../../objects/formats.js";
import type { Schema } from "../../schema/schema.js";
import type { Definition } from "./definition.js";

/** Returns warnings for formats that the server doesn't check. Formats of the old definition aren't repeated. */
export function definitionWarnings(definition: Definition, old: Definition | undefined): string[] {
  const known = new Set(old === undefined ? [] : oddFormats(old));
  return [...new Set(oddFormats(definition))]
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function oddFormats(definition: Definition): string[] {
  return ((definition.spec.versions as Definition["spec"]["versions"] | null) ?? []).flatMap(({ schema }) =>
    collect(schema?.openAPIV3Schema),
  );
}

function collect(schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  const { items, properties, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  const below = [
    items,
    not,
    ...Object.values(properties ?? {}),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ...(allOf ?? []),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
  ];
  return [...(isOdd(schema) ? [schema.format!] : []), ...below.flatMap(collect)];
}

function isOdd({ type, format = "" }: Schema): boolean {
  if (format === "") return false;
  if (type === "integer") return format !== "int32" && format !== "int64";
  if (type === "number") return format !== "float" && format !== "double";
  return (type !== undefined && type !== "string") || !isKnownFormat(format);
}
