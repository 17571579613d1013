import { setOwn } from "../../internal/set-own.js";
import { type JsonObject } from "../internal/json-value.js";
import { deducedRef, type FieldType, type ListType, type MapType, type TypeRef } from "./field-type.js";
import { MergeError } from "./merge-error.js";
import { formatPathElement, type PathElement } from "./path-element.js";
import { asList, asMap, listItemElement, memberType, narrow } from "./typed-value.js";

/**
 * Merges an applied configuration into an object: its leaves win, nothing is removed, and list elements keep the
 * configuration's order with the others in between. The result shares values with both. Returns `undefined` if nothing
 * is left, as for two empty maps. Throws a `MergeError` for lists with ambiguous elements.
 */
export function mergeTyped(left: unknown, right: unknown, ref: TypeRef): unknown {
  const type = ref.type;
  const leftType = narrow(type, left);
  const rightType = narrow(type, right);
  return mergeByForm(left, right, right === undefined ? leftType : rightType);
}

function mergeByForm(left: unknown, right: unknown, type: FieldType): unknown {
  const { map, scalar, list } = type;
  if (map !== undefined && !map.atomic) {
    const old = asMap(left) ?? {};
    const now = asMap(right) ?? {};
    if (Object.keys(old).length > 0 || Object.keys(now).length > 0) return mergeMaps(map, old, now);
  } else if (map === undefined && scalar === undefined && list?.atomic === false) {
    const old = asList(left) ?? [];
    const now = asList(right) ?? [];
    if (old.length > 0 || now.length > 0) return mergeLists(list, old, now);
  }
  return right === undefined ? left : right;
}

function mergeMaps(type: MapType, left: JsonObject, right: JsonObject): JsonObject | undefined {
  const result: JsonObject = {};
  const put = (name: string, old: unknown, now: unknown): void => {
    const merged = mergeTyped(old, now, memberType(type, name) ?? deducedRef);
    if (merged !== undefined) setOwn(result, name, merged);
  };
  for (const name of Object.keys(left)) put(name, left[name], Object.hasOwn(right, name) ? right[name] : undefined);
  for (const name of Object.keys(right)) if (!Object.hasOwn(left, name)) put(name, undefined, right[name]);
  return Object.keys(result).length === 0 ? undefined : result;
}

interface Indexed {
  readonly order: readonly PathElement[];
  readonly items: ReadonlyMap<PathElement, unknown>;
}

/** Indexes elements by path element. Duplicates aren't merged. */
function index(type: ListType, list: readonly unknown[], allowDuplicates: boolean): Indexed {
  const order: PathElement[] = [];
  const items = new Map<PathElement, unknown>();
  for (const [at, item] of list.entries()) {
    const element = listItemElement(type, item);
    if (typeof element !== "string") throw new MergeError(`element ${at}: ${element.error}`);
    if (items.has(element) && !allowDuplicates)
      throw new MergeError(`duplicate entries for key ${formatPathElement(element)}`);
    items.set(element, items.has(element) ? null : item);
    order.push(element);
  }
  return { order, items };
}

/**
 * Merges lists. The configuration's elements keep their order. Elements only in the object keep theirs and precede the
 * next shared element. If the configuration moves a shared element, its old position is ignored.
 */
function mergeLists(type: ListType, left: readonly unknown[], right: readonly unknown[]): unknown[] | undefined {
  const now = index(type, right, false);
  const old = index(type, left, true);
  const shared = now.order.filter((element) => old.items.has(element));
  const merged = new Set<PathElement>();
  const result: unknown[] = [];
  let nextShared = 0;
  const push = (oldItem: unknown, newItem: unknown): void => {
    const item = mergeTyped(oldItem, newItem, type.element);
    if (item !== undefined) result.push(item);
  };
  const takeNew = (element: PathElement): void => {
    merged.add(element);
    push(old.items.get(element), now.items.get(element));
  };
  let l = 0;
  let r = 0;
  while (l < old.order.length || r < now.order.length) {
    const oldElement = old.order[l];
    const newElement = now.order[r];
    if (oldElement !== undefined && newElement !== undefined) {
      if (oldElement === newElement) {
        takeNew(newElement);
        l += 1;
        r += 1;
        nextShared += 1;
        continue;
      }
      if (now.items.has(oldElement) && nextShared < shared.length && shared[nextShared] !== oldElement) {
        l += 1;
        continue;
      }
    }
    if (oldElement !== undefined) {
      if (!now.items.has(oldElement)) {
        push(left[l], undefined);
        l += 1;
        continue;
      }
      if (merged.has(oldElement)) l += 1;
    }
    if (newElement !== undefined) {
      takeNew(newElement);
      r += 1;
      if (shared[nextShared] === newElement) nextShared += 1;
    }
  }
  return result.length === 0 ? undefined : result;
}
