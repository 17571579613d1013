import { forgetGivenEmpty } from "./given-empty.js";

/**
 * Freezes an object and everything below it, if it equals the object that its JSON text stands for. Frozen parts count
 * as such. Returns false for other objects, which may be frozen in part then.
 */
export function freezeAsJson(object: object): boolean {
  if (Object.isFrozen(object)) return true;
  if (Array.isArray(object)) {
    for (const item of object) if (!isJson(item)) return false;
  } else {
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) return false;
    for (const key of Object.keys(object)) if (!isJson((object as Record<string, unknown>)[key])) return false;
    forgetGivenEmpty(object);
  }
  Object.freeze(object);
  return true;
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      return value === null || freezeAsJson(value);
    default:
      return false;
  }
}
