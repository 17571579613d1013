import type { DynamicObject } from "../client/resource/collection-handle.js";
import { deepEqual } from "../internal/deep-equal.js";
import type { ManagedFieldsEntry } from "../meta/object.js";
import { type FieldsV1, parseFieldStep } from "../patch/fields-v1.js";

/** Change of one field. */
export interface FieldChange {
  /** Path in the server's notation: `.spec.containers[name="app"].image`. */
  readonly path: string;
  /** Value before the change; absent if the field is added. */
  readonly before?: unknown;
  /** Value after the change; absent if the field is removed. */
  readonly after?: unknown;
  /** Managers that own the field before the change. */
  readonly owners: readonly string[];
}

/** Managed fields below a path. `owner` is absent for those of the changed object, which only show its structure. */
interface Owned {
  readonly owner: string | undefined;
  readonly fields: FieldsV1;
}

/** Length of a path below which fields aren't compared one by one, because objects can be nested thousands deep. */
const longestPath = 1_000;

/** Metadata that the server changes with every write. */
const bookkeeping = new Set([
  ".metadata.managedFields",
  ".metadata.resourceVersion",
  ".metadata.generation",
  ".metadata.creationTimestamp",
]);

/**
 * Lists the fields in which two versions of an object differ, except those that the server changes with every write. A
 * list is compared item by item if managed fields give its keys, otherwise as a whole.
 */
export function fieldChanges(before: DynamicObject, after: DynamicObject): FieldChange[] {
  const changes: FieldChange[] = [];
  const compare = (a: unknown, b: unknown, path: string, owned: readonly Owned[]): void => {
    if (bookkeeping.has(path) || deepEqual(a, b)) return;
    const below = owned.filter(({ fields }) => Object.keys(fields).length > 0);
    // A map or list that is owned as a whole changes as a whole.
    const whole = (owned.length > 0 && below.length === 0) || path.length > longestPath;
    if (!whole && isMap(a) && isMap(b)) {
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(own(a, name), own(b, name), `${path}.${name}`, stepInto(below, `f:${name}`));
    } else if (!whole && Array.isArray(a) && Array.isArray(b)) {
      const items = keyedItems(a, b, below);
      if (items === undefined) add(a, b, path, owned);
      else for (const [step, x, y, text] of items) compare(x, y, path + text, stepInto(below, step));
    } else add(a, b, path, owned);
  };
  const add = (a: unknown, b: unknown, path: string, owned: readonly Owned[]): void => {
    const owners = [...new Set(owned.flatMap(({ owner }) => (owner === undefined ? [] : [owner])))];
    changes.push({ path, ...(a !== undefined && { before: a }), ...(b !== undefined && { after: b }), owners });
  };
  compare(before, after, "", [...ownedBy(before, true), ...ownedBy(after, false)]);
  return changes;
}

function ownedBy(object: DynamicObject, named: boolean): Owned[] {
  return ((object.metadata?.managedFields ?? []) as readonly ManagedFieldsEntry[]).map(({ manager, fieldsV1 }) => ({
    owner: named ? (manager ?? "") : undefined,
    fields: (fieldsV1 ?? {}) as FieldsV1,
  }));
}

function stepInto(owned: readonly Owned[], step: string): Owned[] {
  return owned.flatMap(({ owner, fields }) => (Object.hasOwn(fields, step) ? [{ owner, fields: fields[step]! }] : []));
}

type Item = readonly [step: string, before: unknown, after: unknown, text: string];

/** Pairs the items of two lists by their keys. Returns `undefined` if some item has no key among the managed fields. */
function keyedItems(a: readonly unknown[], b: readonly unknown[], owned: readonly Owned[]): Item[] | undefined {
  const steps = new Set(owned.flatMap(({ fields }) => Object.keys(fields).filter((step) => step.startsWith("k:"))));
  const first = [...steps].map(parseFieldStep).find((step) => step?.type === "keys");
  if (first?.type !== "keys") return undefined;
  const names = Object.keys(first.keys);
  const [before, after] = [byKeys(a, names), byKeys(b, names)];
  if (before === undefined || after === undefined) return undefined;
  // Steps of managed fields sort their keys; so does this list, since their names come from one.
  return [...new Set([...before.keys(), ...after.keys()])].map((keys) => {
    const text = Object.entries(JSON.parse(keys) as object).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [`k:${keys}`, before.get(keys), after.get(keys), `[${text.join(",")}]`];
  });
}

/** Indexes the items by the values of their keys. Returns `undefined` unless each item has its own. */
function byKeys(list: readonly unknown[], names: readonly string[]): Map<string, unknown> | undefined {
  const index = new Map<string, unknown>();
  for (const item of list) {
    if (!isMap(item) || names.some((name) => own(item, name) === undefined)) return undefined;
    index.set(JSON.stringify(Object.fromEntries(names.map((name) => [name, item[name]]))), item);
  }
  return index.size === list.length ? index : undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(map: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
