import { itemsByElement } from "./compare-typed.js";
import type { FieldSet, MutableFieldSet } from "./field-set.js";
import { deducedRef, type ListType, type MapType, type TypeRef } from "./field-type.js";
import { fieldElement } from "./path-element.js";
import { follow, markMember, startTrail, type Trail } from "./trail.js";
import { asList, asMap, memberType, narrow } from "./typed-value.js";

const allMembers = 0;

/** Returns every field that a value contains, which is what an apply of it owns. */
export function fieldSetOfValue(value: unknown, type: TypeRef): FieldSet {
  const set: MutableFieldSet = {};
  walk(value, type, startTrail(set));
  return set;
}

function walk(value: unknown, ref: TypeRef, trail: Trail): void {
  const type = narrow(ref.type, value);
  if (type.map !== undefined) walkMap(type.map, value, trail);
  else if (type.scalar !== undefined || type.list === undefined) markMember(trail, allMembers);
  else walkList(type.list, value, trail);
}

function walkMap(type: MapType, value: unknown, trail: Trail): void {
  if (type.atomic) return markMember(trail, allMembers);
  const map = asMap(value);
  for (const name in map) {
    const member = map[name];
    const there = follow(trail, fieldElement(name));
    walk(member, memberType(type, name) ?? deducedRef, there);
    const memberMap = asMap(member);
    const bare = member === null || (memberMap !== undefined && Object.keys(memberMap).length === 0);
    if (bare || !type.fields.has(name)) markMember(there, allMembers);
  }
}

function walkList(type: ListType, value: unknown, trail: Trail): void {
  if (type.atomic) return markMember(trail, allMembers);
  for (const [element, items] of itemsByElement(type, asList(value) ?? [])) {
    const there = follow(trail, element);
    // For a duplicate element, only its presence is owned.
    if (items.length < 2) walk(items[0], type.element, there);
    markMember(there, allMembers);
  }
}
