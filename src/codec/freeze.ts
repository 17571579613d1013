import { freezeCells } from "./lazy.js";

/**
 * Freezes an object recursively, so that code that modifies a shared object throws right there. Parts that aren't
 * decoded yet are frozen when they are.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  const deferred = freezeCells(value, deepFreeze);
  for (const key of Object.keys(value))
    if (deferred?.has(key) !== true) deepFreeze((value as Record<string, unknown>)[key]);
  return value;
}
