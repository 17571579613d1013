type Json = Record<string, unknown>;

/** List or map inside an object. */
export interface Place {
  readonly path: readonly string[];
  readonly value: unknown[] | Json;
}

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Iterates over every list and every map of a value, outermost first. */
export function* places(value: unknown, path: readonly string[]): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  yield { path, value: value as unknown[] | Json };
  for (const [key, each] of Object.entries(value)) yield* places(each, [...path, key]);
}

/** Returns the scalar fields of an item, which may be its keys. */
export function keysOf(item: unknown): unknown {
  return isMap(item) ? Object.fromEntries(Object.entries(item).filter(([, each]) => typeof each !== "object")) : item;
}

/** Returns the minimal object with `value` at `path`; `undefined` omits the field. */
export function leadingTo(object: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = leadingTo((object as Json)[key], rest, value);
  const parts = inner === undefined ? {} : { [key]: inner };
  if (Array.isArray(object)) return [isMap(inner) ? { ...(keysOf(object[Number(key)]) as Json), ...inner } : inner];
  return parts;
}

/** Returns a different value of the same type. */
export function unlike(value: unknown): unknown {
  if (typeof value === "string")
    return /^\d/.test(value)
      ? value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
      : /^[A-Z]/.test(value)
        ? value
        : `${value}x`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return value.map(unlike);
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unlike(each)])) : value;
}

/** Returns an item with one of its scalar fields changed, for each of them. */
export function changed(item: unknown): readonly unknown[] {
  if (!isMap(item)) return [unlike(item)];
  return Object.entries(item)
    .filter(([, each]) => typeof each !== "object")
    .map(([key, each]) => ({ ...item, [key]: unlike(each) }));
}
