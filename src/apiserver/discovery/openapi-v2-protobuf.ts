import { concatBytes } from "../../internal/bytes.js";
import { formatYaml } from "../../internal/yaml-writer.js";
import type { Bytes, Json } from "./protobuf-parts.js";
import { double, flag, integer, message, named, text, varint } from "./protobuf-parts.js";

/** A document of version 2 as JSON data. */
export interface DocumentV2 {
  readonly swagger: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Json>>;
  readonly definitions: Readonly<Record<string, Json>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly securityDefinitions: Readonly<Record<string, Json>>;
}

function any(value: unknown): Bytes {
  return text(2, formatYaml(value));
}

function schema(value: Json): Bytes {
  const {
    items,
    properties,
    additionalProperties,
    allOf,
    default: usual,
    type,
  } = value as {
    items?: Json;
    properties?: Record<string, Json>;
    additionalProperties?: Json | boolean;
    allOf?: Json[];
    default?: unknown;
    type?: string;
  };
  return [
    ...text(1, value.$ref),
    ...text(2, value.format),
    ...text(3, value.title),
    ...text(4, value.description),
    ...(usual === undefined ? [] : message(5, any(usual))),
    ...double(6, value.multipleOf),
    ...double(7, value.maximum),
    ...flag(8, value.exclusiveMaximum),
    ...double(9, value.minimum),
    ...flag(10, value.exclusiveMinimum),
    ...integer(11, value.maxLength),
    ...integer(12, value.minLength),
    ...text(13, value.pattern),
    ...integer(14, value.maxItems),
    ...integer(15, value.minItems),
    ...flag(16, value.uniqueItems),
    ...integer(17, value.maxProperties),
    ...integer(18, value.minProperties),
    ...((value.required ?? []) as string[]).flatMap((name) => text(19, name)),
    ...((value.enum ?? []) as unknown[]).flatMap((one) => message(20, any(one))),
    ...(additionalProperties === undefined
      ? []
      : message(
          21,
          typeof additionalProperties === "boolean"
            ? [varint(16), varint(additionalProperties ? 1 : 0)]
            : message(1, schema(additionalProperties)),
        )),
    ...(type === undefined ? [] : message(22, text(1, type))),
    ...(items === undefined ? [] : message(23, message(1, schema(items)))),
    ...(allOf ?? []).flatMap((one) => message(24, schema(one))),
    ...(properties === undefined
      ? []
      : message(
          25,
          Object.entries(properties).flatMap(([name, one]) => named(1, name, schema(one))),
        )),
    ...Object.keys(value)
      .filter((key) => key.startsWith("x-"))
      .flatMap((key) => named(31, key, any(value[key]))),
  ];
}

function texts(field: number, values: unknown): Bytes {
  return ((values ?? []) as string[]).flatMap((value) => text(field, value));
}

function extensions(field: number, value: Json): Bytes {
  return Object.keys(value)
    .filter((key) => key.startsWith("x-"))
    .flatMap((key) => named(field, key, any(value[key])));
}

/** A parameter in the body, in the path or in the query; the last two have their fields in different places. */
function parameter(value: Json): Bytes {
  if (value.in === "body")
    return message(1, [
      ...text(1, value.description),
      ...text(2, value.name),
      ...text(3, value.in),
      ...flag(4, value.required),
      ...message(5, schema(value.schema as Json)),
    ]);
  const head = [
    ...flag(1, value.required),
    ...text(2, value.in),
    ...text(3, value.description),
    ...text(4, value.name),
  ];
  const own =
    value.in === "path"
      ? message(4, [...head, ...text(5, value.type), ...flag(18, value.uniqueItems)])
      : message(3, [...head, ...text(6, value.type), ...flag(20, value.uniqueItems)]);
  return message(2, own);
}

function parameters(field: number, values: unknown): Bytes {
  return ((values ?? []) as Json[]).flatMap((value) =>
    message(field, typeof value.$ref === "string" ? message(2, text(1, value.$ref)) : message(1, parameter(value))),
  );
}

function response({ description, schema: given }: Json): Bytes {
  return message(1, [
    ...text(1, description),
    ...(given === undefined ? [] : message(2, message(1, schema(given as Json)))),
  ]);
}

function operation(value: Json): Bytes {
  return [
    ...texts(1, value.tags),
    ...text(3, value.description),
    ...text(5, value.operationId),
    ...texts(6, value.produces),
    ...texts(7, value.consumes),
    ...parameters(8, value.parameters),
    ...message(
      9,
      Object.entries(value.responses as Record<string, Json>).flatMap(([code, one]) => named(1, code, response(one))),
    ),
    ...texts(10, value.schemes),
    ...extensions(13, value),
  ];
}

const places: readonly string[] = ["get", "put", "post", "delete", "options", "head", "patch"];

function pathItem(value: Json): Bytes {
  return [
    ...places.flatMap((method, at) =>
      value[method] === undefined ? [] : message(at + 2, operation(value[method] as Json)),
    ),
    ...parameters(9, value.parameters),
  ];
}

/** The document in the Protobuf encoding of gnostic. */
export function encodeOpenApiV2(document: DocumentV2): Uint8Array {
  const parts: Bytes = [
    ...text(1, document.swagger),
    ...message(2, [...text(1, document.info.title), ...text(2, document.info.version)]),
    ...message(
      8,
      Object.entries(document.paths).flatMap(([path, item]) => named(2, path, pathItem(item))),
    ),
    ...message(
      9,
      Object.entries(document.definitions).flatMap(([name, one]) => named(1, name, schema(one))),
    ),
    ...message(
      10,
      Object.entries(document.parameters).flatMap(([name, one]) => named(1, name, parameter(one))),
    ),
    ...document.security.flatMap((each) =>
      message(
        12,
        Object.entries(each).flatMap(([name, scopes]) => named(1, name, texts(1, scopes))),
      ),
    ),
    ...message(
      13,
      Object.entries(document.securityDefinitions).flatMap(([name, { type, name: header, in: place, description }]) =>
        named(1, name, message(2, [...text(1, type), ...text(2, header), ...text(3, place), ...text(4, description)])),
      ),
    ),
  ];
  return concatBytes(parts);
}
