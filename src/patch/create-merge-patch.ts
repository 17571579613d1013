import { deepEqual } from "../internal/deep-equal.js";

/**
 * The merge patch (RFC 7386) that makes `after` of `before`: what is not in `after` becomes `null`, lists are replaced
 * whole. `undefined` where nothing changed. A `null` in `after` means absent, for a merge patch cannot say otherwise.
 */
export function createMergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const changes: [string, unknown][] = [];
  const old = before as Record<string, unknown>;
  const next = after as Record<string, unknown>;
  for (const name of Object.keys(old)) if (isAbsent(next, name) && !isAbsent(old, name)) changes.push([name, null]);
  for (const name of Object.keys(next)) {
    if (isAbsent(next, name)) continue;
    const value = next[name];
    const had = Object.hasOwn(old, name) ? old[name] : undefined;
    if (isMap(value) && isMap(had)) {
      const inner = createMergePatch(had, value);
      if (inner !== undefined) changes.push([name, inner]);
    } else if (!deepEqual(had, value)) changes.push([name, value]);
  }
  // fromEntries defines: a field named __proto__ is data.
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function isAbsent(object: Record<string, unknown>, name: string): boolean {
  return !Object.hasOwn(object, name) || object[name] === undefined || object[name] === null;
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
