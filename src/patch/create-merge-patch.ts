import { deepEqual } from "../internal/deep-equal.js";

/**
 * Creates the merge patch (RFC 7386) that turns `before` into `after`, or returns `undefined` if they're equal. Fields
 * missing in `after` become `null`, and changed lists are replaced as a whole. A `null` in `after` counts as missing,
 * because a merge patch can't set a field to null.
 *
 * @example
 * ```ts
 * import { createMergePatch } from "kubestream/objects";
 *
 * const before = { metadata: { labels: { app: "web", tier: "front" } } };
 * const after = { metadata: { labels: { app: "web" }, annotations: { owner: "jane" } } };
 * console.log(createMergePatch(before, after)); // { metadata: { labels: { tier: null }, annotations: { owner: "jane" } } }
 * ```
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
  // `fromEntries` defines properties, so a field named `__proto__` stays data.
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function isAbsent(object: Record<string, unknown>, name: string): boolean {
  return !Object.hasOwn(object, name) || object[name] === undefined || object[name] === null;
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
