import type { Schema, SchemaResolver } from "../schema/schema.js";

/** What a scalar of this type may be; `untyped` takes any. */
export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

/** How a list is owned: as a whole, or element by element, told apart by keys or (without keys) by value. */
export interface ListType {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly element: TypeRef;
}

/** How a map or struct is owned: as a whole, or member by member. */
export interface MapType {
  readonly atomic: boolean;
  /** Declared members. */
  readonly fields: ReadonlyMap<string, TypeRef>;
  /** Type of members that are not declared; undefined where they are not allowed. */
  readonly element: TypeRef | undefined;
}

/** What a value of a type may be; where several are possible the value decides. */
export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** A type that is worked out when it is first needed: definitions refer to themselves. */
export interface TypeRef {
  readonly type: FieldType;
  /** Default of the member, as far as the schema has one. */
  readonly default?: unknown;
}

const untypedRef: TypeRef = {
  get type() {
    return untypedType;
  },
};

/** Anything, owned as a whole. */
const untypedType: FieldType = {
  scalar: "untyped",
  list: { atomic: true, keys: [], element: untypedRef },
  map: { atomic: true, fields: new Map(), element: untypedRef },
};

/** Anything: maps are owned member by member, lists as a whole. */
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

/** Reads field types out of OpenAPI schemas. Definitions are converted once. */
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
