import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { utf8Decode } from "../../internal/bytes.js";
import { badRequest, failure } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import { GoJsonError, goJsonTypeName, parseGoJson } from "../internal/go-json.js";
import { goQuote } from "../internal/go-text.js";
import type { ApiObject } from "../objects/api-object.js";
import { givenEmptyFields, recordGivenEmpty } from "../objects/given-empty.js";
import type { FieldValidation, GroupVersionKind, ObjectBody, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { convertGoObject } from "../schema/convert-object.js";
import { decodeGoObject, GoDecodeError } from "../schema/go-decode.js";
import { decodeBody } from "./encodings.js";
import { ObjectTypeError, readOtherVersion, typeOfObject } from "./object-type.js";
import type { WireContext } from "./services.js";

/** Longest request body. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

const byMediaType: Readonly<Record<string, Encoding>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/vnd.kubernetes.protobuf": "protobuf",
  "application/cbor": "cbor",
};

/** The encoding that a Content-Type names; JSON where there is none. Throws 415, which names Protobuf even where it is not taken. */
export function requestEncoding(contentType: string | undefined, offered: readonly Encoding[]): Encoding {
  const text = (contentType ?? "").trim();
  const bare = text.split(";")[0]!.trim().toLowerCase();
  if (text === "") return "json";
  const encoding = byMediaType[bare];
  if (encoding === undefined || !offered.includes(encoding)) {
    throw failure(
      415,
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${Object.keys(byMediaType).join(", ")}`,
    );
  }
  return encoding;
}

/** Reads the whole body. Throws 413. */
export async function readBody(context: WireContext): Promise<Uint8Array> {
  const body = await context.request.readBody(maxBodyBytes);
  if (body === undefined)
    throw failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${maxBodyBytes}`);
  return body;
}

/** What a body was decoded to. */
export interface DecodedBody {
  readonly object: ApiObject;
  /** What there is to say of keys that came twice. */
  readonly duplicates: readonly string[];
}

/** The beginning of a body as errors show it: JSON as text, all else as hexadecimal digits. */
export function shown(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const head = bytes.subarray(0, 30);
  const text =
    head[0] === 0x7b ? utf8Decode(head) : [...head].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return bytes.length > 30 ? `${text} ...` : text;
}

export function shownBody(bytes: Uint8Array): ShownBody {
  return { head: shown(bytes), whole: () => utf8Decode(bytes) };
}

/** Parses the bytes of an object; `explain` makes the error for what cannot be parsed, where it has one of its own. Throws 400. */
export function parseObject(
  bytes: Uint8Array,
  encoding: Encoding,
  expected: GroupVersionKind,
  explain?: (error: unknown) => Error | undefined,
): DecodedBody {
  let value: unknown;
  let duplicates: readonly string[] = [];
  try {
    ({ value, duplicates } = decodeBody(encoding, bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const explained = explain?.(error);
    if (explained !== undefined) throw explained;
    const prefix =
      error instanceof GoJsonError && encoding === "json" ? "couldn't get version/kind; json parse error: " : "";
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${prefix}${why} (${shown(bytes)})`,
    );
  }
  if (value === null || value === undefined) value = {};
  if (typeof value !== "object" || Array.isArray(value)) {
    const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (${shown(bytes)})`,
    );
  }
  return { object: value as ApiObject, duplicates };
}

/** A body as errors show it. */
export interface ShownBody {
  /** Its beginning. */
  readonly head: string;
  /** All of it. */
  whole(): string;
}

/** Compares or fills in the type of a decoded object of a built-in kind; what another version of it does not know is reported. Throws 400. */
export function checkType(
  object: ApiObject,
  expected: GroupVersionKind,
  { head, whole }: ShownBody,
  report: (unknown: readonly string[], version: string) => void,
): void {
  const unrecognized = (why: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${head})`);
  for (const key of ["kind", "apiVersion"] as const) {
    if (object[key] !== undefined && object[key] !== null && typeof object[key] !== "string")
      throw unrecognized(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(object[key])} into Go struct field .${key} of type string`,
      );
  }
  try {
    const type = typeOfObject(object, [expected], whole);
    if (type.group !== expected.group || type.version !== expected.version || type.kind !== expected.kind) {
      report(readOtherVersion(object, type, expected), type.version);
      throw badRequest(
        `the API version in the data (${apiVersionOf(type)}) does not match the expected API version (${apiVersionOf(expected)})`,
      );
    }
  } catch (error) {
    if (!(error instanceof ObjectTypeError)) throw error;
    const { type } = error;
    throw type === undefined
      ? unrecognized(error.message)
      : badRequest(
          `${type.kind} in version ${goQuote(type.version)} cannot be handled as a ${expected.kind}: ${error.message}`,
        );
  }
  object.kind = expected.kind;
  object.apiVersion = apiVersionOf(expected);
}

/** The problems as one text: what the reader of YAML found, which has lines, is one of them. */
function joined(problems: readonly string[]): string {
  const lines = problems.filter((problem) => problem.startsWith("line "));
  return [
    ...(lines.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${lines.join("\n  ")}`]),
    ...problems.filter((problem) => !lines.includes(problem)),
  ].join(", ");
}

/** Warns of or refuses what decoding found odd. */
export function reportStrict(
  context: { warn(text: string): void },
  resource: { readonly kind: string; readonly version: string },
  mode: FieldValidation,
  problems: readonly string[],
): void {
  if (mode === "Ignore" || problems.length === 0) return;
  if (mode === "Strict")
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${joined(problems)}`,
    );
  for (const problem of problems) context.warn(problem);
}

/**
 * What decoding found odd in a body of a built-in kind: in JSON as the text goes, and in YAML, which becomes JSON first, duplicates before the
 * rest. Of a key given twice it is the second that is odd.
 */
export function inOrder(
  bytes: Uint8Array,
  encoding: Encoding,
  given: readonly string[],
  unknown: readonly string[],
): readonly string[] {
  if (encoding === "cbor" && unknown.length > 0) return [unknownInCbor(bytes, unknown[0]!)];
  // What is unknown is skipped, duplicates in it as well.
  const skipped = unknown.map((problem) => problem.replace(/^unknown field "(.*)"$/, 'duplicate field "$1'));
  const duplicates =
    encoding === "json"
      ? given.filter(
          (problem) =>
            !skipped.some(
              (start) => problem === `${start}"` || problem.startsWith(`${start}.`) || problem.startsWith(`${start}[`),
            ),
        )
      : given;
  if (encoding !== "json" || duplicates.length === 0 || unknown.length === 0) return [...duplicates, ...unknown];
  const wanted = new Set([...duplicates, ...unknown]);
  const found = new Set<string>();
  const seen = new Set<string>();
  parseGoJson(utf8Decode(bytes), {
    onKey(path) {
      const quoted = JSON.stringify(path);
      if (wanted.has(`unknown field ${quoted}`)) found.add(`unknown field ${quoted}`);
      if (seen.has(path) && wanted.has(`duplicate field ${quoted}`)) found.add(`duplicate field ${quoted}`);
      seen.add(path);
    },
  });
  return [...found, ...[...wanted].filter((problem) => !found.has(problem))];
}

/** Of unknown fields in CBOR only the first is told of, and only by its place in the map that it is in. */
function unknownInCbor(bytes: Uint8Array, problem: string): string {
  const path = (JSON.parse(problem.slice("unknown field ".length)) as string)
    .split(/[.[\]]+/)
    .filter((part) => part !== "");
  const last = path.pop()!;
  const parent = path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    decodeBody("cbor", bytes).value,
  );
  return `cbor: found unknown field at map element index ${Object.keys(parent ?? {}).indexOf(last)}`;
}

/** Decodes a body of one kind that is no resource of its own, as an Eviction; also in `otherVersions` of its group. */
export function decodeKind(
  context: WireContext,
  kind: GroupVersionKind,
  { bytes, encoding, mode }: ObjectBody,
  otherVersions: readonly string[] = [],
): ApiObject {
  const { object, duplicates } = parseObject(bytes, encoding, kind);
  const other = otherVersions.find((version) => object.apiVersion === apiVersionOf({ ...kind, version }));
  const actual = other === undefined ? kind : { ...kind, version: other };
  checkType(object, actual, shownBody(bytes), (unknown, version) =>
    reportStrict(
      context,
      { ...actual, version },
      mode,
      unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ),
  );
  const definition = definitionNameOf(kind.group, kind.version, kind.kind);
  const unknown =
    definition === undefined
      ? []
      : decodeStruct({ ...actual, definition }, object).map((path) => `unknown field ${JSON.stringify(path)}`);
  reportStrict(context, actual, mode, inOrder(bytes, encoding, duplicates, unknown));
  context.audit?.requestObject(object);
  return object;
}

/** What is applied, and what is said of it once that has worked. */
export interface AppliedBody {
  readonly config: ApiObject;
  /** Warns of keys that came twice, or refuses them. Throws 400. */
  report(): void;
}

/** Decodes the configuration of an apply: the first document alone. Throws 400. */
export function decodeApplied(
  context: WireContext,
  bytes: Uint8Array,
  encoding: Encoding,
  mode: FieldValidation,
): AppliedBody {
  let value: unknown;
  let duplicates: readonly string[];
  try {
    ({ value, duplicates } = decodeBody(encoding, bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(
      `error decoding YAML: ${encoding === "yaml" ? "error converting YAML to JSON: " : ""}${why.replace(/^unable to determine group\/version\/kind: /, "")}`,
    );
  }
  const report = (): void => {
    if (duplicates.length > 0 && mode === "Strict")
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`,
      );
    if (mode === "Warn") for (const duplicate of duplicates) context.warn(duplicate);
  };
  if (value === null || value === undefined) return { config: {}, report };
  if (typeof value !== "object" || Array.isArray(value)) {
    const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  }
  return { config: value as ApiObject, report };
}

/** Decodes a request body into an object of the resource, with defaults. Throws 400. */
export function decodeFor(context: WireContext, resource: ServedResource, body: ObjectBody): ApiObject {
  const object = resource.decodeBody(body, context);
  resource.strategy.defaults?.(object, context.services.clock.now());
  context.audit?.requestObject(object);
  return object;
}

/** Brings an object into the form of its Go struct, in place. Returns the unknown fields. Throws 400. */
export function decodeStruct(
  { kind, version, definition }: { readonly kind: string; readonly version: string; readonly definition: string },
  object: ApiObject,
  converted = false,
): readonly string[] {
  try {
    const { managedFields } = (object.metadata ?? {}) as { managedFields?: unknown };
    const decoded = decodeGoObject(definition, object, converted);
    convertGoObject(definition, decoded.object);
    // An empty list clears the managers; the struct itself cannot tell it from none.
    if (Array.isArray(managedFields) && managedFields.length === 0)
      (decoded.object.metadata as Record<string, unknown>).managedFields = [];
    for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
    Object.assign(object, decoded.object);
    recordGivenEmpty(object, givenEmptyFields(decoded.object));
    return decoded.unknownFields;
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    const refused = badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`,
    );
    refused.cause = error;
    throw refused;
  }
}
