import type { DeepReadonly } from "../../../meta/object.js";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * Returns a short hash of a value for names and labels. `collisions` is the number of names with this hash that were
 * taken. The characters are those of generated names.
 */
export function templateHash(value: DeepReadonly<unknown>, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${canonical(value)}#${collisions}`))
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return Array.from(String(hash), (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

/** Returns JSON text with sorted members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
