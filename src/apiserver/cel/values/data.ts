import { getOwn, isJsonObject, type JsonObject, jsonTypeName } from "../../internal/json-value.js";
import { memberSchema } from "../../schema/member-schema.js";
import type { Schema } from "../../schema/schema.js";
import { reservedWords } from "./reserved-words.js";
import { parseDuration, parseTimestamp } from "./time.js";
import { CelDuration, CelError, type CelList, type CelMap, CelTimestamp, type CelValue, isCelMap } from "./values.js";

/** Escapes a field name for expressions; returns `undefined` for a name that isn't accessible. */
export function escapeFieldName(name: string): string | undefined {
  if (reservedWords.has(name)) return `__${name}__`;
  const escaped = name.replaceAll(/__|[./-]/g, (part) =>
    part === "__" ? "__underscores__" : part === "." ? "__dot__" : part === "-" ? "__dash__" : "__slash__",
  );
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}

/** Reverses `escapeFieldName`. */
export function unescapeFieldName(name: string): string {
  const word = /^__([a-z]+)__$/.exec(name)?.[1];
  if (word !== undefined && reservedWords.has(word)) return word;
  return name.replaceAll(
    /__(underscores|dot|dash|slash)__/g,
    (_all, part: string) => ({ underscores: "__", dot: ".", dash: "-", slash: "/" })[part] ?? "",
  );
}

/** Returns the error for data that doesn't match its schema, which can happen if it was stored under another schema. */
function mismatch(value: unknown, schema: Schema): string | undefined {
  if (value === null)
    return schema.nullable === true ? undefined : "invalid data, got null for a schema without nullable";
  const given = typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : jsonTypeName(value);
  const wanted = schema["x-kubernetes-int-or-string"] === true ? ["string", "integer"] : acceptable[schema.type ?? ""];
  return wanted === undefined || wanted.includes(given)
    ? undefined
    : `invalid data, expected ${wanted[0]!}, got ${given}`;
}

/** JSON types that are valid for a schema type. */
const acceptable: Readonly<Partial<Record<string, readonly string[]>>> = {
  object: ["object"],
  array: ["array"],
  string: ["string"],
  number: ["number", "integer"],
  integer: ["integer"],
  boolean: ["bool"],
};

/**
 * Converts JSON data to a CEL value. The schema distinguishes integers from doubles and strings from times; without a
 * schema, whole numbers are integers. Throws a `CelError` for data that doesn't match the schema.
 */
export function toCel(value: unknown, schema?: Schema): CelValue {
  const problem = schema === undefined || value === undefined ? undefined : mismatch(value, schema);
  if (problem !== undefined) throw new CelError(problem);
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return schema?.type === "number" || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === "string") return textToCel(value, schema);
  if (Array.isArray(value)) return listToCel(value, schema);
  return new JsonMap(value as JsonObject, schema);
}

function textToCel(text: string, schema: Schema | undefined): CelValue {
  switch (schema?.format) {
    case "date":
      return new CelTimestamp(parseTimestamp(`${text}T00:00:00Z`));
    case "date-time":
      return new CelTimestamp(parseTimestamp(text));
    case "duration":
      return new CelDuration(parseDuration(text));
    case "byte":
      return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    default:
      return text;
  }
}

function listToCel(list: readonly unknown[], schema: Schema | undefined): CelList {
  const items: CelValue[] & { listType?: "set" | "map"; mapKeys?: readonly string[] } = list.map((item) =>
    itemToCel(item, schema?.items),
  );
  const listType = schema?.["x-kubernetes-list-type"];
  if (listType === "set" || listType === "map") items.listType = listType;
  if (listType === "map") items.mapKeys = schema?.["x-kubernetes-list-map-keys"] ?? [];
  return items;
}

/** Converts an element. A mismatch is reported only when the element is used. */
function itemToCel(item: unknown, schema: Schema | undefined): CelValue {
  try {
    return toCel(item, schema);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return toCel(item);
  }
}

class JsonMap implements CelMap {
  readonly isCelMap = true;
  readonly #object: JsonObject;
  readonly #schema: Schema | undefined;
  readonly #cache = new Map<string, CelValue>();
  #keys: readonly string[] | undefined;

  constructor(object: JsonObject, schema: Schema | undefined) {
    this.#object = object;
    this.#schema = schema;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const raw = getOwn(this.#object, key);
    // In an object with declared fields, null means missing.
    if (raw === undefined || (raw === null && this.#schema?.properties !== undefined)) return undefined;
    const member = memberSchema(this.#schema, key);
    const value = toCel(raw, member === true ? undefined : member);
    this.#cache.set(key, value);
    return value;
  }

  field(name: string): CelValue | undefined {
    return this.get(this.#schema?.properties === undefined ? name : unescapeFieldName(name)) ?? this.get(name);
  }

  keys(): readonly string[] {
    return (this.#keys ??= Object.keys(this.#object));
  }
}

const mostValues = 1_000_000;

/** Converts a CEL value to JSON data, for the results of policies. Throws a `CelError` for more than a million values. */
export function fromCel(value: CelValue): unknown {
  let count = 0;
  const convert = (each: CelValue): unknown => {
    // A short expression can contain a list in itself so often that no memory holds all copies.
    if ((count += 1) > mostValues) throw new CelError("operation cancelled: actual cost limit exceeded");
    if (typeof each === "bigint") return Number(each);
    if (Array.isArray(each)) return (each as CelValue[]).map(convert);
    if (isCelMap(each))
      return Object.fromEntries(each.keys().map((key) => [String(convert(key)), convert(each.get(key) ?? null)]));
    return isJsonObject(each) ? String(each) : each;
  };
  return convert(value);
}
