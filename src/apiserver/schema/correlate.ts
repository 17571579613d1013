import { equalJson, getOwn, isJsonObject } from "../../internal/json-value.js";
import type { Schema } from "./schema.js";

/** The element of the old list that an element of the new one continues: found by its keys in lists of maps, nowhere else. */
export function correlatedItem(item: unknown, old: unknown, schema: Schema): unknown {
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map" || !isJsonObject(item)) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const value = (object: unknown, key: string): unknown => (isJsonObject(object) ? (getOwn(object, key) ?? schema.items?.properties?.[key]?.default) : undefined);
  return old.find((candidate) => keys.every((key) => equalJson(value(candidate, key) ?? null, value(item, key) ?? null)));
}

/** The member of the old map that a member of the new one continues. */
export function correlatedMember(old: unknown, key: string): unknown {
  return isJsonObject(old) ? getOwn(old, key) : undefined;
}
