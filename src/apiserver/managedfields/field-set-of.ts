import { finishFieldSet, insertPath, type FieldPath, type FieldSet, type MutableFieldSet } from "./field-set.js";
import { deducedRef, type ListType, type MapType, type TypeRef } from "./field-type.js";
import { fieldElement } from "./path-element.js";
import { asList, asMap, byForm, listItemElement, memberType, narrow } from "./typed-value.js";
import { itemsByElement } from "./compare-typed.js";

/** Every field that a value mentions: what an apply of it takes hold of. */
export function fieldSetOfValue(value: unknown, type: TypeRef): FieldSet {
  const set: MutableFieldSet = {};
  walk(set, value, type, []);
  return finishFieldSet(set);
}

function walk(set: MutableFieldSet, value: unknown, ref: TypeRef, path: FieldPath): void {
  byForm(narrow(ref.type, value), {
    scalar: () => insertPath(set, path),
    list: (type) => walkList(set, type, value, path),
    map: (type) => walkMap(set, type, value, path),
  });
}

function walkMap(set: MutableFieldSet, type: MapType, value: unknown, path: FieldPath): void {
  if (type.atomic) return insertPath(set, path);
  const map = asMap(value);
  for (const name in map) {
    const member = map[name];
    const memberPath = [...path, fieldElement(name)];
    walk(set, member, memberType(type, name) ?? deducedRef, memberPath);
    const memberMap = asMap(member);
    const bare = member === null || (memberMap !== undefined && Object.keys(memberMap).length === 0);
    if (bare || !type.fields.has(name)) insertPath(set, memberPath);
  }
}

function walkList(set: MutableFieldSet, type: ListType, value: unknown, path: FieldPath): void {
  if (type.atomic) return insertPath(set, path);
  const list = asList(value) ?? [];
  const items = itemsByElement(type, list);
  for (const item of list) {
    const element = listItemElement(type, item);
    if (typeof element !== "string") continue;
    const itemPath = [...path, element];
    // Of an element that comes more than once only its presence is owned.
    if ((items.get(element)?.length ?? 0) < 2) walk(set, item, type.element, itemPath);
    insertPath(set, itemPath);
  }
}
