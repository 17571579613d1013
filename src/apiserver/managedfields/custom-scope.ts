import type { Schema } from "../schema/schema.js";
import { builtinSchema } from "./builtin-schema.js";
import { createTypeReader, type TypeRef } from "./field-type.js";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { $ref: objectMeta } } as const;

/** Derives the field types of a custom resource's version from its structural schema, if it has one. */
export function customFieldType(schema: Schema | undefined): TypeRef {
  const root: Schema = schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return createTypeReader(builtinSchema)(withMetadata({ ...root, properties: { ...root.properties, ...typeMeta } }));
}

/** Adds `metadata` to embedded resources, whatever their schema says. */
function withMetadata(schema: Schema): Schema {
  const result: Schema = { ...schema };
  if (schema["x-kubernetes-embedded-resource"] === true) {
    result.properties = { ...schema.properties, ...typeMeta };
  }
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, member]) => [name, withMetadata(member)]),
    );
  if (schema.items !== undefined) result.items = withMetadata(schema.items);
  if (typeof schema.additionalProperties === "object")
    result.additionalProperties = withMetadata(schema.additionalProperties);
  return result;
}
