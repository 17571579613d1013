import { groupVersions } from "../../gen/resources.js";
import { maxCauses } from "../errors/bounded.js";
import type { FieldError } from "../errors/field-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { replaceContent } from "../objects/metadata.js";
import { printGoObject } from "../schema/go-decode.js";
import { kindDefinition, structDefaults } from "./builtin-kinds.js";
import { applyDefaults } from "./shared/apply-defaults.js";
import type { PrepareHooks, ValidationHooks } from "./shared/kind-definition.js";
import { createPrinter } from "./shared/kind-printer.js";
import type { Strategy } from "./shared/strategy.js";
import { validateEnums } from "./shared/validate-enums.js";
import type { StructHooks } from "./shared/walk-structs.js";

/**
 * Returns the strategy of a version of a built-in kind. Default: the group's preferred version. The kind must be
 * loaded.
 */
export function strategyFor(group: string, resource: string, version?: string): Strategy {
  const schema = schemaOf(group, resource, version);
  const kind = kindDefinition(group, resource);
  const {
    resource: _,
    deprecations: _deprecations,
    storage: _storage,
    defaults: _defaults,
    prepare,
    validate,
    printer,
    ...rules
  } = kind ?? {
    resource,
  };
  const printed = typeof printer === "function" ? printer(version) : printer;
  return {
    ...rules,
    ...validationOf(validate, schema),
    ...(schema === undefined ? {} : { defaults: defaultsBy(structDefaults(group, resource), schema) }),
    ...preparationOf(prepare, schema),
    ...(printed === undefined ? {} : { printer: createPrinter(printed) }),
  };
}

/** Wraps the hooks that change objects, so that each leaves its object in the form that the schema prints. */
function preparationOf(
  { create, update, stored, status }: PrepareHooks<ApiObject> = {},
  schema: string | undefined,
): Strategy {
  const settle = (object: ApiObject): void => {
    if (schema !== undefined) replaceContent(object, printGoObject(schema, object));
  };
  return {
    ...(create && {
      prepareForCreate(object, context) {
        create(object, context);
        settle(object);
      },
    }),
    ...(update && {
      prepareForUpdate(object, old, context) {
        update(object, old, context);
        settle(object);
      },
    }),
    ...(stored && {
      fillStored(object) {
        stored(object);
        settle(object);
      },
    }),
    ...(status && { prepareStatus: status }),
  };
}

/**
 * Creates a function that returns true if an error makes an enum error on a field redundant: it is on the same field, a
 * parent or a child. Linear, because a body can hold 100,000 wrong values of an enum.
 */
function createHider(errors: readonly FieldError[]): (field: string) => boolean {
  /** Lists with an error in an element. */
  const lists = new Set<string>();
  const immutable = new Set<string>();
  const starts = new Set<string>();
  for (const { field, type, detail } of errors) {
    for (let at = field.indexOf("["); at >= 0; at = field.indexOf("[", at + 1)) lists.add(field.slice(0, at));
    if (detail === "field is immutable") immutable.add(field);
    else if (type !== "FieldValueForbidden") starts.add(field);
  }
  const lengths = [...new Set([...starts].map(({ length }) => length))];
  return (field) =>
    lists.has(field) ||
    immutable.has(field) ||
    lengths.some((length) => /^[.[]?$/.test(field.charAt(length)) && starts.has(field.slice(0, length)));
}

function validationOf(
  { create, update, status, checksEnums }: Partial<ValidationHooks<ApiObject>> = {},
  schema: string | undefined,
): Strategy {
  const withEnums = (object: ApiObject, errors: FieldError[]): FieldError[] => {
    // More errors than a response shows hide those of enums.
    if (schema === undefined || checksEnums === true || errors.length >= maxCauses) return errors;
    const isHidden = createHider(errors);
    return [...errors, ...validateEnums(schema, object).filter(({ field }) => !isHidden(field))];
  };
  return {
    validate: (object, context) => withEnums(object, create?.(object, context) ?? []),
    validateUpdate: (object, old) => withEnums(object, update?.(object, old) ?? create?.(object) ?? []),
    ...(status === undefined ? {} : { validateStatusUpdate: status }),
  };
}

function defaultsBy(hooks: StructHooks, schema: string): (object: ApiObject, nowMs: number) => void {
  return (object, nowMs) => {
    applyDefaults(hooks, schema, object, nowMs);
    replaceContent(object, printGoObject(schema, object));
  };
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
