/** The part of OpenAPI v3 that types are generated from. */
export interface TypeSchema {
  readonly $ref?: string;
  readonly allOf?: readonly TypeSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, TypeSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: TypeSchema | boolean;
  readonly items?: TypeSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** One kind in one version, as input for a module. */
export interface KindModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly status: boolean;
  readonly scale: boolean;
  /** Schema of the object. */
  readonly schema: TypeSchema;
  /** True for a kind from a CustomResourceDefinition. */
  readonly custom: boolean;
  /** Patch types in addition to apply. */
  readonly patchTypes: readonly string[];
}

/** Schemas by the name that a `$ref` uses. */
export type Definitions = ReadonlyMap<string, TypeSchema>;

/** Name of a kind: group, version, kind and plural become file names and code. */
type KindName = Pick<KindModel, "group" | "version" | "kind" | "plural">;

const names: readonly (readonly [field: keyof KindName, pattern: RegExp, expected: string])[] = [
  ["group", /^(?:[a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/, "a domain name"],
  ["kind", /^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/, "a name of letters, digits and dashes"],
  ["plural", /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "a lower-case name"],
  ["version", /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "a version such as v1"],
];

/** Returns the first part of a kind's name that isn't valid, and what it must be. */
export function invalidName(name: Readonly<Record<keyof KindName, unknown>>): [keyof KindName, string] | undefined {
  const wrong = names.find(([field, pattern]) => {
    const value = name[field];
    return typeof value !== "string" || !pattern.test(value);
  });
  return wrong && [wrong[0], wrong[2]];
}

const deepest = 200;
const text = (value: unknown): boolean => typeof value === "string";
const texts = (value: unknown): boolean => Array.isArray(value) && value.every(text);
const fields: Readonly<Record<string, readonly [valid: (value: unknown) => boolean, expected: string]>> = {
  $ref: [text, "a string"],
  type: [text, "a string"],
  format: [text, "a string"],
  description: [text, "a string"],
  enum: [Array.isArray, "a list"],
  required: [texts, "a list of strings"],
  "x-kubernetes-list-map-keys": [texts, "a list of strings"],
};

/** Place of a schema, from the inside out. */
interface Place {
  readonly field: string;
  readonly outer: Place | undefined;
  readonly depth: number;
}

/** Throws a `TypeError` that names the field if a schema from outside isn't one that types can be generated from. */
export function checkSchema(schema: unknown, where: string): asserts schema is TypeSchema {
  const open: [unknown, Place][] = [[schema, { field: where, outer: undefined, depth: 0 }]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, place] = next;
    if (place.depth > deepest) fail(place, `must not be nested deeper than ${String(deepest)} levels`);
    if (!isObject(value)) fail(place, "must be an object");
    const within = (field: string): Place => ({ field, outer: place, depth: place.depth + 1 });
    for (const [field, [valid, expected]] of Object.entries(fields))
      if (value[field] !== undefined && !valid(value[field])) fail(within(field), `must be ${expected}`);
    const { items, additionalProperties, allOf, properties } = value;
    if (items !== undefined) open.push([items, within("items")]);
    if (additionalProperties !== undefined && typeof additionalProperties !== "boolean")
      open.push([additionalProperties, within("additionalProperties")]);
    if (allOf !== undefined && !Array.isArray(allOf)) fail(within("allOf"), "must be a list");
    for (const each of (allOf as readonly unknown[] | undefined) ?? []) open.push([each, within("allOf")]);
    if (properties !== undefined && !isObject(properties)) fail(within("properties"), "must be an object");
    for (const [name, each] of Object.entries((properties as object | undefined) ?? {}))
      open.push([each, within(`properties.${name}`)]);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fail(place: Place, expected: string): never {
  const path: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.outer) path.unshift(at.field.slice(0, 100));
  const shown = path.length > 12 ? [...path.slice(0, 6), "…", ...path.slice(-5)] : path;
  throw new TypeError(`${shown.join(".")} ${expected}`);
}
