/**
 * Fields of decoded structs that were given as an empty list or map, of which what Go prints shows nothing; and quantities that were not
 * given, of which it shows zero.
 */
const emptied = new WeakMap<object, readonly string[]>();

/** Names of the fields of an object of which what is printed shows another thing than what was given. Most have none. */
export function emptiedFields(object: object): readonly string[] | undefined {
  return emptied.get(object);
}

/** Notes such fields of an object; nothing is noted where there are none. */
export function noteEmptied(object: object, names: readonly string[] | undefined): void {
  if (names !== undefined) emptied.set(object, names);
}

/** Whether a field of such a name still has nothing, and was not set since. */
export function isPassedOver(value: unknown): boolean {
  return value === undefined || value === "0";
}

/** Whether two values that are printed alike are alike in a server's memory, where an empty list is not none. */
export function sameInMemory(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.every((item, at) => sameInMemory(item, b[at]));
  const names = (object: object): string =>
    (emptied.get(object) ?? [])
      .filter((name) => isPassedOver((object as Record<string, unknown>)[name]))
      .sort()
      .join();
  return (
    names(a) === names(b) &&
    Object.keys(a).every((key) =>
      sameInMemory((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
