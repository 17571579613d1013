import type { Json } from "./protobuf-parts.js";

const preserves = (schema: Json): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true;

/**
 * Simplifies the schema of a custom kind for clients of OpenAPI v2: schemas that allow unknown fields or null lose
 * their type, and `allOf`, `oneOf`, `anyOf` and `not` are removed. A kind that preserves unknown fields at its root
 * becomes a plain object.
 */
export function customForV2(schema: Json): Json {
  if (!preserves(schema)) return simplify(schema);
  const gvk = schema["x-kubernetes-group-version-kind"];
  return { type: "object", ...(gvk === undefined ? {} : { "x-kubernetes-group-version-kind": gvk }) };
}

function simplify(schema: Json): Json {
  if (isReference(schema)) return schema;
  const { allOf: _allOf, oneOf: _oneOf, anyOf: _anyOf, not: _not, nullable, ...rest } = schema;
  const result: Json = rest;
  if (nullable === true || preserves(schema)) {
    delete result["items"];
    delete result["properties"];
  }
  // Clients can't handle lists without an item type, or objects whose members aren't all known.
  if (
    nullable === true ||
    (result["type"] === "array" && result["items"] === undefined) ||
    (result["type"] === "object" && preserves(schema))
  )
    delete result["type"];
  const properties = result["properties"] as Record<string, Json> | undefined;
  const extra = result["additionalProperties"] as Json | boolean | undefined;
  if (Array.isArray(result["required"])) {
    const kept = result["required"].filter((name) => properties?.[String(name)]?.["nullable"] !== true);
    if (kept.length === 0 || (typeof extra === "object" && extra["nullable"] === true)) delete result["required"];
    else result["required"] = kept;
  }
  if (properties !== undefined)
    result["properties"] = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, simplify(one)]));
  if (typeof extra === "object") result["additionalProperties"] = simplify(extra);
  if (result["items"] !== undefined) result["items"] = simplify(result["items"] as Json);
  return result;
}

/** Returns true for a reference, alone or as the only schema in `allOf` next to a description. */
function isReference(schema: Json): boolean {
  const all = schema["allOf"] as Json[] | undefined;
  return schema["$ref"] !== undefined || (all?.length === 1 && all[0]!["$ref"] !== undefined);
}
