import type { Definitions, TypeSchema } from "./kind-model.js";

/** Definitions that map to a TypeScript type directly. */
const knownTypes: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "string | null",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "string | null",
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "string",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "number | string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "{ [key: string]: unknown }",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "{ [key: string]: unknown }",
};

/** Interfaces within one another, at most. */
const deepest = 200;
/** Definitions without fields that refer to one another, at most. */
const longestAlias = 32;

/** Names that the generated modules import. */
const takenNames = ["Kind", "ObjectMeta", "Scale"];

/** Converts schemas to interfaces with unique names. */
export class TypeWriter {
  /** Text of the interfaces, in the order they were first used. */
  readonly interfaces: string[] = [];
  /** True if an interface uses `ObjectMeta`. */
  usesMetadata = false;
  /** Names in use, with the number that the next one of the same name begins at. */
  readonly #names = new Map<string, number>(takenNames.map((name) => [name, 2]));
  /** Definitions without fields of their own that are being resolved. */
  readonly #aliases = new Set<string>();
  #depth = 0;
  readonly #definitions: Definitions;
  readonly #references = new Map<string, string>();

  /** `definitions` are the targets of `$ref`. */
  constructor(definitions: Definitions = new Map()) {
    this.#definitions = definitions;
  }

  /** Reserves a unique name: the requested one, with a number if it's taken. */
  take(wish: string): string {
    const base = identifier(wish);
    let name = base;
    let count = this.#names.get(base) ?? 2;
    while (this.#names.has(name)) name = `${base}${String(count++)}`;
    this.#names.set(base, count);
    if (!this.#names.has(name)) this.#names.set(name, 2);
    return name;
  }

  /** Writes the interface of an object. `overrides` replaces the types of fields that the schema describes poorly. */
  writeInterface(name: string, schema: TypeSchema, overrides: Readonly<Record<string, string>> = {}): void {
    if (++this.#depth > deepest)
      throw new TypeError(`the type of ${name.slice(0, 100)} is nested deeper than ${String(deepest)} levels`);
    const index = this.interfaces.push("") - 1;
    const required = new Set(schema.required ?? []);
    // Servers sort properties by name. Doing the same gives identical modules for a file and a cluster.
    const properties = Object.entries(schema.properties ?? {})
      .filter(([property]) => !Object.hasOwn(overrides, property))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const fields = [
      ...Object.entries(overrides).map(([property, type]) => `  ${property}?: ${type} | undefined;`),
      ...properties.map(([property, child]) => {
        const type = this.typeOf(child, `${name}${pascal(property)}`);
        return `${comment(child, "  ")}  ${key(property)}${required.has(property) ? `: ${type}` : `?: ${orUndefined(type)}`};`;
      }),
    ];
    if (schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true)
      fields.push("  [key: string]: unknown;");
    this.interfaces[index] =
      `${comment(schema, "")}export interface ${name} ${fields.length === 0 ? "{}" : `{\n${fields.join("\n")}\n}`}`;
    this.#depth--;
  }

  /** Returns the type of a value. `name` is the name for a nested interface, if one is needed. */
  typeOf(schema: TypeSchema, name: string): string {
    const type = this.#plainType(schema, name);
    return schema.nullable === true && !type.endsWith("null") && type !== "unknown" ? `${type} | null` : type;
  }

  #plainType(schema: TypeSchema, name: string): string {
    const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
    if (reference !== undefined) return this.#reference(reference.slice(reference.lastIndexOf("/") + 1));
    if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return "number | string";
    if (schema.enum !== undefined && schema.enum.length > 0)
      return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema["x-kubernetes-embedded-resource"] === true) return this.#embedded(schema, name);
    switch (schema.type) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "array": {
        const item = this.typeOf(schema.items ?? {}, name);
        return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
      }
      default:
        return this.#object(schema, name);
    }
  }

  #object(schema: TypeSchema, name: string): string {
    if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
      const taken = this.take(name);
      this.writeInterface(taken, schema);
      return taken;
    }
    if (typeof schema.additionalProperties === "object")
      return `{ [key: string]: ${this.typeOf(schema.additionalProperties, name)} }`;
    return schema.type === "object" ? "{ [key: string]: unknown }" : "unknown";
  }

  #embedded(schema: TypeSchema, name: string): string {
    this.usesMetadata = true;
    const taken = this.take(name);
    this.writeInterface(
      taken,
      { ...schema, "x-kubernetes-preserve-unknown-fields": true },
      { apiVersion: "string", kind: "string", metadata: "ObjectMeta" },
    );
    return taken;
  }

  #reference(definition: string): string {
    if (Object.hasOwn(knownTypes, definition)) return knownTypes[definition] ?? "unknown";
    if (definition.endsWith(".meta.v1.ObjectMeta")) {
      this.usesMetadata = true;
      return "ObjectMeta";
    }
    const known = this.#references.get(definition);
    if (known !== undefined) return known;
    const schema = this.#definitions.get(definition);
    if (schema === undefined) return "unknown";
    const short = definition.slice(definition.lastIndexOf(".") + 1);
    if (schema.properties === undefined || Object.keys(schema.properties).length === 0) {
      // A definition can lead to itself, or to many others.
      if (this.#aliases.has(definition) || this.#aliases.size >= longestAlias) return "unknown";
      this.#aliases.add(definition);
      const type = this.typeOf({ ...schema }, short);
      this.#aliases.delete(definition);
      return type;
    }
    const name = this.take(short);
    this.#references.set(definition, name);
    this.writeInterface(name, schema);
    return name;
  }
}

/** Converts the schema's description to a comment; empty without one. */
function comment(schema: TypeSchema, indent: string): string {
  const lines = (schema.description ?? "")
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  if (lines.length === 1 && lines[0] === "") lines.pop();
  if (
    schema.default !== undefined &&
    (typeof schema.default !== "object" || schema.default === null) &&
    schema.default !== ""
  )
    lines.push(`Default: \`${JSON.stringify(schema.default)}\`.`);
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] === "map" && keys !== undefined)
    lines.push(`Keyed by ${keys.map((each) => `\`${each}\``).join(" and ")} in apply.`);
  if (lines.length === 0) return "";
  lines.forEach((line, index) => (lines[index] = line.replaceAll("*/", "*\\/")));
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ""} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`;
}

function key(property: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(property) ? property : JSON.stringify(property);
}

/** Converts a name to PascalCase: `foo-bar.baz` becomes `FooBarBaz`. */
function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

function identifier(text: string): string {
  const name = pascal(text);
  return /^[0-9]/.test(name) || name === "" ? `T${name}` : name;
}

/** Lets an optional field be `undefined` too, so that callers can pass on what they may not have. */
function orUndefined(type: string): string {
  return type === "unknown" ? type : `${type} | undefined`;
}
