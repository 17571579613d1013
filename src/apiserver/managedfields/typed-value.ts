import { getOwn, isJsonObject, type JsonObject } from "../internal/json-value.js";
import type { FieldType, ListType, MapType, TypeRef } from "./field-type.js";
import { compareText, keyElement, type PathElement, valueElement } from "./path-element.js";

/** Returns the forms of a type that match a value; all of them if the value doesn't decide (null or a wrong type). */
export function narrow(type: FieldType, value: unknown): FieldType {
  if (value === undefined || value === null) return type;
  const form = Array.isArray(value) ? "list" : typeof value === "object" ? "map" : "scalar";
  if (type[form] === undefined || isNarrow(type)) return type;
  return form === "list" ? narrowed(type, "list") : form === "map" ? narrowed(type, "map") : narrowed(type, "scalar");
}

function isNarrow(type: FieldType): boolean {
  return Number(type.scalar !== undefined) + Number(type.list !== undefined) + Number(type.map !== undefined) === 1;
}

const cache = new WeakMap<FieldType, Partial<Record<keyof FieldType, FieldType>>>();

function narrowed(type: FieldType, form: keyof FieldType): FieldType {
  let forms = cache.get(type);
  if (forms === undefined) cache.set(type, (forms = {}));
  return (forms[form] ??= { [form]: type[form] });
}

/** Returns the type of a member, or `undefined` if it isn't allowed. */
export function memberType(type: MapType, name: string): TypeRef | undefined {
  return type.fields.get(name) ?? type.element;
}

/** Returns the value if it is a list. */
export function asList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Returns the value if it is a map. */
export function asMap(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Returns the path element of an element in an associative list, or the error of an invalid element. */
export function listItemElement(type: ListType, item: unknown): PathElement | { readonly error: string } {
  const error = listItemError(type, item);
  if (error !== undefined) return { error };
  if (type.keys.length === 0) return valueElement(item);
  return elementOfKeys(type, item as JsonObject);
}

/** The last element of a list with keys. Hostile lists repeat one a million times. */
let last: { readonly type: ListType; readonly values: readonly unknown[]; readonly element: PathElement } | undefined;

function elementOfKeys(type: ListType, item: JsonObject): PathElement {
  if (last?.type === type && type.keys.every((name, at) => keyOf(type, item, name) === last!.values[at]))
    return last.element;
  const keys = type.keys.map((name): [string, unknown] => [name, keyOf(type, item, name)]);
  const given = keys.filter(([, value]) => value !== undefined).sort(([a], [b]) => compareText(a, b));
  last = { type, values: keys.map(([, value]) => value), element: keyElement(given) };
  return last.element;
}

/** Returns the error of an invalid element in an associative list. */
export function listItemError(type: ListType, item: unknown): string | undefined {
  if (type.keys.length > 0) {
    if (item === null) return "associative list with keys may not have a null element";
    if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
    return type.keys.some((name) => keyOf(type, item, name) !== undefined)
      ? undefined
      : `associative list has an element without its keys ${type.keys.join(", ")}`;
  }
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type";
  if (Array.isArray(item)) return "not supported: associative list with lists as elements";
  return item === null ? "associative list without keys has an element that's an explicit null" : undefined;
}

/** Returns the value of an element's key, or the default of a missing one. */
function keyOf(type: ListType, item: JsonObject, name: string): unknown {
  const value = getOwn(item, name);
  return value === undefined ? (type.element.type.map?.fields.get(name)?.default ?? undefined) : value;
}
