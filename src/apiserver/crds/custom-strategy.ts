import type { ApiObject, Strategy } from "../registry/strategy.js";
import { hasRules, validateRules } from "../schema/cel-rules.js";
import { applySchemaDefaults } from "../schema/default-values.js";
import type { FieldError } from "../schema/field-error.js";
import { parseJsonPath } from "../schema/json-path.js";
import type { Schema } from "../schema/schema.js";
import { validateStructure } from "../schema/validate-structure.js";
import { validateValue } from "../schema/validate-value.js";
import { customPrinter } from "./columns.js";
import type { Definition, DefinitionVersion } from "./definition.js";

/** What is special about a custom resource in one of its versions. */
export function customStrategy(definition: Definition, version: DefinitionVersion): Strategy {
  const schema = version.schema?.openAPIV3Schema;
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => ({ name: jsonPath.replace(/^\./, ""), find: parseJsonPath(jsonPath) }));
  const errorsOf = (object: ApiObject, old?: ApiObject): FieldError[] => [...typeErrors(object, definition, version), ...(schema === undefined ? [] : schemaErrors(object, schema, old))];
  return {
    generations: true,
    allowUnconditionalUpdate: false,
    defaults: (object) => applySchemaDefaults(object, schema),
    validate: (object) => errorsOf(object),
    validateUpdate: (object, old) => errorsOf(object, old),
    validateStatusUpdate: (object, old) => errorsOf(object, old),
    printer: customPrinter(version.additionalPrinterColumns),
    ...(selectable.length === 0 ? {} : { selectableFields: (object) => Object.fromEntries(selectable.map(({ name, find }) => [name, fieldText(find(object)[0])])) }),
  };
}

function fieldText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function typeErrors(object: ApiObject, definition: Definition, version: DefinitionVersion): FieldError[] {
  const { group, names } = definition.spec;
  const errors: FieldError[] = [];
  if (object.kind !== names.kind) errors.push({ type: "FieldValueInvalid", field: "kind", value: object.kind ?? "", detail: `must be ${names.kind}` });
  const apiVersion = `${group}/${version.name}`;
  if (object.apiVersion !== apiVersion) errors.push({ type: "FieldValueInvalid", field: "apiVersion", value: object.apiVersion ?? "", detail: `must be ${apiVersion}` });
  return errors;
}

function schemaErrors(object: ApiObject, schema: Schema, old: ApiObject | undefined): FieldError[] {
  const errors = [...validateValue(object, schema, old), ...validateStructure(object, schema, old)];
  if (!hasRules(schema)) return errors;
  if (errors.some((error) => blocking.has(error.type))) {
    const detail = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, { type: "FieldValueInvalid", field: "<nil>", value: "null", detail }];
  }
  return [...errors, ...validateRules(object, schema, old)];
}

/** Errors after which rules are not asked: they count on the schema. */
const blocking = new Set<FieldError["type"]>(["FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"]);
