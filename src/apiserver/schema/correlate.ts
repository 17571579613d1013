import { equalJson, getOwn, isJsonObject } from "../internal/json-value.js";
import type { Schema } from "./schema.js";

/**
 * Creates a function that returns the old list's counterpart of a new element. Only lists of maps have counterparts,
 * found by their keys.
 */
export function itemCorrelator(old: unknown, schema: Schema): (item: unknown) => unknown {
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map") return () => undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const known = new Map<string, unknown>();
  for (const candidate of old as unknown[]) {
    const key = identity(candidate, keys);
    if (key !== undefined && !known.has(key)) known.set(key, candidate);
  }
  return (item) => {
    const key = identity(item, keys);
    return key === undefined ? undefined : known.get(key);
  };
}

/** Returns the identity of an element in a list of maps, or `undefined` if a key is missing or not a scalar. */
function identity(item: unknown, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => getOwn(item, key));
  return values.some((value) => value === undefined || value === null || typeof value === "object")
    ? undefined
    : JSON.stringify(values);
}

/** Returns the old map's counterpart of a member. */
export function correlatedMember(old: unknown, key: string): unknown {
  return isJsonObject(old) ? getOwn(old, key) : undefined;
}

/** A value paired with its previous one and their schema. Parts that the schema doesn't declare have no counterpart. */
export class Correlated {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  readonly #parts = new Map<string | number, Correlated | undefined>();
  #counterpart: ((item: unknown) => unknown) | undefined;
  #equal: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** Returns the pair for a member, or `undefined` if the schema or one of the values doesn't have it. */
  member(key: string): Correlated | undefined {
    return this.#part(key, () => {
      const { properties, additionalProperties } = this.#schema;
      const schema =
        properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      const [now, before] = [correlatedMember(this.value, key), correlatedMember(this.old, key)];
      return typeof schema !== "object" || now === undefined || before === undefined
        ? undefined
        : new Correlated(now, before, schema);
    });
  }

  /** Returns the pair for an element of a list of maps, matched by its keys. */
  item(index: number): Correlated | undefined {
    return this.#part(index, () => {
      const { items } = this.#schema;
      if (!Array.isArray(this.value) || items === undefined) return undefined;
      this.#counterpart ??= itemCorrelator(this.old, this.#schema);
      const before = this.#counterpart(this.value[index]);
      return before === undefined ? undefined : new Correlated(this.value[index], before, items);
    });
  }

  /** True if nothing changed; false if the schema doesn't declare all members of a map. */
  get equal(): boolean {
    return (this.#equal ??= this.#compare());
  }

  #part(key: string | number, make: () => Correlated | undefined): Correlated | undefined {
    if (!this.#parts.has(key)) this.#parts.set(key, make());
    return this.#parts.get(key);
  }

  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (this.#schema["x-kubernetes-list-type"] !== "map") return equalJson(value, old);
      return value.length === old.length && value.every((_, index) => this.item(index)?.equal === true);
    }
    if (isJsonObject(value) && isJsonObject(old))
      return (
        Object.keys(value).length === Object.keys(old).length &&
        Object.keys(value).every((key) => this.member(key)?.equal === true)
      );
    return equalJson(value, old);
  }
}
