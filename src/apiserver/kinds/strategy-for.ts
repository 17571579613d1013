import { groupVersions } from "../../gen/resources.js";
import type { FieldError } from "../errors/field-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { printGoObject } from "../schema/go-decode.js";
import { builtinKinds, structDefaults } from "./builtin-kinds.js";
import { applyDefaults } from "./shared/apply-defaults.js";
import type { KindDefinition, ValidationHooks } from "./shared/kind-definition.js";
import { createPrinter } from "./shared/kind-printer.js";
import type { Strategy } from "./shared/strategy.js";
import { validateEnums } from "./shared/validate-enums.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the strategy of a version of a built-in kind. Default: the group's preferred version. */
export function strategyFor(group: string, resource: string, version?: string): Strategy {
  const schema = schemaOf(group, resource, version);
  const kind = builtinKinds.get(`${group}/${resource}`);
  const strategy: Mutable<Strategy> = validationOf(kind?.validate, schema);
  if (schema !== undefined) strategy.defaults = (object, nowMs) => setDefaults(schema, object, nowMs);
  if (kind === undefined) return strategy;
  addPreparation(strategy, kind, schema);
  addRules(strategy, kind);
  const printer = typeof kind.printer === "function" ? kind.printer(version) : kind.printer;
  if (printer !== undefined) strategy.printer = createPrinter(printer);
  return strategy;
}

/** Adds the hooks that change objects. What they leave behind is put into the form that the schema prints. */
function addPreparation(
  strategy: Mutable<Strategy>,
  { prepare = {}, deletion = {} }: KindDefinition,
  schema: string | undefined,
): void {
  const { create, update, stored, status } = prepare;
  const settle = (object: ApiObject): void => {
    if (schema !== undefined) replace(object, printGoObject(schema, object));
  };
  if (create !== undefined)
    strategy.prepareForCreate = (object, context) => {
      create(object, context);
      settle(object);
    };
  if (update !== undefined)
    strategy.prepareForUpdate = (object, old, context) => {
      update(object, old, context);
      settle(object);
    };
  if (stored !== undefined)
    strategy.fillStored = (object) => {
      stored(object);
      settle(object);
    };
  if (status !== undefined) strategy.prepareStatus = status;
  if (deletion.gracePeriodSeconds !== undefined) strategy.gracePeriodSeconds = deletion.gracePeriodSeconds;
  if (deletion.begin !== undefined) strategy.beginDelete = deletion.begin;
  if (deletion.finalized !== undefined) strategy.finalized = deletion.finalized;
}

/** Adds the rules that a definition states as they are. */
function addRules(strategy: Mutable<Strategy>, kind: KindDefinition): void {
  const { generation, deletion, metadata, warnings, selectableFields, subresources } = kind;
  if (metadata !== undefined) strategy.metadata = metadata;
  if (warnings !== undefined) strategy.warnings = warnings;
  if (selectableFields !== undefined) strategy.selectableFields = selectableFields;
  if (subresources !== undefined) strategy.subresources = subresources;
  if (kind.storage !== undefined) strategy.storage = kind.storage;
  if (deletion !== undefined) strategy.deletion = deletion;
  if (kind.untrackedFields !== undefined) strategy.untrackedFields = kind.untrackedFields;
  if (kind.selectsNamespace === false) strategy.selectsNamespace = false;
  if (kind.statusTables === false) strategy.statusTables = false;
  if (kind.fillEmpty !== undefined) strategy.fillEmpty = kind.fillEmpty;
  if (kind.createOnUpdate === true) strategy.allowCreateOnUpdate = true;
  if (kind.requiresVersionOnUpdate === true) strategy.allowUnconditionalUpdate = false;
  if (generation !== undefined) strategy.generations = generation.counts === "fromOne" ? true : generation.counts;
  if (generation?.metadata !== undefined) strategy.countedMetadata = generation.metadata;
  if (generation?.emptyValues === true) strategy.countedEmpties = true;
  if (generation?.beforePreparation === true) strategy.countedAsGiven = true;
  if (deletion?.garbageCollected === false) strategy.garbageCollected = false;
  if (deletion?.deletesAlong !== undefined) strategy.deletedAlong = deletion.deletesAlong;
  if (deletion?.orphansByDefault === true) strategy.orphansByDefault = true;
}

/** Whether an error makes one about the enum of a field superfluous: it is on the field, around it or in it. */
function hides(error: FieldError, field: string): boolean {
  if (error.field.startsWith(`${field}[`)) return true;
  return error.detail === "field is immutable"
    ? error.field === field
    : error.type !== "FieldValueForbidden" && field.startsWith(error.field);
}

function validationOf(
  { create, update, status, checksEnums }: Partial<ValidationHooks<ApiObject>> = {},
  schema: string | undefined,
): Mutable<Strategy> {
  const withEnums = (object: ApiObject, errors: FieldError[]): FieldError[] =>
    schema === undefined || checksEnums === true
      ? errors
      : [
          ...errors,
          ...validateEnums(schema, object).filter(({ field }) => !errors.some((error) => hides(error, field))),
        ];
  return {
    validate: (object, context) => withEnums(object, create?.(object, context) ?? []),
    validateUpdate: (object, old) => withEnums(object, update?.(object, old) ?? create?.(object) ?? []),
    ...(status === undefined ? {} : { validateStatusUpdate: status }),
  };
}

/** Fills in the defaults of a decoded object. */
function setDefaults(schema: string, object: ApiObject, nowMs: number): void {
  applyDefaults(structDefaults, schema, object, nowMs);
  replace(object, printGoObject(schema, object));
}

/** Replaces the contents of an object that the registry holds. */
function replace(object: ApiObject, next: Record<string, unknown>): void {
  // Deleting keys makes an object slow for good, so this happens only where the keys or their order differ.
  if (!sameKeys(object, next)) for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  Object.assign(object, next);
}

function sameKeys(a: object, b: object): boolean {
  const left = Object.keys(a);
  const right = Object.keys(b);
  return left.length === right.length && left.every((key, at) => key === right[at]);
}

/** Returns the name of the schema of a kind. */
function schemaOf(group: string, resource: string, version: string | undefined): string | undefined {
  for (const each of groupVersions) {
    if (each.group !== group || (version !== undefined && each.version !== version)) continue;
    const found = each.resources.find((one) => one.name === resource);
    if (found !== undefined) return found.definition;
  }
  return undefined;
}
