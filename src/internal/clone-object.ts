import { copyBytes } from "./bytes.js";

type Members = Record<PropertyKey, unknown>;

/**
 * Returns a deep copy of an API object. Unlike `structuredClone`, it keeps the symbol properties of codecs, reads lazily
 * decoded fields, and needs no call stack, whatever the depth.
 */
export function cloneObject<T>(value: T): T {
  /** Objects and their copies, which have no members yet. */
  const open: { readonly source: Members; readonly copy: Members }[] = [];
  const begin = (source: unknown): unknown => {
    if (typeof source !== "object" || source === null) return source;
    if (source instanceof Uint8Array) return copyBytes(source);
    const copy = (Array.isArray(source) ? new Array<unknown>(source.length) : {}) as unknown as Members;
    open.push({ source: source as Members, copy });
    return copy;
  };
  const result = begin(value) as T;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { source, copy } = next;
    for (const key of [...Object.keys(source), ...Object.getOwnPropertySymbols(source)]) {
      const member = begin(source[key]);
      if (key === "__proto__")
        Object.defineProperty(copy, key, { value: member, writable: true, enumerable: true, configurable: true });
      else copy[key] = member;
    }
  }
  return result;
}
