import type { GoField } from "../../gen/go-types.js";
import { goStruct } from "../../gen/go-types.js";
import { setOwn } from "../../internal/set-own.js";
import { isJsonObject, type JsonObject } from "../internal/json-value.js";

/** Unknown fields that are kept of each struct: only the first ones are reported. */
const keptUnknown = 100;
const noFields: readonly GoField[] = [];

/**
 * Returns a merge patch or strategic merge patch of a struct without most of its unknown fields, which don't change the
 * result: hostile patches consist of 200,000. Keeps directives, and shares what stays the same.
 */
export function dropUnknownFields(definition: string, patch: JsonObject): JsonObject {
  const fields = new Map((goStruct(definition) ?? noFields).map((field) => [field.name, field]));
  const keys = Object.keys(patch);
  // A list of members to retain must name all of them.
  const isLong = keys.length > fields.size + keptUnknown && fields.size > 0 && !Object.hasOwn(patch, "$retainKeys");
  const kept: JsonObject = isLong ? {} : patch;
  let unknown = 0;
  for (const key of keys) {
    const field = fields.get(key);
    const value = patch[key];
    if (field === undefined && !key.startsWith("$") && value !== null && ++unknown > keptUnknown && isLong) continue;
    const isNested = field?.kind === "struct" && !field.list && !field.map && isJsonObject(value);
    const smaller = isNested ? dropUnknownFields(field.struct!, value) : value;
    if (isLong || smaller !== value) setOwn(kept, key, smaller);
  }
  return kept;
}
