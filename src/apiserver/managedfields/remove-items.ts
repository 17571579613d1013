import { setOwn } from "../../internal/set-own.js";
import { type JsonObject } from "../internal/json-value.js";
import { type FieldSet, hasElement, isEmptyFieldSet, withPrefix } from "./field-set.js";
import { deducedRef, type ListType, type MapType, type TypeRef } from "./field-type.js";
import { fieldElement } from "./path-element.js";
import { asList, asMap, listItemElement, memberType, narrow } from "./typed-value.js";

/** Removes the fields of a set from a value. Emptied values, and atomic maps and lists on the way, become null. */
export function removeItems(value: unknown, set: FieldSet, ref: TypeRef): unknown {
  const type = narrow(ref.type, value);
  if (type.map !== undefined) return removeFromMap(type.map, value, set);
  if (type.scalar !== undefined || type.list === undefined) return value;
  return removeFromList(type.list, value, set);
}

function removeFromMap(type: MapType, value: unknown, set: FieldSet): unknown {
  const map = asMap(value);
  if (map === undefined || type.atomic) return null;
  const result: JsonObject = {};
  for (const name of Object.keys(map)) {
    const element = fieldElement(name);
    if (hasElement(set, element)) continue;
    const below = withPrefix(set, element);
    setOwn(
      result,
      name,
      isEmptyFieldSet(below) ? map[name] : removeItems(map[name], below, memberType(type, name) ?? deducedRef),
    );
  }
  return Object.keys(result).length === 0 ? null : result;
}

function removeFromList(type: ListType, value: unknown, set: FieldSet): unknown {
  const list = asList(value) ?? [];
  if (type.atomic) return null;
  const result: unknown[] = [];
  for (const item of list) {
    const element = listItemElement(type, item);
    if (typeof element !== "string") {
      result.push(item);
      continue;
    }
    if (hasElement(set, element)) continue;
    const below = withPrefix(set, element);
    result.push(isEmptyFieldSet(below) ? item : removeItems(item, below, type.element));
  }
  return result.length === 0 ? null : result;
}
