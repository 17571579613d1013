import type { Json } from "./protobuf-parts.js";

const preserves = (schema: Json): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true;

/**
 * The schema of a custom kind as readers of OpenAPI v2 can take it: what may hold unknown fields or null is left open, and the junctors are gone.
 * Of a kind that may hold anything at all there remains that it is an object.
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
  // Readers cannot cope with lists of nobody knows what, nor with objects whose members are not all known.
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

/** A reference with something said beside it is written as the only one of `allOf`. */
function isReference(schema: Json): boolean {
  const all = schema["allOf"] as Json[] | undefined;
  return schema["$ref"] !== undefined || (all?.length === 1 && all[0]!["$ref"] !== undefined);
}
