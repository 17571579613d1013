import type { Bytes, Json } from "./protobuf-parts.js";
import {
  additional,
  any,
  extensions,
  fieldNumbers,
  joinParts,
  members,
  message,
  operations,
  scalars,
  text,
} from "./protobuf-parts.js";

/** An OpenAPI v2 document as JSON data. */
export interface DocumentV2 {
  readonly swagger: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Json>>;
  readonly definitions: Readonly<Record<string, Json>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly securityDefinitions: Readonly<Record<string, Json>>;
}

const schemaFields = fieldNumbers(
  "1 $ref, 2 format, 3 title, 4 description, 6 multipleOf, 7 maximum, 8 exclusiveMaximum, 9 minimum, 10 exclusiveMinimum, 11 maxLength, 12 minLength, 13 pattern, 14 maxItems, 15 minItems, 16 uniqueItems, 17 maxProperties, 18 minProperties",
);
const bodyFields = fieldNumbers("1 description, 2 name, 3 in, 4 required");
const pathFields = fieldNumbers("1 required, 2 in, 3 description, 4 name, 5 type, 18 uniqueItems");
const queryFields = fieldNumbers("1 required, 2 in, 3 description, 4 name, 6 type, 20 uniqueItems");
const securityFields = fieldNumbers("1 type, 2 name, 3 in, 4 description");
const methods = fieldNumbers("2 get, 3 put, 4 post, 5 delete, 6 options, 7 head, 8 patch");

function schema(value: Json): Bytes {
  const { items, properties, allOf, default: usual, type } = value as Json & { items?: Json; allOf?: Json[] };
  return [
    ...scalars(schemaFields, value),
    ...(usual === undefined ? [] : message(5, any(usual))),
    ...texts(19, value.required),
    ...((value.enum ?? []) as unknown[]).flatMap((one) => message(20, any(one))),
    ...additional(21, value.additionalProperties, schema),
    ...(type === undefined ? [] : message(22, text(1, type))),
    ...(items === undefined ? [] : message(23, message(1, schema(items)))),
    ...(allOf ?? []).flatMap((one) => message(24, schema(one))),
    ...(properties === undefined ? [] : message(25, members(1, properties, schema))),
    ...extensions(31, value),
  ];
}

function texts(field: number, values: unknown): Bytes {
  return ((values ?? []) as string[]).flatMap((value) => text(field, value));
}

/** Encodes a body, path or query parameter; each has its own field numbers. */
function parameter(value: Json): Bytes {
  if (value.in === "body")
    return message(1, [...scalars(bodyFields, value), ...message(5, schema(value.schema as Json))]);
  return message(
    2,
    value.in === "path" ? message(4, scalars(pathFields, value)) : message(3, scalars(queryFields, value)),
  );
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
    ...message(9, members(1, value.responses, response)),
    ...texts(10, value.schemes),
    ...extensions(13, value),
  ];
}

function pathItem(value: Json): Bytes {
  return [...operations(methods, value, operation), ...parameters(9, value.parameters)];
}

const scopes = (value: Json): Bytes => texts(1, value);
const securityDefinition = (value: Json): Bytes => message(2, scalars(securityFields, value));

/** Encodes the document in gnostic's Protobuf form. */
export function encodeOpenApiV2(document: DocumentV2): Uint8Array {
  return joinParts([
    ...text(1, document.swagger),
    ...message(2, [...text(1, document.info.title), ...text(2, document.info.version)]),
    ...message(8, members(2, document.paths, pathItem)),
    ...message(9, members(1, document.definitions, schema)),
    ...message(10, members(1, document.parameters, parameter)),
    ...document.security.flatMap((each) => message(12, members(1, each, scopes))),
    ...message(13, members(1, document.securityDefinitions, securityDefinition)),
  ]);
}
