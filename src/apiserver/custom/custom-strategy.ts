import { hasRules, type RuleOptions, validateRules } from "../cel/rules.js";
import { type FieldError, fieldErrorBody, invalidField } from "../errors/field-error.js";
import { getOwn, isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { Definition, DefinitionVersion } from "../kinds/apiextensions/definition.js";
import type { Strategy } from "../kinds/shared/strategy.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { validateMetadata, validateMetadataUpdate, validateName } from "../objects/validate-metadata.js";
import { Correlated } from "../schema/correlate.js";
import { applySchemaDefaults } from "../schema/default-values.js";
import { parseJsonPath } from "../schema/json-path.js";
import type { Schema } from "../schema/schema.js";
import { validateEmbedded } from "../schema/validate-embedded.js";
import { validateLists } from "../schema/validate-lists.js";
import { validateValue } from "../schema/validate-value.js";
import { customPrinter } from "./columns.js";

/** Creates the strategy of a custom resource in one version. */
export function customStrategy(definition: Definition, version: DefinitionVersion): Strategy {
  const schema = version.schema?.openAPIV3Schema;
  const scale = version.subresources?.scale;
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => ({
    name: jsonPath.replace(/^\./, ""),
    find: parseJsonPath(jsonPath),
  }));
  // An object of the wrong type isn't validated further.
  const typed = (object: ApiObject, errors: () => FieldError[]): FieldError[] => {
    const wrong = typeErrors(object, definition, version);
    return wrong.length > 0 ? wrong : errors();
  };
  const changed =
    (errorsOf: (object: ApiObject, old: ApiObject, correlated: Correlated | undefined) => FieldError[]) =>
    (object: ApiObject, old: ApiObject, { warn }: { warn(text: string): void }): FieldError[] =>
      typed(object, () => {
        const correlated = schema === undefined ? undefined : new Correlated(object, old, schema);
        const errors = [...validateMetadataUpdate(metaOf(object), metaOf(old)), ...errorsOf(object, old, correlated)];
        return withRules(object, schema, errors, { old, correlated, warn: toWarning(warn) });
      });
  const validateUpdate = changed((object, old, correlated) => [
    ...(schema === undefined ? [] : validateValue(object, schema, { correlated })),
    ...replicaErrors(object, scale),
    ...statusScaleErrors(object, scale),
    ...(schema === undefined ? [] : [...validateEmbedded(object, schema), ...changedLists(object, old, schema)]),
  ]);
  return {
    generation: { counts: "fromOne" },
    requiresVersionOnUpdate: true,
    defaults: (object) => applySchemaDefaults(object, schema),
    validate: (object) =>
      typed(object, () =>
        withRules(object, schema, [
          ...validateName(metaOf(object), "subdomain"),
          ...validateMetadata(metaOf(object)),
          ...(schema === undefined ? [] : validateValue(object, schema)),
          ...replicaErrors(object, scale),
          ...statusScaleErrors(object, scale),
          ...(schema === undefined ? [] : [...validateEmbedded(object, schema), ...validateLists(object, schema)]),
        ]),
      ),
    ...(version.subresources?.status === undefined ? {} : { prepareForCreate: dropStatus }),
    prepareStatus: restoreMetadata,
    validateUpdate,
    subresources: { scale: { validate: validateUpdate } },
    warnings: finalizerWarnings,
    validateStatusUpdate: changed((object, old, correlated) => [
      ...statusErrors(object, old, schema, correlated),
      ...statusScaleErrors(object, scale),
      ...(schema === undefined ? [] : changedLists(object, old, schema)),
    ]),
    printer: customPrinter(version.additionalPrinterColumns),
    selectableFields: (object) =>
      Object.fromEntries(selectable.map(({ name, find }) => [name, fieldText(find(object)[0])])),
  };
}

function dropStatus(object: ApiObject): void {
  delete object.status;
}

/** Restores the metadata of a write to /status, apart from `managedFields` and `resourceVersion`. */
function restoreMetadata(object: ApiObject, old: ApiObject): void {
  const { managedFields, resourceVersion } = metaOf(object);
  object.metadata = { ...copyJson(metaOf(old)) };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
}

function toWarning(warn: (text: string) => void): (error: FieldError) => void {
  return (error) => warn(`${placed(error).field}: ${fieldErrorBody(error)}`);
}

/** Validates only the status of a write to /status; field paths start there. */
function statusErrors(
  object: ApiObject,
  old: ApiObject,
  schema: Schema | undefined,
  correlated: Correlated | undefined,
): FieldError[] {
  const status = schema?.properties?.["status"];
  if (status === undefined || !Object.hasOwn(object, "status")) return [];
  const given = correlated?.member("status") ?? new Correlated(object["status"], getOwn(old, "status"), status);
  return validateValue(object["status"], status, { correlated: given }).map((error) => ({
    ...error,
    field: error.field === "" || error.field === "<nil>" ? "status" : `status.${error.field}`,
  }));
}

/** Validates changed lists. Lists that were already invalid may stay invalid, even for another reason. */
function changedLists(object: ApiObject, old: ApiObject, schema: Schema): FieldError[] {
  const errors = validateLists(object, schema);
  return errors.length > 0 && validateLists(old, schema).length > 0 ? [] : errors;
}

/** Returns warnings about new finalizers without a domain. */
function finalizerWarnings(object: ApiObject, old: ApiObject | undefined): string[] {
  const known = new Set(old?.metadata?.finalizers ?? []);
  return (object.metadata?.finalizers ?? [])
    .filter((name) => !known.has(name) && !name.includes("/") && !standardFinalizers.has(name))
    .map(
      (name) => `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name with a path`,
    );
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

function fieldText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function typeErrors(object: ApiObject, definition: Definition, version: DefinitionVersion): FieldError[] {
  const { group, names } = definition.spec;
  const errors: FieldError[] = [];
  if (object.kind !== names.kind) errors.push(invalidField("kind", object.kind ?? "", `must be ${names.kind}`));
  const apiVersion = `${group}/${version.name}`;
  if (object.apiVersion !== apiVersion)
    errors.push(invalidField("apiVersion", object.apiVersion ?? "", `must be ${apiVersion}`));
  return errors;
}

/** Adds the errors of the validation rules, unless the schema has errors that make rules unreliable. */
function withRules(
  object: ApiObject,
  schema: Schema | undefined,
  found: FieldError[],
  options?: RuleOptions,
): FieldError[] {
  const errors = found.map(placed);
  if (schema === undefined || !hasRules(schema)) return errors;
  if (errors.some((error) => blocking.has(error.type)))
    return [...errors, invalidField("<nil>", null, "rules were not checked because the object has other errors")];
  return [...errors, ...validateRules(object, schema, options).map(placed)];
}

/** Names the whole object, which has no path, as kube-apiserver does. */
function placed(error: FieldError): FieldError {
  return error.field === "" ? { ...error, field: "<nil>" } : error;
}

type Scale = NonNullable<DefinitionVersion["subresources"]>["scale"];

/** Validates the value that the scale subresource writes. */
function replicaErrors(object: ApiObject, scale: Scale): FieldError[] {
  return scale === undefined ? [] : countErrors(object, scale.specReplicasPath);
}

/** Validates the status values that the scale subresource reads. */
function statusScaleErrors(object: ApiObject, scale: Scale): FieldError[] {
  if (scale === undefined) return [];
  const { problem } = scale.labelSelectorPath === undefined ? {} : nested(object, scale.labelSelectorPath, "string");
  return [
    ...countErrors(object, scale.statusReplicasPath),
    ...(problem === undefined ? [] : [invalidField(scale.labelSelectorPath ?? "", "", problem)]),
  ];
}

function countErrors(object: ApiObject, path: string): FieldError[] {
  const { value, problem } = nested(object, path, "int64");
  if (problem !== undefined) return [invalidField(path, 0, problem)];
  if (typeof value !== "number") return [];
  if (value < 0) return [invalidField(path, value, "should be a non-negative integer")];
  return value > 2_147_483_647 ? [invalidField(path, value, "should be less than or equal to 2147483647")] : [];
}

/** Returns the value at a path such as `.spec.replicas`, or the reason why it has the wrong type. */
function nested(object: ApiObject, path: string, expected: "int64" | "string"): { value?: unknown; problem?: string } {
  const accessor = (value: unknown, type: string): string =>
    `${path} accessor error: the value is of the type ${jsonTypeName(value)}, expected ${type}`;
  let value: unknown = object;
  for (const step of path.split(".").slice(1)) {
    if (value === undefined || value === null) return {};
    if (!isJsonObject(value)) return { problem: accessor(value, "object") };
    value = getOwn(value, step);
  }
  const fits = expected === "string" ? typeof value === "string" : Number.isInteger(value);
  return value === undefined || fits ? { value } : { problem: accessor(value, expected) };
}

/** Errors that skip the validation rules, because rules rely on the schema. */
const blocking = new Set<FieldError["type"]>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);
