import type { GoField } from "../../gen/go-types.js";
import { goStruct } from "../../gen/go-types.js";
import { base64Slice } from "../../internal/text.js";
import { formatQuantity, parseQuantity } from "../../meta/quantity.js";
import { goTimeQuote } from "../internal/go-text.js";
import { setOwn } from "../internal/json-value.js";
import { givenEmptyFields, isUnset, recordGivenEmpty } from "../objects/given-empty.js";

/** What decoding a built-in kind found. */
export interface DecodedObject {
  /** The object as Go would print it: known fields in order, scalars canonical, zero values as the struct says. */
  readonly object: Record<string, unknown>;
  /** Paths of the fields that the kind does not have, as `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** A body that does not fit the kind; the message is that of Go's decoder. */
export class GoDecodeError extends Error {
  /** Name of the class. */
  override readonly name = "GoDecodeError";
  /** What stands where the problem is; absent where that is a list or a map. */
  readonly kind: GoField["kind"] | undefined;
  /** The value that does not fit, where it is of the wrong type. */
  readonly given: unknown;

  constructor(message: string, kind?: GoField["kind"], given?: unknown) {
    super(message);
    this.kind = kind;
    this.given = given;
  }
}

/** Where a decoding is, and what it collects on its way. */
interface State {
  readonly unknown: string[];
  /** Steps to the value at hand: names of fields and keys, and indices; they become text when there is something to tell. */
  readonly path: (string | number)[];
  /** The same by names of fields alone, as Go's errors have it. */
  readonly fields: string[];
  /** The struct that errors name, where a decoder of its own reads the value at hand. */
  readonly struct?: string;
  /** The first type error; Go goes on after one. */
  error: GoDecodeError | undefined;
  /** The first error of a value that reads its JSON itself; with it Go stops. */
  last?: GoDecodeError;
  /** Whether the keys of maps are put in order. */
  readonly sorted?: boolean;
  /** Whether the keys of maps are left out of paths. */
  readonly keyless?: boolean;
  /** What is decoded at the moment. */
  kind?: GoField["kind"] | undefined;
}

const UNKNOWN_LIMIT = 100;

/**
 * Decodes JSON data as the struct of a built-in kind. The result is a new object; the input is left as it is. Throws a
 * `GoDecodeError` where a value has the wrong type. `converted`: paths of unknown fields are those of a conversion between structs, which
 * passes over the keys of maps.
 */
export function decodeGoObject(
  definition: string,
  value: Readonly<Record<string, unknown>>,
  converted = false,
): DecodedObject {
  const state: State = { unknown: [], path: [], fields: [], error: undefined, keyless: converted };
  const object = decodeStruct(definition, value, state);
  if (state.last !== undefined) throw state.last;
  if (state.error !== undefined) throw state.error;
  return { object, unknownFields: state.unknown };
}

/** The object as Go writes it down: as `printGoObject`, with the keys of maps in order. */
export function writtenGoObject(definition: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return decodeStruct(definition, value, { unknown: [], path: [], fields: [], error: undefined, sorted: true });
}

/** Puts an object that code has changed back into the form in which Go prints it. Answers a new object. */
export function printGoObject(definition: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return decodeStruct(definition, value, { unknown: [], path: [], fields: [], error: undefined });
}

function shortName(definition: string): string {
  return definition.slice(definition.lastIndexOf(".") + 1);
}

function decodeStruct(
  definition: string,
  value: Readonly<Record<string, unknown>>,
  state: State,
): Record<string, unknown> {
  const fields = goStruct(definition);
  if (fields === undefined) return { ...value };
  const { places, silent } = planOf(fields);
  const decoded = new Array<unknown>(fields.length);
  // In the order of the document, so that unknown fields and the first error are told in it.
  for (const key of Object.keys(value)) {
    const at = places.get(key);
    if (at !== undefined) decoded[at] = decodeOne(fields[at]!, value[key], definition, state);
    else if (state.unknown.length < UNKNOWN_LIMIT) {
      state.path.push(key);
      state.unknown.push(pathText(state.path));
      state.path.pop();
    }
  }
  const result: Record<string, unknown> = {};
  let emptied = givenEmptyFields(value)?.filter((name) => isUnset(value[name]));
  for (let at = 0; at < fields.length; at += 1) {
    const found = decoded[at];
    if (found === undefined && silent[at]!) continue;
    const field = fields[at]!;
    if (found === undefined && field.kind === "Quantity") (emptied ??= []).push(field.name);
    const printed = print(field, found);
    if (printed !== undefined) result[field.name] = printed;
    else if (field.list || field.map) (emptied ??= []).push(field.name);
  }
  recordGivenEmpty(result, emptied);
  return result;
}

/** What is worked out once for a struct. */
interface Plan {
  /** Positions of the fields by their names. */
  readonly places: ReadonlyMap<string, number>;
  /** Whether nothing is printed of a field that is absent. */
  readonly silent: readonly boolean[];
}

const plans = new WeakMap<readonly GoField[], Plan>();

function planOf(fields: readonly GoField[]): Plan {
  let plan = plans.get(fields);
  if (plan === undefined) {
    // A struct of its own kind, as a schema in a schema, is always a pointer: so this comes to an end.
    plan = {
      places: new Map(fields.map((field, at) => [field.name, at])),
      silent: fields.map((field) => print(field, undefined) === undefined),
    };
    plans.set(fields, plan);
  }
  return plan;
}

/** A path as unknown fields are told, `spec.containers[0].foo`. */
function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${String(step)}]` : text === "" ? step : `.${step}`;
  return text;
}

/** The value of a field, or `undefined` for null and for what has the wrong type. */
function decodeOne(field: GoField, value: unknown, definition: string, state: State): unknown {
  if (value === null || value === undefined) return undefined;
  state.path.push(field.name);
  const depth = state.fields.length;
  if (field.embedded !== undefined) state.fields.push(...field.embedded);
  state.fields.push(field.name);
  const decoded = field.list
    ? decodeList(field, value, definition, state)
    : field.map
      ? decodeMap(field, value, definition, state)
      : decodeValue(field, value, definition, state);
  state.path.pop();
  state.fields.length = depth;
  return decoded;
}

function decodeList(field: GoField, value: unknown, definition: string, state: State): unknown {
  state.kind = undefined;
  if (!Array.isArray(value))
    return mismatch({ value, type: field.goType ?? `[]${goName(field, definition)}`, definition, state });
  const items: unknown[] = [];
  for (let at = 0; at < value.length; at += 1) {
    state.path.push(at);
    items.push(decodeValue(field, value[at], definition, state) ?? zeroOf(field));
    state.path.pop();
  }
  return items;
}

function decodeMap(field: GoField, value: unknown, definition: string, state: State): unknown {
  state.kind = undefined;
  if (!isObject(value))
    return mismatch({ value, type: field.goType ?? `map[string]${goName(field, definition)}`, definition, state });
  const result: Record<string, unknown> = {};
  for (const key of state.sorted === true ? Object.keys(value).sort() : Object.keys(value)) {
    if (state.keyless !== true) state.path.push(key);
    setOwn(
      result,
      key,
      decodeValue(field, value[key], definition, state) ?? (field.kind === "bytes" ? "" : zeroOf(field)),
    );
    if (state.keyless !== true) state.path.pop();
  }
  return result;
}

function decodeValue(field: GoField, value: unknown, definition: string, state: State): unknown {
  if (value === null || value === undefined) return undefined;
  state.kind = field.kind;
  switch (field.kind) {
    case "string":
      return typeof value === "string"
        ? value
        : mismatch({ value, type: elementType(field, definition), definition, state });
    case "bool":
      return typeof value === "boolean"
        ? value
        : mismatch({ value, type: elementType(field, definition), definition, state });
    case "int32":
      return int32(value, elementType(field, definition), definition, state);
    case "int64":
      return int64(value, elementType(field, definition), definition, state);
    case "float64":
      return typeof value === "number"
        ? value
        : mismatch({ value, type: elementType(field, definition), definition, state });
    case "bytes":
      return typeof value === "string"
        ? base64(value, state)
        : Array.isArray(value)
          ? bytesOf(value, definition, state)
          : mismatch({ value, type: "[]uint8", definition, state });
    case "Quantity":
      return typeof value === "string" || typeof value === "number"
        ? quantity(String(value), state)
        : fail(state, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    case "IntOrString":
      if (typeof value === "string") return value;
      return typeof value === "number"
        ? int32(value, "int32", definition, state)
        : mismatch({ value, type: "int32", definition, state });
    case "Time":
      return typeof value === "string" ? time(value, 0, state) : mismatch({ value, type: "string", definition, state });
    case "MicroTime":
      return typeof value === "string" ? time(value, 6, state) : mismatch({ value, type: "string", definition, state });
    case "Duration":
      return typeof value === "string" ? value : mismatch({ value, type: "string", definition, state });
    case "strings":
      if (!Array.isArray(value)) return mismatch({ value, type: elementType(field, definition), definition, state });
      return value.map((item: unknown) =>
        typeof item === "string" ? item : mismatch({ value: item, type: "string", definition, state }),
      );
    case "struct":
      if (!isObject(value)) return mismatch({ value, type: goName(field, definition), definition, state });
      return decodeStruct(field.struct ?? "", value, state);
    case "schemaOr":
      return decodeSchemaOr(field, value, definition, state);
    case "RawExtension":
    case "any":
      return value;
  }
}

/** A schema or what may stand in its place. These have decoders of their own in Go, which know nothing of unknown fields. */
function decodeSchemaOr(field: GoField, value: unknown, definition: string, state: State): unknown {
  const own: State = {
    unknown: [],
    path: [],
    fields: [...state.fields],
    struct: state.struct ?? shortName(definition),
    error: undefined,
  };
  const orBool = field.name !== "items" && field.name !== "dependencies";
  const props = schemaProps(definition);
  let decoded: unknown;
  if (isObject(value)) decoded = decodeStruct(props, value, own);
  else if (orBool) decoded = typeof value === "boolean" ? value : fail(own, "boolean or JSON schema expected");
  else if (Array.isArray(value)) {
    const wanted = field.name === "items" ? goName({ ...field, kind: "struct", struct: props }, definition) : "string";
    decoded = value.map((item: unknown) => {
      if (item === null) return wanted === "string" ? "" : {};
      if (wanted === "string")
        return typeof item === "string" ? item : mismatch({ value: item, type: wanted, definition, state: own });
      return isObject(item)
        ? decodeStruct(props, item, own)
        : mismatch({ value: item, type: wanted, definition, state: own });
    });
  }
  state.error ??= own.error;
  return decoded;
}

/** Bytes given one by one. */
function bytesOf(value: readonly unknown[], definition: string, state: State): unknown {
  const numbers = value.map((item) =>
    typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255
      ? item
      : mismatch({
          value: item,
          type: "uint8",
          definition,
          state,
          as: typeof item === "number" ? `number ${String(item)}` : undefined,
        }),
  );
  return base64Slice(Uint8Array.from(numbers as number[]), 0, numbers.length);
}

/** Whether and as what a field is printed. */
function print(field: GoField, value: unknown): unknown {
  if (field.omit === "zero") return value === undefined || isZero(value) ? undefined : value;
  if (field.pointer || (!field.list && !field.map && (field.kind === "any" || field.kind === "schemaOr")))
    return value ?? (field.omit === "never" ? null : undefined);
  if (field.list || field.map) {
    // An empty list of managed fields clears those that are stored; it never is stored itself.
    // An empty list of an autoscaler's policies is not filled with the usual ones, but refused: so neither is it.
    if ((field.name === "managedFields" || field.name === "policies") && Array.isArray(value)) return value;
    if (value === undefined || (field.omit !== "never" && isEmpty(value as object)))
      return field.omit === "never" ? null : undefined;
    return value;
  }
  if (
    field.kind === "struct" ||
    field.kind === "Time" ||
    field.kind === "MicroTime" ||
    field.kind === "RawExtension" ||
    field.kind === "Quantity" ||
    field.kind === "IntOrString" ||
    field.kind === "Duration"
  ) {
    return value ?? zeroOf(field);
  }
  if (field.omit === "empty") return value === undefined || isZero(value) ? undefined : value;
  return value ?? zeroOf(field);
}

function isZero(value: unknown): boolean {
  return (
    value === "" || value === 0 || value === false || value === null || (Array.isArray(value) && value.length === 0)
  );
}

function zeroOf(field: GoField): unknown {
  switch (field.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
    case "IntOrString":
      return 0;
    case "Quantity":
      return "0";
    case "Duration":
      return "0s";
    case "struct":
      return printGoObject(field.struct ?? "", {});
    default:
      return null;
  }
}

/** The name under which Go knows the type of a value, or of the elements of a list or map. */
function elementType(field: GoField, definition: string): string {
  const whole = field.goType;
  if (whole === undefined) return goName(field, definition);
  if (!field.list && !field.map) return whole;
  // Of a list or map with a name of its own, the elements are of a plain type.
  return /^(?:\[\]|map\[[^\]]*\])\*?(.+)$/.exec(whole)?.[1] ?? goName(field, definition);
}

/** The name under which Go knows the type of a field's kind. */
function goName(field: GoField, definition: string): string {
  if (field.kind !== "struct") return goNames[field.kind] ?? field.kind;
  const parts = (field.struct ?? definition).split(".");
  return `${parts.at(-2) ?? ""}.${parts.at(-1) ?? ""}`;
}

/** Kinds that have another name in Go. */
const goNames: Readonly<Partial<Record<GoField["kind"], string>>> = {
  strings: "[]string",
  bytes: "[]uint8",
  any: "v1.JSON",
  Quantity: "resource.Quantity",
  IntOrString: "intstr.IntOrString",
  Time: "v1.Time",
  MicroTime: "v1.MicroTime",
  Duration: "v1.Duration",
  RawExtension: "runtime.RawExtension",
};

function schemaProps(definition: string): string {
  return `${definition.slice(0, definition.lastIndexOf("."))}.JSONSchemaProps`;
}

function int32(value: unknown, type: string, definition: string, state: State): unknown {
  if (!isInteger(value, 2147483647)) return notAnInteger(value, type, definition, state);
  return value === 0 ? 0 : value;
}

function int64(value: unknown, type: string, definition: string, state: State): unknown {
  if (!isInteger(value, 2 ** 63)) return notAnInteger(value, type, definition, state);
  return value === 0 ? 0 : value;
}

function isInteger(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) <= most && (value as number) >= -most - 1;
}

function notAnInteger(value: unknown, type: string, definition: string, state: State): unknown {
  const as = typeof value === "number" ? `number ${String(value)}` : undefined;
  return mismatch({ value, type, definition, state, as });
}

/** Quantities by the texts they came in: the same few are written again and again. */
const quantities = new Map<string, string>();
const MOST_QUANTITIES = 1000;

function quantity(text: string, state: State): unknown {
  const known = quantities.get(text);
  if (known !== undefined) return known;
  try {
    const canonical = formatQuantity(parseQuantity(text));
    if (quantities.size >= MOST_QUANTITIES) quantities.clear();
    quantities.set(text, canonical);
    return canonical;
  } catch (error) {
    return fail(state, error instanceof Error ? error.message : String(error));
  }
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The last text that was a time in canonical form: an object's times are mostly the same one. */
let lastTime: string | undefined;

function time(text: string, digits: 0 | 6, state: State): unknown {
  if (digits === 0 && text === lastTime) return text;
  const match = RFC3339.exec(text);
  const ms = match === null ? NaN : Date.parse(text);
  if (match === null || Number.isNaN(ms) || (digits === 6 && match[7]?.length !== 7)) {
    const layout = digits === 6 ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
    const [left, wanted] = scan(text, digits === 6);
    if (wanted === "" && left !== "")
      return fail(state, `parsing time ${goTimeQuote(text)}: extra text: ${goTimeQuote(left)}`);
    return fail(
      state,
      `parsing time ${goTimeQuote(text)} as "${layout}": cannot parse ${goTimeQuote(left)} as ${JSON.stringify(wanted)}`,
    );
  }
  const whole = new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19);
  if (digits === 0) return (lastTime = `${whole}Z`);
  return `${whole}.${(match[7] ?? ".").slice(1).padEnd(6, "0").slice(0, 6)}Z`;
}

type LayoutPart = readonly [pattern: RegExp, layout: string];
const UNTIL_SECONDS: readonly LayoutPart[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d{2}/, "01"],
  [/^-/, "-"],
  [/^\d{2}/, "02"],
  [/^T/, "T"],
  [/^\d{2}/, "15"],
  [/^:/, ":"],
  [/^\d{2}/, "04"],
  [/^:/, ":"],
];
const ZONE: LayoutPart = [/^(Z|[+-]\d{2}:\d{2})/, "Z07:00"];
const SECONDS: readonly LayoutPart[] = [...UNTIL_SECONDS, [/^\d{2}(\.\d+)?/, "05"], ZONE];
const MICROSECONDS: readonly LayoutPart[] = [...UNTIL_SECONDS, [/^\d{2}/, "05"], [/^\.\d{6}(?!\d)/, ".000000"], ZONE];

/** How far Go's parser gets: what is left of the text, and the part of the layout it looked for. */
function scan(text: string, micro: boolean): [rest: string, layout: string] {
  let left = text;
  for (const [pattern, layout] of micro ? MICROSECONDS : SECONDS) {
    const found = pattern.exec(left);
    if (found === null) return [left, layout];
    left = left.slice(found[0].length);
  }
  return [left, ""];
}

function base64(text: string, state: State): unknown {
  const clean = text.replaceAll(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(clean.replace(/={1,2}$/, ""));
  if (wrong !== null) return fail(state, `illegal base64 data at input byte ${String(wrong.index)}`);
  if (clean.length % 4 !== 0)
    return fail(state, `illegal base64 data at input byte ${String(clean.length - (clean.length % 4))}`);
  return clean;
}

function mismatch({
  value,
  type,
  definition,
  state,
  as,
}: {
  value: unknown;
  type: string;
  definition: string;
  state: State;
  as?: string | undefined;
}): unknown {
  const given =
    as ??
    (Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : value === null ? "null" : typeof value);
  return fail(
    state,
    `json: cannot unmarshal ${given} into Go struct field ${state.struct ?? shortName(definition)}.${state.fields.join(".")} of type ${type}`,
    value,
  );
}

/** Kinds of values that read their JSON themselves. */
export const readers: ReadonlySet<GoField["kind"]> = new Set<GoField["kind"]>([
  "Time",
  "MicroTime",
  "Duration",
  "IntOrString",
  "Quantity",
]);

function fail(state: State, message: string, given?: unknown): unknown {
  const error = new GoDecodeError(message, state.kind, given);
  if (state.kind !== undefined && readers.has(state.kind)) state.last ??= error;
  state.error ??= error;
  return undefined;
}

function isEmpty(container: object): boolean {
  if (Array.isArray(container)) return container.length === 0;
  for (const _ in container) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
