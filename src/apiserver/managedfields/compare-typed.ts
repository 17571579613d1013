import { equalJson } from "../../internal/json-value.js";
import { finishFieldSet, insertPath, type FieldPath, type FieldSet, type MutableFieldSet } from "./field-set.js";
import { deducedRef, type FieldType, type ListType, type MapType, type TypeRef } from "./field-type.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { asList, asMap, byForm, listItemElement, memberType, narrow } from "./typed-value.js";

/** What one object changed against another. No field is in two of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares two objects of a type field by field. */
export function compareTyped(left: unknown, right: unknown, type: TypeRef): Comparison {
  const walker = new CompareWalker();
  walker.compare(left, right, type, []);
  return {
    removed: finishFieldSet(walker.removed),
    modified: finishFieldSet(walker.modified),
    added: finishFieldSet(walker.added),
  };
}

class CompareWalker {
  readonly removed: MutableFieldSet = {};
  readonly modified: MutableFieldSet = {};
  readonly added: MutableFieldSet = {};

  compare(left: unknown, right: unknown, ref: TypeRef, path: FieldPath): void {
    const type = ref.type;
    const leftType = narrow(type, left);
    const rightType = narrow(type, right);
    let leaf: boolean;
    if (right === undefined) leaf = this.#byForm(left, right, leftType, path);
    else if (left === undefined || leftType === rightType) leaf = this.#byForm(left, right, rightType, path);
    else {
      this.#byForm(left, right, leftType, path);
      leaf = this.#byForm(left, right, rightType, path);
    }
    if (leaf) return;
    if (left === undefined) insertPath(this.added, path);
    else if (right === undefined) insertPath(this.removed, path);
  }

  /** Whether the value counts as one field. */
  #byForm(left: unknown, right: unknown, type: FieldType, path: FieldPath): boolean {
    return byForm(type, {
      scalar: () => this.#leaf(left, right, path),
      list: (list) => this.#list(list, left, right, path),
      map: (map) => this.#map(map, left, right, path),
    });
  }

  #leaf(left: unknown, right: unknown, path: FieldPath): boolean {
    if (left === undefined) insertPath(this.added, path);
    else if (right === undefined) insertPath(this.removed, path);
    else if (!equalJson(left, right)) insertPath(this.modified, path);
    return true;
  }

  #map(type: MapType, left: unknown, right: unknown, path: FieldPath): boolean {
    const old = asMap(left);
    const now = asMap(right);
    if (type.atomic || (isEmpty(old) && isEmpty(now))) return this.#leaf(left, right, path);
    for (const name in old) this.compare(old[name], now !== undefined && Object.hasOwn(now, name) ? now[name] : undefined, memberType(type, name) ?? deducedRef, [...path, fieldElement(name)]);
    for (const name in now) {
      if (old === undefined || !Object.hasOwn(old, name)) this.compare(undefined, now[name], memberType(type, name) ?? deducedRef, [...path, fieldElement(name)]);
    }
    return false;
  }

  #list(type: ListType, left: unknown, right: unknown, path: FieldPath): boolean {
    const old = asList(left) ?? [];
    const now = asList(right) ?? [];
    if (type.atomic || (old.length === 0 && now.length === 0)) return this.#leaf(left, right, path);
    const oldItems = itemsByElement(type, old);
    const newItems = itemsByElement(type, now);
    for (const element of new Set([...oldItems.keys(), ...newItems.keys()])) {
      this.#item(type, oldItems.get(element) ?? [], newItems.get(element) ?? [], [...path, element]);
    }
    return false;
  }

  /** Elements that come more than once are compared as one field. */
  #item(type: ListType, old: readonly unknown[], now: readonly unknown[], path: FieldPath): void {
    if (old.length <= 1 && now.length <= 1) return this.compare(old[0], now[0], type.element, path);
    if (old.length >= 2 && now.length >= 2) {
      if (!equalJson(old, now)) insertPath(this.modified, path);
    } else if (old.length >= 2) {
      if (now.length > 0) this.compare(undefined, now[0], type.element, path);
      insertPath(this.removed, path);
    } else {
      if (old.length > 0) this.compare(old[0], undefined, type.element, path);
      insertPath(this.added, path);
    }
  }
}

function isEmpty(map: object | undefined): boolean {
  for (const _ in map) return false;
  return true;
}

/** The elements of an associative list by their steps; those without one are left out. */
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
