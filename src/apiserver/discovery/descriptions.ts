/** Descriptions by group and type, such as `core.PodSpec`: that of the type, and those of its fields. */
export type Descriptions = Readonly<Record<string, readonly [type: string, fields: Readonly<Record<string, string>>]>>;

/** Descriptions of the fields that all objects and lists have. */
const commonFields = {
  // Upstream's specs of kubectl explain look for "APIVersion defines" and "Standard object's metadata".
  apiVersion:
    "APIVersion defines the version of the object's type: `<group>/<version>`, or the version alone in the core group.",
  kind: "Name of the object's type in CamelCase. Can't change.",
  metadata: "Standard object's metadata: name, labels and the other fields that every object has.",
} as const;

const listFields: Readonly<Record<string, string>> = {
  ...commonFields,
  items: "Objects of the list.",
  metadata: "Metadata of the list.",
};

/** Returns the description of a field that every object has, for use in a schema. */
export function described(field: keyof typeof commonFields): { readonly description: string } {
  return { description: commonFields[field] };
}

/** Returns a definition with the descriptions of its type and fields. */
export function describe(
  name: string,
  schema: Record<string, unknown>,
  descriptions: Descriptions,
): Record<string, unknown> {
  const [type, texts] = textsOf(name, schema, descriptions);
  const properties = schema["properties"] as Record<string, Record<string, unknown>> | undefined;
  return {
    ...(type === undefined ? {} : { description: type }),
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, field]) => [
          key,
          Object.hasOwn(texts, key) ? withDescription(field, texts[key]!) : field,
        ]),
      ),
    }),
  };
}

function textsOf(
  name: string,
  schema: Record<string, unknown>,
  descriptions: Descriptions,
): readonly [type: string | undefined, fields: Readonly<Record<string, string>>] {
  const kinds = schema["x-kubernetes-group-version-kind"] as readonly { kind: string }[] | undefined;
  const { items } = (schema["properties"] ?? {}) as { items?: unknown };
  if (kinds !== undefined && items !== undefined && name.endsWith("List"))
    return [`List of ${kinds[0]!.kind.slice(0, -"List".length)} objects.`, listFields];
  const [type, fields = {}] = descriptions[keyOf(name)] ?? [];
  return [type, kinds === undefined ? fields : { ...commonFields, ...fields }];
}

/** Returns the key of a definition's texts, which all versions of a group share. */
function keyOf(name: string): string {
  const [type = "", , group = ""] = name.split(".").reverse();
  return `${name.startsWith("io.k8s.apimachinery.") ? "meta" : group}.${type}`;
}

/** In OpenAPI 3.0, a reference can't have a description next to it, so `allOf` wraps it. */
function withDescription(schema: Record<string, unknown>, description: string): Record<string, unknown> {
  return "$ref" in schema ? { description, allOf: [schema] } : { description, ...schema };
}
