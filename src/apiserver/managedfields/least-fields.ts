import type { JsonObject } from "../internal/json-value.js";
import { type FieldScope, withoutResetFields } from "./field-scope.js";
import { fieldSetOf, isEmptyFieldSet } from "./field-set.js";
import { deducedRef, type ListType, type MapType, type TypeRef } from "./field-type.js";
import type { PathElement } from "./path-element.js";
import { asList, asMap, listItemElement, memberType, narrow } from "./typed-value.js";

/** Quotes, a colon and braces around a path element in `fieldsV1`. */
const around = 5;

/** Bytes that may still be used. */
interface Room {
  left: number;
}

/**
 * Returns true if the fields in which a new object differs from an empty one take more than a number of bytes. Takes
 * little time for a large object, because it stops at that number. Items of a list with equal keys count once only if
 * they are neighbours.
 */
export function newFieldsExceed(object: JsonObject, empty: JsonObject, scope: FieldScope, bytes: number): boolean {
  const type = scope.type(scope.apiVersion);
  const counted = Object.entries(object).filter(
    ([name]) => !isEmptyFieldSet(withoutResetFields(fieldSetOf([name]), scope)),
  );
  const room = { left: bytes };
  if (type !== undefined) take(Object.fromEntries(counted), empty, type, room);
  return room.left < 0;
}

function take(value: unknown, empty: unknown, ref: TypeRef, room: Room): void {
  const { map, scalar, list } = narrow(ref.type, value);
  if (map !== undefined) takeMembers(map, value, empty, room);
  else if (scalar === undefined && list !== undefined) takeItems(list, value, room);
}

function takeMembers(type: MapType, value: unknown, empty: unknown, room: Room): void {
  const members = asMap(value);
  if (type.atomic) return;
  for (const name in members) {
    const [member, other] = [members[name], asMap(empty)?.[name]];
    // A member with members of its own may be in neither set.
    if (typeof member === "object") take(member, other, memberType(type, name) ?? deducedRef, room);
    else if (member !== other) room.left -= "f:".length + name.length + around;
    if (room.left < 0) return;
  }
}

function takeItems(type: ListType, value: unknown, room: Room): void {
  if (type.atomic) return;
  let last: PathElement | undefined;
  for (const item of asList(value) ?? []) {
    const element = listItemElement(type, item);
    if (typeof element !== "string" || element === last) continue;
    last = element;
    room.left -= element.length + around;
    take(item, undefined, type.element, room);
    if (room.left < 0) return;
  }
}
