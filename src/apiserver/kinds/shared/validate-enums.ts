import type { GoField } from "../../../gen/go-types.js";
import { goStruct } from "../../../gen/go-types.js";
import { definition as definitionOf } from "../../../gen/openapi/definitions.js";
import type { FieldError } from "../../errors/field-error.js";
import { notSupported } from "./field-errors.js";
import { containsStruct } from "./walk-structs.js";

/** Returns the errors of an object's enum fields, according to the schema. */
export function validateEnums(definition: string, object: Readonly<Record<string, unknown>>): FieldError[] {
  const errors: FieldError[] = [];
  visit(definition, object, "", errors);
  return errors;
}

function visit(definition: string, struct: Readonly<Record<string, unknown>>, at: string, errors: FieldError[]): void {
  const enums = enumsOf(definition);
  for (const field of fieldsWithEnums(definition)) {
    const value = struct[field.name];
    if (value === undefined || value === null) continue;
    const path = at === "" ? field.name : `${at}.${field.name}`;
    const known = enums.get(field.name);
    if (known !== undefined) {
      const values: unknown[] = Array.isArray(value) ? value : [value];
      for (const each of values)
        if (typeof each === "string" && each !== "" && !known.includes(each))
          errors.push(notSupported(path, each, known));
    }
    if (field.kind !== "struct" || field.struct === undefined || typeof value !== "object") continue;
    if (Array.isArray(value))
      (value as Record<string, unknown>[]).forEach((item, index) =>
        visit(field.struct ?? "", item, `${path}[${String(index)}]`, errors),
      );
    else if (field.map)
      for (const [key, item] of Object.entries(value))
        visit(field.struct, item as Record<string, unknown>, `${path}[${key}]`, errors);
    else visit(field.struct, value as Record<string, unknown>, path, errors);
  }
}

const checkedFields = new Map<string, readonly GoField[]>();

/** Returns the fields of a struct that are enums or may contain some. */
function fieldsWithEnums(definition: string): readonly GoField[] {
  let found = checkedFields.get(definition);
  if (found === undefined) {
    const enums = enumsOf(definition);
    found = (goStruct(definition) ?? []).filter(
      ({ name, kind, struct = "" }) =>
        name !== "metadata" &&
        name !== "status" &&
        (enums.has(name) || (kind === "struct" && containsStruct(struct, (inner) => enumsOf(inner).size > 0))),
    );
    checkedFields.set(definition, found);
  }
  return found;
}

/** Fields that hand-written rules check under other paths. */
const elsewhere = new Set([
  "io.k8s.api.core.v1.VolumeMount.mountPropagation",
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec.accessModes",
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec.volumeMode",
]);

const cache = new Map<string, ReadonlyMap<string, readonly string[]>>();

function enumsOf(definition: string): ReadonlyMap<string, readonly string[]> {
  let found = cache.get(definition);
  if (found === undefined) {
    const properties = (definitionOf(definition)?.["properties"] ?? {}) as Record<
      string,
      { enum?: string[] | undefined; items?: { enum?: string[] | undefined } | undefined }
    >;
    const known = ([key, schema]: [string, (typeof properties)[string]]): [string, readonly string[]][] => {
      const values = schema.enum ?? schema.items?.enum;
      return values === undefined || elsewhere.has(`${definition}.${key}`) ? [] : [[key, values]];
    };
    found = new Map(Object.entries(properties).flatMap(known));
    cache.set(definition, found);
  }
  return found;
}
