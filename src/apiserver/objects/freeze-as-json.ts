import { forgetGivenEmpty } from "./given-empty.js";

/**
 * Freezes an object and everything below it, if it equals the object that its JSON text stands for. Frozen parts count
 * as such. Returns false for other objects, which stay as they are. Needs no call stack, whatever the depth.
 */
export function freezeAsJson(object: object): boolean {
  const parts: object[] = [object];
  // The loop also visits the parts that it adds.
  for (const part of parts) {
    if (Array.isArray(part)) {
      for (const item of part) if (!takePart(item, parts)) return false;
      continue;
    }
    const prototype: unknown = Object.getPrototypeOf(part);
    if (prototype !== Object.prototype && prototype !== null) return false;
    for (const key in part) if (!takePart((part as Record<string, unknown>)[key], parts)) return false;
  }
  for (const part of parts) {
    Object.freeze(part);
    forgetGivenEmpty(part);
  }
  return true;
}

/** Adds a value to the parts if it is to be frozen. Returns false for what JSON doesn't hold. */
function takePart(value: unknown, parts: object[]): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      if (value !== null && !Object.isFrozen(value)) parts.push(value);
      return true;
    default:
      return false;
  }
}
