/** Returns the keys of a path such as `.spec.replicas`. */
export function pathOf(text: string): string[] {
  return text.replace(/^\./, "").split(".");
}

/** Returns the value at a path, or `undefined`. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Sets the value at a path in place and creates missing parents. */
export function setAt(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = object;
  for (const key of path.slice(0, -1)) {
    if (typeof target[key] !== "object" || target[key] === null) target[key] = {};
    target = target[key] as Record<string, unknown>;
  }
  target[path[path.length - 1]!] = value;
}
