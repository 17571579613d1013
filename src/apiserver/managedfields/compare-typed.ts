import { setOwn } from "../../internal/set-own.js";
import { equalJson, type JsonObject } from "../internal/json-value.js";
import { sameInMemory } from "../objects/given-empty.js";
import type { FieldSet, MutableFieldSet } from "./field-set.js";
import { deducedRef, type FieldType, type ListType, type MapType, type TypeRef } from "./field-type.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { follow, markMember, startTrail, type Trail } from "./trail.js";
import { asList, asMap, listItemElement, memberType, narrow } from "./typed-value.js";

/** Difference between two objects. The sets don't overlap. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

const memberRemoved = 0;
const memberModified = 1;
const memberAdded = 2;

/** Compares two objects of a type field by field. */
export function compareTyped(left: unknown, right: unknown, type: TypeRef): Comparison {
  const [removed, modified, added]: [MutableFieldSet, MutableFieldSet, MutableFieldSet] = [{}, {}, {}];
  const old = asMap(left);
  const now = asMap(right);
  const shared = old === undefined || now === undefined ? right : withEqualMembers(now, old);
  compare(left, shared, type, startTrail(removed, modified, added));
  return { removed, modified, added };
}

/**
 * Returns the object with those members of another one that are equal, such as the spec in a change of the status. A
 * comparison skips them without following their types.
 */
export function withEqualMembers<T extends JsonObject>(object: T, other: JsonObject): T {
  const shared = { ...object };
  for (const name of Object.keys(object)) {
    const [member, known] = [object[name], other[name]];
    if (member !== known && Object.hasOwn(other, name) && isSame(known, member)) setOwn(shared, name, known);
  }
  return shared;
}

/** True if two values are equal, in Go's memory too. */
export function isSame(left: unknown, right: unknown): boolean {
  return left === right || (equalJson(left, right) && sameInMemory(left, right));
}

function compare(left: unknown, right: unknown, ref: TypeRef, trail: Trail): void {
  const type = ref.type;
  const leftType = narrow(type, left);
  const rightType = narrow(type, right);
  let leaf: boolean;
  if (right === undefined) leaf = compareAs(leftType, left, right, trail);
  else if (left === undefined || leftType === rightType) leaf = compareAs(rightType, left, right, trail);
  else {
    compareAs(leftType, left, right, trail);
    leaf = compareAs(rightType, left, right, trail);
  }
  if (leaf) return;
  if (left === undefined) markMember(trail, memberAdded);
  else if (right === undefined) markMember(trail, memberRemoved);
}

/** Compares two values; returns true if they count as a single field. */
function compareAs(type: FieldType, left: unknown, right: unknown, trail: Trail): boolean {
  if (type.map !== undefined) return compareMaps(type.map, left, right, trail);
  if (type.scalar !== undefined || type.list === undefined) return compareLeaves(left, right, trail);
  return compareLists(type.list, left, right, trail);
}

function compareLeaves(left: unknown, right: unknown, trail: Trail): boolean {
  if (left === undefined) markMember(trail, memberAdded);
  else if (right === undefined) markMember(trail, memberRemoved);
  else if (!equalJson(left, right)) markMember(trail, memberModified);
  return true;
}

function compareMaps(type: MapType, left: unknown, right: unknown, trail: Trail): boolean {
  const old = asMap(left);
  const now = asMap(right);
  if (type.atomic || (isEmpty(old) && isEmpty(now))) return compareLeaves(left, right, trail);
  for (const name in old) {
    const next = now !== undefined && Object.hasOwn(now, name) ? now[name] : undefined;
    // Identical values have no difference, whatever their type.
    if (old[name] !== next || next === undefined)
      compare(old[name], next, memberType(type, name) ?? deducedRef, follow(trail, fieldElement(name)));
  }
  for (const name in now) {
    if (old === undefined || !Object.hasOwn(old, name))
      compare(undefined, now[name], memberType(type, name) ?? deducedRef, follow(trail, fieldElement(name)));
  }
  return false;
}

const none: readonly unknown[] = [];

function compareLists(type: ListType, left: unknown, right: unknown, trail: Trail): boolean {
  const old = asList(left) ?? none;
  const now = asList(right) ?? none;
  if (type.atomic || (old.length === 0 && now.length === 0)) {
    // Lists of structs are compared by their in-memory values.
    if (left !== undefined && right !== undefined && equalJson(left, right) && !sameInMemory(left, right))
      markMember(trail, memberModified);
    return compareLeaves(left, right, trail);
  }
  // Equal lists have no difference, and finding the elements by key costs more than this.
  if (isSame(left, right)) return false;
  const oldItems = itemsByElement(type, old);
  const newItems = itemsByElement(type, now);
  for (const [element, items] of oldItems)
    compareItems(type, items, newItems.get(element) ?? none, follow(trail, element));
  for (const [element, items] of newItems)
    if (!oldItems.has(element)) compareItems(type, none, items, follow(trail, element));
  return false;
}

/** Compares list elements. Duplicate elements count as one field. */
function compareItems(type: ListType, old: readonly unknown[], now: readonly unknown[], trail: Trail): void {
  if (old.length <= 1 && now.length <= 1) return compare(old[0], now[0], type.element, trail);
  if (old.length >= 2 && now.length >= 2) {
    if (!equalJson(old, now)) markMember(trail, memberModified);
  } else if (old.length >= 2) {
    if (now.length > 0) compare(undefined, now[0], type.element, trail);
    markMember(trail, memberRemoved);
  } else {
    if (old.length > 0) compare(old[0], undefined, type.element, trail);
    markMember(trail, memberAdded);
  }
}

function isEmpty(map: object | undefined): boolean {
  for (const _ in map) return false;
  return true;
}

/** Returns the elements of an associative list by path element; elements without keys are left out. */
export function itemsByElement(type: ListType, list: readonly unknown[]): Map<PathElement, unknown[]> {
  const items = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = listItemElement(type, item);
    if (typeof element !== "string") continue;
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  }
  return items;
}
