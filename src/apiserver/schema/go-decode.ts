import { unknownFieldsOf } from "../../codec/unknown-fields.js";
import type { GoField } from "../../gen/go-types.js";
import { goStruct } from "../../gen/go-types.js";
import { setOwn } from "../../internal/set-own.js";
import { formatJsonPath } from "../internal/json-value.js";
import { givenEmptyFields, isUnset, recordGivenEmpty } from "../objects/given-empty.js";
import { base64, bytesOf, type DecodeState, fail, int32, integer, mismatch, quantity, time } from "./decode-scalars.js";

/** Result of decoding a built-in object. */
export interface DecodedObject {
  /**
   * The object as Go would print it: known fields in order, canonical scalars, zero values as declared by the struct.
   */
  readonly object: Record<string, unknown>;
  /** Paths of unknown fields, such as `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

const unknownLimit = 100;

/**
 * Decodes JSON data as the struct of a built-in kind. Parts that already have that form are returned as they are, even
 * the whole value. `source` says how kube-apiserver gets the struct: from text, or from an untyped object. Throws a
 * `GoDecodeError` for a value of the wrong type.
 */
export function decodeGoObject(
  definition: string,
  value: Readonly<Record<string, unknown>>,
  source: "text" | "object" = "text",
): DecodedObject {
  const state: DecodeState = { unknown: [], path: [], strict: true, truncates: source === "object" };
  const object = decodeStruct(definition, value, state);
  return { object, unknownFields: state.unknown };
}

/**
 * Returns an object in the form that Go prints, for objects that code has changed. Shares the parts that already have
 * that form with `value`.
 */
export function printGoObject(definition: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return decodeStruct(definition, value, { unknown: [], path: [], strict: false, truncates: false });
}

function decodeStruct(
  definition: string,
  value: Readonly<Record<string, unknown>>,
  state: DecodeState,
): Record<string, unknown> {
  const plan = plans.get(definition) ?? makePlan(definition);
  if (plan === undefined) return { ...value };
  const { fields, places, silent } = plan;
  const emptied = givenEmptyFields(value)?.filter((name) => isUnset(value[name]));
  /** Values of the fields by their index. */
  const given: unknown[] = [];
  // Most structs already have their form, because they come from the store or from a client that read them.
  // Those of a Protobuf body may carry fields that this server doesn't know, which it drops.
  let settled = emptied === undefined && unknownFieldsOf(value) === undefined;
  let last = -1;
  let printed = 0;
  // Visit keys in document order, so that unknown fields and the first error are reported in that order.
  for (const key of Object.keys(value)) {
    const at = places.get(key);
    if (at === undefined) {
      settled = false;
      if (state.unknown.length >= unknownLimit) continue;
      state.path.push(key);
      state.unknown.push(formatJsonPath(state.path));
      state.path.pop();
      continue;
    }
    const field = fields[at]!;
    const member = value[key];
    const found = decodeOne(field, member, definition, state);
    given[at] = found;
    settled &&= at > last && isPrinted(field, found, member);
    last = at;
    if (!silent[at]!) printed += 1;
  }
  return settled && printed === plan.spoken ? value : printStruct(plan, given, emptied);
}

/** True if a value is what Go prints for the one that was decoded from it, such as null for a missing time. */
function isPrinted(field: GoField, found: unknown, value: unknown): boolean {
  // A missing quantity is recorded.
  if (found === undefined && (value === undefined || field.kind === "Quantity")) return false;
  return Object.is(print(field, found), value);
}

/** Prints the given fields of a struct, and those that are printed in any case, in their order. */
function printStruct(
  { fields, silent }: Plan,
  given: readonly unknown[],
  emptied: string[] = [],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (let at = 0; at < fields.length; at += 1) {
    const found = given[at];
    if (found === undefined && silent[at]!) continue;
    const field = fields[at]!;
    if (found === undefined && field.kind === "Quantity") emptied.push(field.name);
    const printed = print(field, found);
    if (printed !== undefined) result[field.name] = printed;
    else if (field.list || field.map) emptied.push(field.name);
  }
  if (emptied.length > 0) recordGivenEmpty(result, emptied);
  return result;
}

/** Precomputed properties of a struct. */
interface Plan {
  readonly fields: readonly GoField[];
  /** Index of each field by name. */
  readonly places: ReadonlyMap<string, number>;
  /** True for fields that aren't printed if missing. */
  readonly silent: readonly boolean[];
  /** Number of the other fields. */
  readonly spoken: number;
}

const plans = new Map<string, Plan>();

function makePlan(definition: string): Plan | undefined {
  const fields = goStruct(definition);
  if (fields === undefined) return undefined;
  // Recursive structs, such as a schema within a schema, are always pointers, so this terminates.
  const silent = fields.map((field) => print(field, undefined) === undefined);
  const plan = {
    fields,
    places: new Map(fields.map((field, at) => [field.name, at])),
    silent,
    spoken: silent.filter((isSilent) => !isSilent).length,
  };
  plans.set(definition, plan);
  return plan;
}

/** Decodes a field; returns `undefined` for null and for a wrong type. */
function decodeOne(field: GoField, value: unknown, definition: string, state: DecodeState): unknown {
  if (value === null || value === undefined) return undefined;
  state.path.push(field.name);
  const decoded = field.list
    ? decodeList(field, value, definition, state)
    : field.map
      ? decodeMap(field, value, definition, state)
      : decodeValue(field, value, definition, state);
  state.path.pop();
  return decoded;
}

function decodeList(field: GoField, value: unknown, definition: string, state: DecodeState): unknown {
  if (!Array.isArray(value)) return mismatch(value, "array", state);
  let items: unknown[] | undefined;
  for (let at = 0; at < value.length; at += 1) {
    state.path.push(at);
    const item = decodeValue(field, value[at], definition, state) ?? zeroOf(field);
    state.path.pop();
    if (!Object.is(item, value[at])) items ??= value.slice(0, at);
    items?.push(item);
  }
  return items ?? value;
}

function decodeMap(field: GoField, value: unknown, definition: string, state: DecodeState): unknown {
  if (!isObject(value)) return mismatch(value, "object", state);
  const keys = Object.keys(value);
  const items = keys.map((key) => {
    state.path.push(key);
    const item = decodeValue(field, value[key], definition, state) ?? (field.kind === "bytes" ? "" : zeroOf(field));
    state.path.pop();
    return item;
  });
  if (keys.every((key, at) => Object.is(items[at], value[key]))) return value;
  const result: Record<string, unknown> = {};
  keys.forEach((key, at) => setOwn(result, key, items[at]));
  return result;
}

function decodeValue(field: GoField, value: unknown, definition: string, state: DecodeState): unknown {
  if (value === null || value === undefined) return undefined;
  switch (field.kind) {
    case "string":
      return typeof value === "string" ? value : mismatch(value, "string", state);
    case "bool":
      return typeof value === "boolean" ? value : mismatch(value, "bool", state);
    case "int32":
      return int32(value, state);
    case "int64":
      return integer(value, "int64", 2 ** 63, state);
    case "float64":
      return typeof value === "number" ? value : mismatch(value, "float64", state);
    case "bytes":
      if (typeof value === "string") return base64(value, state);
      return Array.isArray(value) ? bytesOf(value, state) : mismatch(value, "bytes", state);
    case "Quantity":
      return typeof value === "string" || typeof value === "number"
        ? quantity(String(value), state)
        : fail(state, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    case "IntOrString":
      return typeof value === "string" ? value : integer(value, "int32", 2147483647, state);
    case "Time":
      return typeof value === "string" ? time(value, 0, state) : mismatch(value, "time", state);
    case "MicroTime":
      return typeof value === "string" ? time(value, 6, state) : mismatch(value, "time", state);
    case "Duration":
      return typeof value === "string" ? value : mismatch(value, "duration", state);
    case "strings":
      if (!Array.isArray(value)) return mismatch(value, "array", state);
      if (value.every((item) => typeof item === "string")) return value;
      return value.map((item: unknown) =>
        typeof item === "string" ? item : item === null ? "" : mismatch(item, "string", state),
      );
    case "struct":
      return isObject(value) ? decodeStruct(field.struct ?? "", value, state) : mismatch(value, "object", state);
    case "schemaOr":
      return decodeSchemaOr(field, value, definition, state);
    case "RawExtension":
    case "any":
      return value;
  }
}

/** Decodes a schema or its alternatives. Go uses custom decoders for these, which don't report unknown fields. */
function decodeSchemaOr(field: GoField, value: unknown, definition: string, state: DecodeState): unknown {
  const own: DecodeState = { ...state, unknown: [], path: [...state.path] };
  const props = schemaProps(definition);
  let decoded: unknown;
  if (isObject(value)) decoded = decodeStruct(props, value, own);
  else if (field.name !== "items" && field.name !== "dependencies")
    decoded = typeof value === "boolean" ? value : mismatch(value, "boolean or JSON schema", own);
  else if (Array.isArray(value)) {
    const texts = field.name !== "items";
    decoded = value.map((item: unknown) => {
      if (item === null) return texts ? "" : {};
      if (texts) return typeof item === "string" ? item : mismatch(item, "string", own);
      return isObject(item) ? decodeStruct(props, item, own) : mismatch(item, "object", own);
    });
  }
  return decoded;
}

/** Returns the printed form of a field, or `undefined` if it isn't printed. */
function print(field: GoField, value: unknown): unknown {
  if (field.omit === "zero") return value === undefined || isZero(value) ? undefined : value;
  if (field.pointer || (!field.list && !field.map && (field.kind === "any" || field.kind === "schemaOr")))
    return value ?? (field.omit === "never" ? null : undefined);
  if (field.list || field.map) {
    // An empty list of managed fields clears the stored ones and is never stored. An empty list of an autoscaler's
    // policies must stay, so that validation rejects it and defaults don't replace it.
    if ((field.name === "managedFields" || field.name === "policies") && Array.isArray(value)) return value;
    if (value === undefined || (field.omit !== "never" && isEmpty(value as object)))
      return field.omit === "never" ? null : undefined;
    return value;
  }
  if (field.omit === "empty" && !structs.has(field.kind))
    return value === undefined || isZero(value) ? undefined : value;
  return value ?? zeroOf(field);
}

/** Kinds that are structs in Go, for which `omitempty` has no effect. */
const structs = new Set<GoField["kind"]>([
  "struct",
  "Time",
  "MicroTime",
  "RawExtension",
  "Quantity",
  "IntOrString",
  "Duration",
]);

function isZero(value: unknown): boolean {
  return (
    value === "" || value === 0 || value === false || value === null || (Array.isArray(value) && value.length === 0)
  );
}

const zeroValues: Readonly<Partial<Record<GoField["kind"], unknown>>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  IntOrString: 0,
  Quantity: "0",
  Duration: "0s",
};

function zeroOf(field: GoField): unknown {
  return field.kind === "struct" ? printGoObject(field.struct ?? "", {}) : (zeroValues[field.kind] ?? null);
}

function schemaProps(definition: string): string {
  return `${definition.slice(0, definition.lastIndexOf("."))}.JSONSchemaProps`;
}

function isEmpty(container: object): boolean {
  if (Array.isArray(container)) return container.length === 0;
  for (const _ in container) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
