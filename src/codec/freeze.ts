import { freezeCells } from "./lazy.js";

/**
 * Freezes an object and everything below it, so that code that modifies a shared object throws right there. Parts that
 * aren't decoded yet are frozen when they are. Needs no call stack, whatever the depth.
 */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next) || ArrayBuffer.isView(next)) continue;
    Object.freeze(next);
    const deferred = freezeCells(next, deepFreeze);
    for (const key of Object.keys(next)) {
      if (deferred?.has(key) === true) continue;
      const member = (next as Record<string, unknown>)[key];
      if (typeof member === "object") open.push(member);
    }
  }
  return value;
}
