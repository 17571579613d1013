import type { Bytes, Json } from "./protobuf-parts.js";
import {
  additional,
  any,
  double,
  extensions,
  fieldNumbers,
  joinParts,
  members,
  message,
  operations,
  scalars,
  text,
  varint,
} from "./protobuf-parts.js";

const schemaFields = fieldNumbers(
  "1 nullable, 9 title, 10 multipleOf, 11 maximum, 12 exclusiveMaximum, 13 minimum, 14 exclusiveMinimum, 15 maxLength, 16 minLength, 17 pattern, 18 maxItems, 19 minItems, 20 uniqueItems, 21 maxProperties, 22 minProperties, 25 type, 34 description, 35 format",
);
const parameterFields = fieldNumbers("1 name, 2 in, 3 description, 4 required");
const methods = fieldNumbers("4 get, 5 put, 6 post, 7 delete, 8 options, 9 head, 10 patch");

function schemaOrReference(value: Json): Bytes {
  return typeof value.$ref === "string" ? message(2, text(1, value.$ref)) : message(1, schema(value));
}

function list(field: number, value: unknown): Bytes {
  return ((value ?? []) as Json[]).flatMap((item) => message(field, schemaOrReference(item)));
}

function schema(value: Json): Bytes {
  const { items, properties, not } = value as { items?: Json; properties?: unknown; not?: Json };
  return [
    ...scalars(schemaFields, value),
    ...((value.required ?? []) as string[]).flatMap((name) => text(23, name)),
    ...((value.enum ?? []) as unknown[]).flatMap((one) => message(24, any(one))),
    ...list(26, value.allOf),
    ...list(27, value.oneOf),
    ...list(28, value.anyOf),
    ...(not === undefined ? [] : message(29, schema(not))),
    ...(items === undefined ? [] : message(30, message(1, schemaOrReference(items)))),
    ...(properties === undefined ? [] : message(31, members(1, properties, schemaOrReference))),
    ...additional(32, value.additionalProperties, schemaOrReference),
    ...defaultOf(value.default),
    ...extensions(36, value),
  ];
}

/** Encodes a default. The encoding supports only scalars. */
function defaultOf(value: unknown): Bytes {
  if (typeof value === "number") return message(33, double(1, value));
  if (typeof value === "boolean") return message(33, [varint(16), varint(value ? 1 : 0)]);
  return typeof value === "string" ? message(33, text(3, value)) : [];
}

function mediaTypes(field: number, content: unknown): Bytes {
  if (content === undefined) return [];
  return message(
    field,
    members(1, content, (one) => (one.schema === undefined ? [] : message(1, schemaOrReference(one.schema as Json)))),
  );
}

function parameters(field: number, value: unknown): Bytes {
  return ((value ?? []) as Json[]).flatMap((one) =>
    message(
      field,
      message(1, [...scalars(parameterFields, one), ...message(10, schemaOrReference(one.schema as Json))]),
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
      members(2, value.responses, (one) => message(1, [...text(1, one.description), ...mediaTypes(3, one.content)])),
    ),
    ...extensions(13, value),
  ];
}

function pathItem(value: Json): Bytes {
  return [...operations(methods, value, operation), ...parameters(13, value.parameters)];
}

/** Encodes an OpenAPI v3 document in gnostic's Protobuf form, which Go clients request. */
export function encodeOpenApi(document: Json): Uint8Array {
  const info = document.info as Json;
  const { schemas } = document.components as Json;
  return joinParts([
    ...text(1, document.openapi),
    ...message(2, [...text(1, info.title), ...text(6, info.version)]),
    ...message(4, members(1, document.paths, pathItem)),
    ...message(5, message(1, members(1, schemas, schemaOrReference))),
  ]);
}
