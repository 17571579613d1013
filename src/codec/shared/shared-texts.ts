import { deepFreeze } from "../freeze.js";

/** Number of characters in a shared value, without its keys. */
const longest = 1024;

/** Deepest shared value: a list of objects. */
const deepest = 2;

/** Number of values after which the older half is given up. */
const mostTexts = 2048;

/**
 * Values that equal objects share, found by their JSON. They're frozen, because many objects refer to the same one. The
 * values used last are kept: lists are ordered by name, so equal ones are close to each other.
 */
export class SharedTexts {
  #recent = new Map<string, object>();
  #older = new Map<string, object>();

  /**
   * Returns a value equal to this one, or this one, frozen, if none is kept. Others are returned unchanged. `likely` is a
   * shared value that is often the result.
   */
  share(value: object, likely: object | undefined): object {
    if (likely !== undefined && isSame(likely, value)) return likely;
    return roomFor(value, longest, deepest) < 0 ? value : this.#keep(JSON.stringify(value), value);
  }

  #keep(key: string, value: object): object {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const kept = this.#older.get(key) ?? deepFreeze(value);
    if (this.#recent.size === mostTexts) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, kept);
    return kept;
  }
}

/** Returns true if two values have the same JSON. Goes as deep as the first one, which is a shared value. */
function isSame(shared: object, value: object): boolean {
  if (Array.isArray(shared) !== Array.isArray(value)) return false;
  const keys = Object.keys(shared);
  const others = Object.keys(value);
  if (keys.length !== others.length) return false;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (key !== others[i]) return false;
    const a = (shared as Record<string, unknown>)[key];
    const b = (value as Record<string, unknown>)[key];
    if (a === b) continue;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || !isSame(a, b)) return false;
  }
  return true;
}

/**
 * Returns what a value leaves of a number of characters; less than 0 if it's too long, too deep, or has a number, whose
 * JSON may be that of another value.
 */
function roomFor(value: object, most: number, depth: number): number {
  let room = depth === 0 ? -1 : most;
  for (const member of Object.values(value) as unknown[]) {
    if (room < 0 || typeof member === "number") return -1;
    if (typeof member === "string") room -= member.length;
    else if (typeof member === "object" && member !== null) room = roomFor(member, room, depth - 1);
  }
  return room;
}
