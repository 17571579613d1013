/** Fields of decoded structs that were given as an empty list or map, of which what Go prints shows nothing. */
const emptied = new WeakMap<object, readonly string[]>();

/** Names of the fields that an object was given as an empty list or map. Most have none. */
export function emptiedFields(object: object): readonly string[] | undefined {
  return emptied.get(object);
}

/** Notes such fields of an object; nothing is noted where there are none. */
export function noteEmptied(object: object, names: readonly string[] | undefined): void {
  if (names !== undefined) emptied.set(object, names);
}
