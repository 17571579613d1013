import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { utf8Decode } from "../../internal/bytes.js";
import type { ApiFailure } from "../errors/status.js";
import { badRequest, failure } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import { GoJsonError, parseGoJson } from "../internal/go-json.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { givenEmptyFields, recordGivenEmpty } from "../objects/given-empty.js";
import { replaceContent } from "../objects/metadata.js";
import type { FieldValidation, GroupVersionKind, ObjectBody, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { convertGoObject } from "../schema/convert-object.js";
import { GoDecodeError } from "../schema/decode-scalars.js";
import { decodeGoObject } from "../schema/go-decode.js";
import { decodeBody } from "./encodings.js";
import { checkTypeFields, ObjectTypeError, readOtherVersion, typeOfObject } from "./object-type.js";
import type { WireContext } from "./services.js";
import { decodeShared } from "./shared-members.js";

/** Maximum size of a request body in bytes. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

const byMediaType: Readonly<Record<string, Encoding>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/vnd.kubernetes.protobuf": "protobuf",
  "application/cbor": "cbor",
};

/**
 * Returns the encoding of a Content-Type, JSON by default. Throws 415; its message lists Protobuf even if it isn't
 * supported.
 */
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

/** A decoded body. */
export interface DecodedBody {
  readonly object: ApiObject;
  /** Messages about duplicate keys. */
  readonly duplicates: readonly string[];
}

/** Creates the 400 for a body that can't be decoded as a kind. */
function unrecognized(kind: string, why: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
}

/** Returns the start of a body for an error message: text for JSON, hexadecimal digits otherwise. */
function shown(bytes: Uint8Array): string {
  const head = bytes.subarray(0, 30);
  const text =
    head[0] === 0x7b ? utf8Decode(head) : [...head].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return bytes.length > 30 ? `${text} ...` : text;
}

/** Creates the 400 for an object whose content doesn't fit its kind. */
export function cannotBeHandled({ kind, version }: { kind: string; version: string }, why: string): ApiFailure {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

/** Returns the messages about unknown fields. */
export function unknownFieldTexts(paths: readonly string[]): string[] {
  return paths.map((path) => `unknown field ${JSON.stringify(path)}`);
}

/** Decodes an object of a kind. Throws 400. */
export function parseObject(bytes: Uint8Array, encoding: Encoding, expected: GroupVersionKind): DecodedBody {
  let decoded: ReturnType<typeof decodeBody>;
  try {
    decoded = decodeBody(encoding, bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof GoJsonError && why.startsWith("json: cannot unmarshal number"))
      throw cannotBeHandled(expected, why);
    const prefix = error instanceof GoJsonError ? "couldn't get version/kind; json parse error: " : "";
    throw unrecognized(expected.kind, `${prefix}${why} (${shown(bytes)})`);
  }
  const value = decoded.value ?? {};
  if (!isJsonObject(value)) throw unrecognized(expected.kind, `it is of type ${jsonTypeName(value)}, not object`);
  return { object: value, duplicates: decoded.duplicates };
}

/**
 * Checks or fills in the type of a decoded built-in object, and reports fields that another version doesn't know.
 * Throws 400.
 */
export function checkType(
  object: ApiObject,
  expected: GroupVersionKind,
  report: (unknown: readonly string[], version: string) => void,
): void {
  try {
    checkTypeFields(object);
    const type = typeOfObject(object, expected);
    if (type.group !== expected.group || type.version !== expected.version || type.kind !== expected.kind) {
      report(readOtherVersion(object, type, expected), type.version);
      throw badRequest(
        `the API version in the data (${apiVersionOf(type)}) does not match the expected API version (${apiVersionOf(expected)})`,
      );
    }
  } catch (error) {
    throw error instanceof ObjectTypeError ? unrecognized(expected.kind, error.message) : error;
  }
  object.kind = expected.kind;
  object.apiVersion = apiVersionOf(expected);
}

/** Joins problems to one text. The YAML parser's errors, which have several lines, count as one problem. */
function joined(problems: readonly string[]): string {
  const lines = problems.filter((problem) => problem.startsWith("line "));
  return [
    ...(lines.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${lines.join("\n  ")}`]),
    ...problems.filter((problem) => !problem.startsWith("line ")),
  ].join(", ");
}

/** Adds warnings for decoding problems or rejects them, depending on the field validation. Throws 400. */
export function reportStrict(
  context: { warn(text: string): void },
  resource: { readonly kind: string; readonly version: string },
  mode: FieldValidation,
  problems: readonly string[],
): void {
  if (mode === "Ignore" || problems.length === 0) return;
  if (mode === "Strict") throw cannotBeHandled(resource, `strict decoding error: ${joined(problems)}`);
  for (const problem of problems) context.warn(problem);
}

/** Returns the problems found while decoding a body of a built-in kind. */
export function decodingProblems(
  encoding: Encoding,
  given: readonly string[],
  unknown: readonly string[],
  bytes: Uint8Array,
): readonly string[] {
  // For CBOR, only the first unknown field is reported.
  if (encoding === "cbor") return [...given, ...unknown.slice(0, 1)];
  if (encoding !== "json") return [...given, ...unknown];
  // Unknown fields are skipped, so duplicates within them aren't reported.
  const skipped = new Set(unknown);
  const inSkipped = (problem: string): boolean => {
    const path = problem.slice('duplicate field "'.length, -1);
    return [path, ...[...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index))].some((start) =>
      skipped.has(`unknown field "${start}"`),
    );
  };
  const duplicates = given.filter((problem) => !inSkipped(problem));
  if (duplicates.length === 0 || unknown.length === 0) return [...duplicates, ...unknown];
  const places = new Map([...pathsOf(parseGoJson(utf8Decode(bytes)).value, "")].map((path, place) => [path, place]));
  const place = (problem: string): number => places.get(problem.slice(problem.indexOf('"') + 1, -1)) ?? Infinity;
  return [...duplicates, ...unknown].sort((a, b) => place(a) - place(b));
}

/** Yields the paths of all members in document order. */
function* pathsOf(value: unknown, path: string): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    yield at;
    yield* pathsOf(member, at);
  }
}

/** Decodes a body of a kind that isn't a resource, such as an Eviction, in its version or one of `otherVersions`. */
export function decodeKind(
  context: WireContext,
  kind: GroupVersionKind,
  { bytes, encoding, mode }: ObjectBody,
  otherVersions: readonly string[] = [],
): ApiObject {
  const { object, duplicates } = parseObject(bytes, encoding, kind);
  const other = otherVersions.find((version) => object.apiVersion === apiVersionOf({ ...kind, version }));
  const actual = other === undefined ? kind : { ...kind, version: other };
  checkType(object, actual, (unknown, version) =>
    reportStrict(context, { ...actual, version }, mode, unknownFieldTexts(unknown)),
  );
  const definition = definitionNameOf(kind.group, kind.version, kind.kind);
  const unknown = definition === undefined ? [] : decodeStruct({ ...actual, definition }, object);
  reportStrict(context, actual, mode, decodingProblems(encoding, duplicates, unknownFieldTexts(unknown), bytes));
  context.audit?.requestObject(object);
  return object;
}

/** A decoded apply configuration. */
export interface AppliedBody {
  readonly config: ApiObject;
  /** Reports duplicate keys as warnings or throws 400. Call it after the apply has succeeded. */
  report(): void;
}

/** Decodes an apply configuration from the first document of the body. Throws 400. */
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
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const report = (): void => {
    if (duplicates.length > 0 && mode === "Strict")
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`,
      );
    if (mode === "Warn") for (const duplicate of duplicates) context.warn(duplicate);
  };
  value ??= {};
  if (!isJsonObject(value)) throw badRequest(`error decoding YAML: it is of type ${jsonTypeName(value)}, not object`);
  return { config: value, report };
}

/** Decodes a request body into an object of the resource and applies defaults. Throws 400. */
export function decodeFor(context: WireContext, resource: ServedResource, body: ObjectBody): ApiObject {
  const object = decodeShared(body, (rest) => {
    const decoded = resource.decodeBody(rest, context);
    resource.strategy.defaults?.(decoded, context.services.clock.now());
    return decoded;
  });
  // Defaults can be longer than what the body contains.
  if (context.unstorableBytes === undefined) body.shorten?.(object);
  context.audit?.requestObject(object);
  return object;
}

/** Returns the problem with an object, without the name of its kind. */
export function decodeProblem(error: ApiFailure): string {
  return error.message.replace(/^.*? cannot be handled as a \w+: /, "");
}

/** Converts an object into the form of its Go struct, in place. Returns the unknown fields. Throws 400. */
export function decodeStruct(
  struct: { readonly kind: string; readonly version: string; readonly definition: string },
  object: ApiObject,
  source?: "text" | "object",
): readonly string[] {
  try {
    const { managedFields } = (object.metadata ?? {}) as { managedFields?: unknown };
    const decoded = decodeGoObject(struct.definition, object, source);
    convertGoObject(struct.definition, decoded.object);
    // An empty list clears the managers, but the struct can't distinguish it from a missing one.
    if (Array.isArray(managedFields) && managedFields.length === 0)
      (decoded.object.metadata as Record<string, unknown>).managedFields = [];
    replaceContent(object, decoded.object);
    recordGivenEmpty(object, givenEmptyFields(decoded.object));
    return decoded.unknownFields;
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    throw Object.assign(cannotBeHandled(struct, error.message), { cause: error });
  }
}
