type Json = Record<string, unknown>;

/** A list or a map inside an object. */
export interface Place {
  readonly path: readonly string[];
  readonly value: unknown[] | Json;
}

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every list and every map of this value, outermost first. */
export function* places(value: unknown, path: readonly string[]): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  yield { path, value: value as unknown[] | Json };
  for (const [key, each] of Object.entries(value)) yield* places(each, [...path, key]);
}

/** An item reduced to its plain values: what may tell it from the others. */
export function keysOf(item: unknown): unknown {
  return isMap(item) ? Object.fromEntries(Object.entries(item).filter(([, each]) => typeof each !== "object")) : item;
}

/** The least that leads from the top of `object` to `path`, where `value` stands; `undefined` leaves the place out. */
export function leadingTo(object: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = leadingTo((object as Json)[key], rest, value);
  const parts = inner === undefined ? {} : { [key]: inner };
  if (Array.isArray(object)) return [isMap(inner) ? { ...(keysOf(object[Number(key)]) as Json), ...inner } : inner];
  return parts;
}

/** A value of the same sort that is not this one. */
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

/** An item with one of its plain values changed, for each of them. */
export function changed(item: unknown): readonly unknown[] {
  if (!isMap(item)) return [unlike(item)];
  return Object.entries(item)
    .filter(([, each]) => typeof each !== "object")
    .map(([key, each]) => ({ ...item, [key]: unlike(each) }));
}
