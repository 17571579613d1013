/**
 * Returns the greatest of some numbers, `-Infinity` for an empty list. `Math.max(...values)` passes each value as an
 * argument, which overflows the stack with about 100,000 of them.
 */
export function greatest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const value of values) found = Math.max(found, value);
  return found;
}

/** Returns the least of some numbers, `Infinity` for an empty list. */
export function least(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const value of values) found = Math.min(found, value);
  return found;
}
