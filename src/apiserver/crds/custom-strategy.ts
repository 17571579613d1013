import { getOwn, isJsonObject } from "../../internal/json-value.js";
import type { ApiObject, Strategy } from "../registry/strategy.js";
import { validateMetadata } from "../registry/validate-metadata.js";
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
  const errorsOf = (object: ApiObject, old?: ApiObject): FieldError[] => [
    ...typeErrors(object, definition, version), ...schemaErrors(object, schema, old, scaleErrors(object, version.subresources?.scale)),
  ];
  return {
    generations: true,
    allowUnconditionalUpdate: false,
    defaults: (object) => applySchemaDefaults(object, schema),
    validate: (object) => errorsOf(object),
    validateUpdate: (object, old) => [...metadataErrors(object), ...errorsOf(object, old)],
    warnings: finalizerWarnings,
    validateStatusUpdate: (object, old) => errorsOf(object, old),
    printer: customPrinter(version.additionalPrinterColumns),
    ...(selectable.length === 0 ? {} : { selectableFields: (object) => Object.fromEntries(selectable.map(({ name, find }) => [name, fieldText(find(object)[0])])) }),
  };
}

/** A real server looks at labels and annotations once more when a custom resource is updated. */
function metadataErrors(object: ApiObject): FieldError[] {
  return validateMetadata(object.metadata ?? {}, { shortFinalizers: true }).filter(({ field }) => field === "metadata.labels" || field === "metadata.annotations" || field.startsWith("metadata.ownerReferences"));
}

/** Finalizers without a domain are taken, with a warning where they are new. */
function finalizerWarnings(object: ApiObject, old: ApiObject | undefined): string[] {
  const known = new Set(old?.metadata?.finalizers ?? []);
  return (object.metadata?.finalizers ?? []).filter((name) => !known.has(name) && !name.includes("/") && !standardFinalizers.has(name)).map((name) => {
    const path = name.includes(".") ? " including a path (/)" : "";
    return `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
  });
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

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

function schemaErrors(object: ApiObject, schema: Schema | undefined, old: ApiObject | undefined, scale: readonly FieldError[]): FieldError[] {
  if (schema === undefined) return [...scale];
  const errors = [...validateValue(object, schema, old), ...scale, ...validateStructure(object, schema, old)];
  if (!hasRules(schema)) return errors;
  if (errors.some((error) => blocking.has(error.type))) {
    const detail = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, { type: "FieldValueInvalid", field: "<nil>", value: null, detail }];
  }
  return [...errors, ...validateRules(object, schema, old)];
}

/** Errors of the values that the scale subresource reads. */
function scaleErrors(object: ApiObject, scale: NonNullable<DefinitionVersion["subresources"]>["scale"]): FieldError[] {
  if (scale === undefined) return [];
  const wrong = (field: string, value: unknown, detail: string): FieldError => ({ type: "FieldValueInvalid", field, value, detail });
  const errors = [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const { value, problem } = nested(object, path, "int64");
    if (problem !== undefined) return [wrong(path, 0, problem)];
    if (typeof value !== "number") return [];
    if (value < 0) return [wrong(path, value, "should be a non-negative integer")];
    return value > 2_147_483_647 ? [wrong(path, value, "should be less than or equal to 2147483647")] : [];
  });
  const { problem } = scale.labelSelectorPath === undefined ? {} : nested(object, scale.labelSelectorPath, "string");
  return problem === undefined ? errors : [...errors, wrong(scale.labelSelectorPath ?? "", "", problem)];
}

/** The value at a path as `.spec.replicas`, and why it cannot be read, in the words of apimachinery. */
function nested(object: ApiObject, path: string, expected: "int64" | "string"): { value?: unknown; problem?: string } {
  const accessor = (value: unknown, type: string): string => `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${type}`;
  let value: unknown = object;
  for (const step of path.split(".").slice(1)) {
    if (value === undefined) return {};
    if (!isJsonObject(value)) return { problem: accessor(value, "map[string]interface{}") };
    value = getOwn(value, step);
  }
  if (value === undefined) return {};
  return goType(value) === expected ? { value } : { problem: accessor(value, expected) };
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "object" ? "map[string]interface {}" : typeof value === "boolean" ? "bool" : "string";
}

function goText(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (isJsonObject(value)) return `map[${Object.keys(value).sort().map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
  return String(value);
}

/** Errors after which rules are not asked: they count on the schema. */
const blocking = new Set<FieldError["type"]>(["FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"]);
