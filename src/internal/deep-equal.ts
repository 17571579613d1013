/** Compares two JSON values. Members that are `undefined` count as absent, and the order of members doesn't matter. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === 0 && b === 0;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, index) => deepEqual(value, b[index]))
    );
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const names = Object.keys(left).filter((name) => left[name] !== undefined);
  const count = Object.keys(right).filter((name) => right[name] !== undefined).length;
  return (
    names.length === count && names.every((name) => Object.hasOwn(right, name) && deepEqual(left[name], right[name]))
  );
}
