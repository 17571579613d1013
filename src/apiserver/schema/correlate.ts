import { equalJson, getOwn, isJsonObject } from "../internal/json-value.js";
import type { Schema } from "./schema.js";

/** The element of the old list that an element of the new one continues: found by its keys in lists of maps, nowhere else. */
export function correlatedItem(item: unknown, old: unknown, schema: Schema): unknown {
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map") return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const wanted = identity(item, keys);
  return wanted === undefined
    ? undefined
    : (old as unknown[]).find((candidate) => identity(candidate, keys) === wanted);
}

/** What an element of a list of maps is known by; undefined where a key is missing or no scalar. */
function identity(item: unknown, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => getOwn(item, key));
  return values.some((value) => value === undefined || value === null || typeof value === "object")
    ? undefined
    : JSON.stringify(values);
}

/** The member of the old map that a member of the new one continues. */
export function correlatedMember(old: unknown, key: string): unknown {
  return isJsonObject(old) ? getOwn(old, key) : undefined;
}

/** A value together with the one it continues, and their schema: by it their parts are found, and what it does not know has none. */
export class Correlated {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  readonly #parts = new Map<string | number, Correlated | undefined>();
  #equal: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** The member of both values; undefined where the schema has none of that name, or one of the values. */
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

  /** An element of a list of maps, with the old one of the same keys. */
  item(index: number): Correlated | undefined {
    return this.#part(index, () => {
      const { items } = this.#schema;
      if (!Array.isArray(this.value) || items === undefined) return undefined;
      const before = correlatedItem(this.value[index], this.old, this.#schema);
      return before === undefined ? undefined : new Correlated(this.value[index], before, items);
    });
  }

  /** Whether nothing changed. Where the schema does not know all members of a map, this cannot be told. */
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
