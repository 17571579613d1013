import { emptyFieldSet, type FieldSet, isLeaf, type MutableFieldSet } from "./field-set.js";
import type { TypeRef } from "./field-type.js";
import { fieldName, type PathElement } from "./path-element.js";

/** Adds every declared member on the set's paths: `a` for `a.b.c`, but not `a.b` if that is a map. */
export function withNamedMembers(set: FieldSet, type: TypeRef | undefined): MutableFieldSet {
  const result: MutableFieldSet = {};
  for (const element in set) {
    if (element === ".") continue;
    const node = set[element]!;
    if (isLeaf(node)) {
      result[element] = emptyFieldSet;
      continue;
    }
    const below = withNamedMembers(node, childType(element, type));
    const name = fieldName(element);
    if ("." in node || (name !== undefined && type?.type.map?.fields.has(name) === true)) below["."] = emptyFieldSet;
    result[element] = below;
  }
  return result;
}

function childType(element: PathElement, type: TypeRef | undefined): TypeRef | undefined {
  const name = fieldName(element);
  const map = type?.type.map;
  if (name !== undefined) return map?.fields.get(name) ?? map?.element;
  return element.startsWith("k:") ? type?.type.list?.element : undefined;
}

/**
 * Adjusts a set to the current schema: fields that have become atomic are owned as a whole. Returns the same set if
 * nothing changes.
 */
export function reconcileWithType(set: FieldSet, type: TypeRef): FieldSet {
  const known = reconciled.get(set);
  if (known?.type === type) return known.fields;
  const fields = reconcileNode(set, false, type, true) ?? set;
  reconciled.set(set, { type, fields });
  return fields;
}

/** Adjusted sets. Sets are immutable, and the writes of an object share them. */
const reconciled = new WeakMap<FieldSet, { readonly type: TypeRef; readonly fields: FieldSet }>();

function reconcileNode(node: FieldSet, leaf: boolean, ref: TypeRef, root: boolean): FieldSet | undefined {
  const { map, scalar, list } = ref.type;
  if (map !== undefined) {
    if (isUntyped(ref)) return undefined;
    if (!leaf && map.atomic) return root || Object.keys(node).length === 0 ? undefined : {};
    return reconcileChildren(node, (element) => {
      const name = fieldName(element);
      return (name === undefined ? undefined : map.fields.get(name)) ?? map.element;
    });
  }
  if (scalar !== undefined || list === undefined) return undefined;
  if (!leaf && list.atomic) return root ? undefined : {};
  return reconcileChildren(node, () => list.element);
}

function isUntyped(ref: TypeRef): boolean {
  const { map } = ref.type;
  if (map === undefined || map.fields.size > 0 || map.element === undefined) return false;
  return map.element.type.scalar === "untyped";
}

function reconcileChildren(
  node: FieldSet,
  typeOf: (element: PathElement) => TypeRef | undefined,
): FieldSet | undefined {
  let changed: MutableFieldSet | undefined;
  for (const element in node) {
    const type = element === "." ? undefined : typeOf(element);
    if (type === undefined) continue;
    const child = node[element]!;
    const next = reconcileNode(child, Object.keys(child).length === 0, type, false);
    if (next === undefined || next === child) continue;
    changed ??= { ...node };
    const member = "." in child && Object.keys(next).length > 0;
    changed[element] = member ? { ".": {}, ...next } : next;
  }
  return changed;
}
