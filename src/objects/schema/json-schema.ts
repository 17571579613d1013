/** A JSON Schema as validators export it; unknown keywords are allowed. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A structural schema of a CustomResourceDefinition. */
export type StructuralSchema = Record<string, unknown>;

/** Position in a schema. */
export interface Place {
  /** Path of the field, such as `spec.replicas`; `""` for the object. */
  readonly path: string;
  /** Root of the JSON Schema, for references. */
  readonly root: JsonSchema;
  /** References that led here. */
  readonly references: readonly string[];
}

/** Returns the place of a part of a schema. */
export function below(place: Place, name: string): Place {
  return { ...place, path: place.path === "" ? name : `${place.path}${name === "[]" ? "" : "."}${name}` };
}

/** Throws a `TypeError` that names the field. */
export function refuse({ path }: Place, problem: string): never {
  throw new TypeError(`schema: ${path === "" ? "the object" : path} ${problem}`);
}

/** Returns true for an object that isn't an array. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the schemas of a keyword such as `anyOf`; an empty list if it is missing. */
export function schemasIn(schema: JsonSchema, keyword: string): readonly JsonSchema[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value.map((each: unknown) => (isSchema(each) ? each : {})) : [];
}

/** Returns the schemas of a keyword such as `properties` by name. */
export function schemasByName(schema: JsonSchema, keyword: string): ReadonlyMap<string, JsonSchema> {
  const value = schema[keyword];
  if (!isSchema(value)) return new Map();
  return new Map(Object.entries(value).map(([name, each]) => [name, isSchema(each) ? each : {}]));
}

/** Returns the names of required properties. */
export function requiredIn({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** Replaces a reference by its target. */
export function resolve(schema: JsonSchema, place: Place): { readonly schema: JsonSchema; readonly place: Place } {
  const { $ref: reference, ...siblings } = schema;
  if (typeof reference !== "string") return { schema, place };
  if (place.references.includes(reference) || reference === "#")
    return refuse(place, "is recursive, which a structural schema can't express: use a type without a schema there");
  let target: unknown = place.root;
  for (const part of reference.replace(/^#\/?/, "").split("/")) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    target = isSchema(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  if (!isSchema(target)) return refuse(place, `refers to ${JSON.stringify(reference)}, which doesn't exist`);
  return resolve({ ...target, ...siblings }, { ...place, references: [...place.references, reference] });
}
