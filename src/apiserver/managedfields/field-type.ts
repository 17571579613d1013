import type { Schema, SchemaResolver } from "../schema/schema.js";

/** Type of a scalar; `untyped` accepts any. */
export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

/** Ownership of a list: as a whole, or per element, identified by keys or (without keys) by value. */
export interface ListType {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly element: TypeRef;
}

/** Ownership of a map or struct: as a whole, or per member. */
export interface MapType {
  readonly atomic: boolean;
  /** Declared members. */
  readonly fields: ReadonlyMap<string, TypeRef>;
  /** Type of undeclared members; `undefined` if they aren't allowed. */
  readonly element: TypeRef | undefined;
}

/** Forms that a value of a type can have; if there are several, the value decides. */
export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** A type that is resolved on first use, because definitions can be recursive. */
export interface TypeRef {
  readonly type: FieldType;
  /** Default of the member, if the schema has one. */
  readonly default?: unknown;
}

const untypedRef: TypeRef = {
  get type() {
    return untypedType;
  },
};

/** Any value, owned as a whole. */
const untypedType: FieldType = {
  scalar: "untyped",
  list: { atomic: true, keys: [], element: untypedRef },
  map: { atomic: true, fields: new Map(), element: untypedRef },
};

/** Any value: maps are owned per member, lists as a whole. */
export const deducedRef: TypeRef = {
  get type() {
    return deducedType;
  },
};

const deducedType: FieldType = {
  scalar: "untyped",
  list: { atomic: true, keys: [], element: untypedRef },
  map: { atomic: false, fields: new Map(), element: deducedRef },
};

const special: Readonly<Record<string, FieldType>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { scalar: "untyped" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": untypedType,
};

/** Creates a function that reads field types from OpenAPI schemas. Each definition is converted once. */
export function createTypeReader(resolve: SchemaResolver): (schema: Schema) => TypeRef {
  const named = new Map<string, FieldType>();
  return (schema) => refOf(schema, false, { resolve, named });
}

interface Reader {
  readonly resolve: SchemaResolver;
  readonly named: Map<string, FieldType>;
}

function refOf(schema: Schema, preserve: boolean, reader: Reader): TypeRef {
  const name = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  const mapType = schema["x-kubernetes-map-type"];
  return lazy(schema.default, () => {
    if (name === undefined) return typeOf(schema, preserve, reader);
    const type = namedType(name, reader);
    return mapType === undefined ? type : withRelationship(type, mapType === "atomic");
  });
}

function lazy(value: unknown, make: () => FieldType): TypeRef {
  let type: FieldType | undefined;
  return {
    get type() {
      return (type ??= make());
    },
    default: value,
  };
}

function namedType(name: string, reader: Reader): FieldType {
  let type = special[name] ?? reader.named.get(name);
  if (type === undefined) {
    type = typeOf(reader.resolve(name), false, reader);
    reader.named.set(name, type);
  }
  return type;
}

function withRelationship(type: FieldType, atomic: boolean): FieldType {
  if (type.map !== undefined) return { ...type, map: { ...type.map, atomic } };
  return type.list === undefined ? type : { ...type, list: { ...type.list, atomic } };
}

function typeOf(schema: Schema, inherited: boolean, reader: Reader): FieldType {
  const preserve = inherited || schema["x-kubernetes-preserve-unknown-fields"] === true;
  switch (schema.type) {
    case "object":
      return { map: mapOf(schema, preserve, reader) };
    case "array":
      return { list: listOf(schema, preserve, reader) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return {
        scalar: schema.format === undefined || schema.format === "" || schema.format === "byte" ? "string" : "untyped",
      };
    default:
      return { scalar: "untyped", list: listOf(schema, preserve, reader), map: mapOf(schema, preserve, reader) };
  }
}

function mapOf(schema: Schema, preserve: boolean, reader: Reader): MapType {
  const fields = new Map<string, TypeRef>();
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    fields.set(name, refOf(member, preserve, reader));
  return {
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    fields,
    element: elementOf(schema, fields.size > 0, preserve, reader),
  };
}

function elementOf(schema: Schema, declared: boolean, preserve: boolean, reader: Reader): TypeRef | undefined {
  const additional = schema.additionalProperties;
  if (typeof additional === "object") return refOf(additional, preserve, reader);
  if (additional !== undefined) return additional ? deducedRef : undefined;
  return preserve || !declared ? deducedRef : undefined;
}

function listOf(schema: Schema, preserve: boolean, reader: Reader): ListType {
  const element = schema.items === undefined ? untypedRef : refOf(schema.items, preserve, reader);
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== undefined)
    return {
      atomic: listType === "atomic",
      keys: listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [],
      element,
    };
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== "merge" && strategy !== "merge,retainKeys") return { atomic: true, keys: [], element };
  const key = schema["x-kubernetes-patch-merge-key"];
  return { atomic: false, keys: key === undefined ? [] : [key], element };
}
