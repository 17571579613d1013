import { copyBytes } from "./bytes.js";

/**
 * Returns a deep copy of an API object. Unlike `structuredClone`, it keeps the symbol properties of codecs and reads
 * lazily decoded fields.
 */
export function cloneObject<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return copyBytes(value) as T;
  if (Array.isArray(value)) return value.map((element: unknown) => cloneObject(element)) as T;
  const source = value as Record<PropertyKey, unknown>;
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of [...Object.keys(source), ...Object.getOwnPropertySymbols(source)]) {
    if (key === "__proto__")
      Object.defineProperty(copy, key, {
        value: cloneObject(source[key]),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    else copy[key] = cloneObject(source[key]);
  }
  return copy as T;
}
