import { concatBytes } from "../../internal/bytes.js";
import { formatYaml } from "../../internal/yaml-writer.js";
import type { Bytes, Json } from "./protobuf-parts.js";
import { double, flag, integer, message, named, text, varint } from "./protobuf-parts.js";

function any(value: unknown): Bytes {
  return text(2, formatYaml(value));
}

function extensions(field: number, object: Json): Bytes {
  return Object.keys(object)
    .filter((key) => key.startsWith("x-"))
    .flatMap((key) => named(field, key, any(object[key])));
}

function reference(value: Json): Bytes | undefined {
  return typeof value.$ref === "string" ? message(2, text(1, value.$ref)) : undefined;
}

function schemaOrReference(value: Json): Bytes {
  return reference(value) ?? message(1, schema(value));
}

function members(value: unknown): [string, Json][] {
  return Object.entries((value ?? {}) as Record<string, Json>);
}

function list(field: number, value: unknown): Bytes {
  return ((value ?? []) as Json[]).flatMap((item) => message(field, schemaOrReference(item)));
}

function schema(value: Json): Bytes {
  const { items, properties, additionalProperties, not } = value as {
    items?: Json;
    properties?: unknown;
    additionalProperties?: Json | boolean;
    not?: Json;
  };
  return [
    ...flag(1, value.nullable),
    ...text(9, value.title),
    ...double(10, value.multipleOf),
    ...double(11, value.maximum),
    ...flag(12, value.exclusiveMaximum),
    ...double(13, value.minimum),
    ...flag(14, value.exclusiveMinimum),
    ...integer(15, value.maxLength),
    ...integer(16, value.minLength),
    ...text(17, value.pattern),
    ...integer(18, value.maxItems),
    ...integer(19, value.minItems),
    ...flag(20, value.uniqueItems),
    ...integer(21, value.maxProperties),
    ...integer(22, value.minProperties),
    ...((value.required ?? []) as string[]).flatMap((name) => text(23, name)),
    ...((value.enum ?? []) as unknown[]).flatMap((one) => message(24, any(one))),
    ...text(25, value.type),
    ...list(26, value.allOf),
    ...list(27, value.oneOf),
    ...list(28, value.anyOf),
    ...(not === undefined ? [] : message(29, schema(not))),
    ...(items === undefined ? [] : message(30, message(1, schemaOrReference(items)))),
    ...(properties === undefined
      ? []
      : message(
          31,
          members(properties).flatMap(([name, one]) => named(1, name, schemaOrReference(one))),
        )),
    ...(additionalProperties === undefined
      ? []
      : message(
          32,
          typeof additionalProperties === "boolean"
            ? [varint(16), varint(additionalProperties ? 1 : 0)]
            : message(1, schemaOrReference(additionalProperties)),
        )),
    ...defaultOf(value.default),
    ...text(34, value.description),
    ...text(35, value.format),
    ...extensions(36, value),
  ];
}

/** Only scalars can be defaults in this encoding. */
function defaultOf(value: unknown): Bytes {
  if (typeof value === "number") return message(33, double(1, value));
  if (typeof value === "boolean") return message(33, [varint(16), varint(value ? 1 : 0)]);
  return typeof value === "string" ? message(33, text(3, value)) : [];
}

function mediaTypes(field: number, content: unknown): Bytes {
  if (content === undefined) return [];
  return message(
    field,
    members(content).flatMap(([type, one]) =>
      named(1, type, one.schema === undefined ? [] : message(1, schemaOrReference(one.schema as Json))),
    ),
  );
}

function parameters(field: number, value: unknown): Bytes {
  return ((value ?? []) as Json[]).flatMap((one) =>
    message(
      field,
      message(1, [
        ...text(1, one.name),
        ...text(2, one.in),
        ...text(3, one.description),
        ...flag(4, one.required),
        ...message(10, schemaOrReference(one.schema as Json)),
      ]),
    ),
  );
}

function operation(value: Json): Bytes {
  const body = value.requestBody as Json | undefined;
  return [
    ...parameters(6, value.parameters),
    ...(body === undefined ? [] : message(7, message(1, mediaTypes(2, body.content)))),
    ...message(
      8,
      members(value.responses).flatMap(([code, one]) =>
        named(2, code, message(1, [...text(1, one.description), ...mediaTypes(3, one.content)])),
      ),
    ),
    ...extensions(13, value),
  ];
}

const methods: Readonly<Record<string, number>> = {
  get: 4,
  put: 5,
  post: 6,
  delete: 7,
  options: 8,
  head: 9,
  patch: 10,
};

function pathItem(value: Json): Bytes {
  return [
    ...Object.keys(methods).flatMap((method) =>
      value[method] === undefined ? [] : message(methods[method]!, operation(value[method] as Json)),
    ),
    ...parameters(13, value.parameters),
  ];
}

/** An OpenAPI v3 document in gnostic's Protobuf form, which clients written in Go ask for. */
export function encodeOpenApi(document: Json): Uint8Array {
  const info = document.info as Json;
  const { schemas } = document.components as Json;
  const parts: Bytes = [
    ...text(1, document.openapi),
    ...message(2, [...text(1, info.title), ...text(6, info.version)]),
    ...message(
      4,
      members(document.paths).flatMap(([path, item]) => named(1, path, pathItem(item))),
    ),
    ...message(
      5,
      message(
        1,
        members(schemas).flatMap(([name, one]) => named(1, name, schemaOrReference(one))),
      ),
    ),
  ];
  return concatBytes(parts);
}
