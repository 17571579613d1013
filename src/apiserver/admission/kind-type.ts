import { type Definition, definition } from "../../gen/openapi/definitions.js";
import { type CelStaticType, typeOfSchema } from "../cel/checker/types.js";
import type { ServedResource } from "../registry/resources.js";
import type { Schema } from "../schema/schema.js";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Returns the type of a kind's objects in expressions; `undefined` if nothing is known of their fields. */
export function typeOfKind({ kind, definition: name, schema }: ServedResource): CelStaticType | undefined {
  if (name !== undefined) return typeOfSchema(resolved({ $ref: name }), false, kind);
  if (schema === undefined) return undefined;
  const text: Schema = { type: "string" };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata: resolved({ $ref: objectMeta }) };
  return typeOfSchema({ ...schema, properties }, false, kind);
}

/** Replaces references by what they refer to. A definition within itself becomes an object without fields. */
function resolved({ $ref, ...own }: Definition, outer: ReadonlySet<string> = new Set()): Schema {
  if (typeof $ref === "string")
    return outer.has($ref) ? { type: "object" } : resolved(definition($ref) ?? {}, new Set([...outer, $ref]));
  const part = (value: unknown): unknown =>
    typeof value === "object" && value !== null ? resolved(value as Definition, outer) : value;
  const parts = { ...own };
  for (const key of ["items", "additionalProperties"]) if (key in own) parts[key] = part(own[key]);
  if (own["properties"] !== undefined)
    parts["properties"] = Object.fromEntries(
      Object.entries(own["properties"] as object).map(([name, value]) => [name, part(value)]),
    );
  if (own["format"] === "int-or-string") parts["x-kubernetes-int-or-string"] = true;
  return parts;
}
