/**
 * Names of fields whose printed form differs from the request: empty lists and maps, which Go omits, and missing
 * quantities, which Go prints as zero. Keyed by the decoded struct.
 */
const givenEmpty = new WeakMap<object, readonly string[]>();

/** Returns the recorded field names of an object; most objects have none. */
export function givenEmptyFields(object: object): readonly string[] | undefined {
  return givenEmpty.get(object);
}

/** Records such fields of an object. */
export function recordGivenEmpty(object: object, names: readonly string[] | undefined): void {
  if (names !== undefined) givenEmpty.set(object, names);
}

/** Drops the recorded field names of an object, as a round trip through the store does. */
export function forgetGivenEmpty(object: object): void {
  givenEmpty.delete(object);
}

/** True while a recorded field has no value of its own. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === "0";
}

/**
 * Compares two values of equal printed form by Go's in-memory value, in which an empty list differs from a missing one.
 */
export function sameInMemory(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.every((item, at) => sameInMemory(item, b[at]));
  return (
    unsetNames(a) === unsetNames(b) &&
    Object.keys(a).every((key) =>
      sameInMemory((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

function unsetNames(object: object): string {
  const names = givenEmpty.get(object);
  if (names === undefined) return "";
  return names
    .filter((name) => isUnset((object as Record<string, unknown>)[name]))
    .sort()
    .join();
}
