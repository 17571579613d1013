import { getOwn, isJsonObject } from "../internal/json-value.js";

/** Returns the identity of an element in a merged list: its merge key's value, or the scalar itself. */
export function identity(item: unknown, mergeKey: string): unknown {
  if (mergeKey === "") return item;
  return isJsonObject(item) ? getOwn(item, mergeKey) : undefined;
}

/**
 * Sorts a merged list: elements of the patch in the patch's order, the others in the original order, interleaved by the
 * original order as far as it agrees with the patch's.
 */
export function orderMerged(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  oldOrder: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const wanted = positions(patchOrder, mergeKey);
  const old = positions(oldOrder, mergeKey);
  const fromPatch = merged.filter((item) => wanted.has(identity(item, mergeKey)));
  const others = merged.filter((item) => !wanted.has(identity(item, mergeKey)));
  sortBy(fromPatch, wanted, mergeKey);
  sortBy(others, old, mergeKey);
  return interleave(others, fromPatch, old, mergeKey);
}

function positions(order: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const map = new Map<unknown, number>();
  for (const [at, item] of order.entries()) {
    const key = identity(item, mergeKey);
    if (!map.has(key)) map.set(key, at);
  }
  return map;
}

function sortBy(items: unknown[], order: ReadonlyMap<unknown, number>, mergeKey: string): void {
  const place = (item: unknown): number => order.get(identity(item, mergeKey)) ?? -1;
  items.sort((a, b) => place(a) - place(b));
}

/** Inserts each original element before the first patch element that followed it originally. */
function interleave(
  others: readonly unknown[],
  fromPatch: readonly unknown[],
  old: ReadonlyMap<unknown, number>,
  mergeKey: string,
): unknown[] {
  const result: unknown[] = [];
  let left = 0;
  let right = 0;
  while (left < others.length && right < fromPatch.length) {
    const leftPlace = old.get(identity(others[left], mergeKey));
    const rightPlace = old.get(identity(fromPatch[right], mergeKey));
    const first = leftPlace !== undefined && rightPlace !== undefined && leftPlace < rightPlace;
    result.push(first ? others[left] : fromPatch[right]);
    if (first) left += 1;
    else right += 1;
  }
  return [...result, ...others.slice(left), ...fromPatch.slice(right)];
}
