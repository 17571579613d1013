import { groupVersions } from "../../gen/resources.js";
import type { PodSpec } from "../../kinds/core/v1.js";
import type { FieldError } from "../errors/field-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { printGoObject } from "../schema/go-decode.js";
import { builtinKinds, structDefaults } from "./builtin-kinds.js";
import { dropDisabled } from "./core/pod/drop-disabled.js";
import { plainMembers, preparationOf as prepareHooksOf, validationOf as validateHooksOf } from "./from-definition.js";
import { metadataRules } from "./metadata-rules-table.js";
import type { Preparation } from "./prepare/prepare-table.js";
import { preparations } from "./prepare/prepare-table.js";
import { printerFor } from "./printers/printer-for.js";
import { selectableFieldsOf } from "./selectable-fields.js";
import { applyDefaults } from "./shared/apply-defaults.js";
import { validateEnums } from "./shared/validate-enums.js";
import type { Strategy } from "./strategy.js";
import { subresourceRules } from "./subresource-rules.js";
import { traitsOf } from "./traits.js";
import type { Validation } from "./validation/validation-table.js";
import { validations } from "./validation/validation-table.js";
import { warningsFor } from "./warnings/warnings-for.js";

/** What is special about a built-in kind. Without a version it is the one that the group prefers. */
export function strategyFor(group: string, resource: string, version?: string): Strategy {
  const definition = definitionOf(group, resource, version);
  const key = `${group}/${resource}`;
  const kind = builtinKinds.get(key);
  const selectableFields = selectableFieldsOf(group, resource);
  const printer = printerFor(group, resource);
  const warnings = warningsFor(group, resource);
  const preparation = kind === undefined ? preparations[key] : prepareHooksOf(kind);
  return {
    ...traitsOf(group, resource),
    ...(subresourceRules[key] === undefined ? {} : { subresources: subresourceRules[key] }),
    ...(Object.hasOwn(metadataRules, key) ? { metadata: metadataRules[key]! } : {}),
    ...(definition === undefined
      ? {}
      : { defaults: (object: ApiObject, nowMs: number) => fillIn(definition, object, nowMs) }),
    ...preparationOf(
      kind === undefined && Object.hasOwn(podSpecs, key) ? withoutDisabled(key, preparation) : preparation,
      definition,
    ),
    ...validationOf(kind === undefined ? validations[key] : validateHooksOf(kind), definition),
    ...(selectableFields === undefined ? {} : { selectableFields }),
    ...(printer === undefined ? {} : { printer }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(kind === undefined ? {} : plainMembers(kind, version)),
  };
}

interface Templated {
  readonly spec?: { readonly template?: { readonly spec?: PodSpec } };
  readonly template?: { readonly spec?: PodSpec };
}

const podSpecs: Readonly<Record<string, (object: Templated) => PodSpec | undefined>> = {
  "/pods": ({ spec }) => spec as PodSpec | undefined,
  "/podtemplates": ({ template }) => template?.spec,
  "/replicationcontrollers": ({ spec }) => spec?.template?.spec,
};

/** What a server makes of a kind with pods: what is off is taken out first. */
function withoutDisabled(key: string, preparation: Preparation | undefined): Preparation {
  return {
    ...preparation,
    create(object: never, context) {
      dropDisabled(podSpecs[key]?.(object));
      preparation?.create?.(object, context);
    },
    update(object: never, old: never, context) {
      dropDisabled(podSpecs[key]?.(object));
      preparation?.update?.(object, old, context);
    },
  };
}

function preparationOf(preparation: Preparation | undefined, definition: string | undefined): Strategy {
  const { create, update, stored, gracePeriodSeconds, beginDelete, finalized } = preparation ?? {};
  const settle = (object: ApiObject): void => {
    if (definition !== undefined) replace(object, printGoObject(definition, object));
  };
  return {
    ...(create === undefined
      ? {}
      : {
          prepareForCreate: (object, context) => {
            create(object as never, context);
            settle(object);
          },
        }),
    ...(update === undefined
      ? {}
      : {
          prepareForUpdate: (object, old, context) => {
            update(object as never, old as never, context);
            settle(object);
          },
        }),
    ...(stored === undefined
      ? {}
      : {
          fillStored: (object) => {
            stored(object as never);
            settle(object);
          },
        }),
    ...(gracePeriodSeconds === undefined
      ? {}
      : { gracePeriodSeconds: (object, asked) => gracePeriodSeconds(object as never, asked) }),
    ...(beginDelete === undefined
      ? {}
      : { beginDelete: (object, nowMs, propagation) => beginDelete(object as never, nowMs, propagation) }),
    ...(finalized === undefined ? {} : { finalized: (object) => finalized(object as never) }),
  };
}

/** Whether an error says what there is to say of a field. That something around it has changed is not that. */
function hides(error: FieldError, field: string): boolean {
  if (error.field.startsWith(`${field}[`)) return true;
  return error.detail === "field is immutable"
    ? error.field === field
    : error.type !== "FieldValueForbidden" && field.startsWith(error.field);
}

function validationOf(
  validation: Validation | undefined,
  definition: string | undefined,
): Pick<Strategy, "validate" | "validateUpdate" | "validateStatusUpdate"> {
  const { create, update, status, enums } = validation ?? {};
  // A hand-written rule on a field, on what it is in or on one of its items has said it already.
  const withEnums = (object: ApiObject, errors: FieldError[]): FieldError[] => {
    if (definition === undefined || enums === true) return errors;
    return [
      ...errors,
      ...validateEnums(definition, object).filter(({ field }) => !errors.some((error) => hides(error, field))),
    ];
  };
  return {
    validate: (object, about) => withEnums(object, create?.(object as never, about) ?? []),
    validateUpdate: (object, old) =>
      withEnums(object, update?.(object as never, old as never) ?? create?.(object as never) ?? []),
    ...(status === undefined
      ? {}
      : { validateStatusUpdate: (object, old, about) => status(object as never, old as never, about) }),
  };
}

/** Fills the defaults in; the object has been decoded into Go's form before. */
function fillIn(definition: string, object: ApiObject, nowMs: number): void {
  applyDefaults(structDefaults, definition, object, nowMs);
  replace(object, printGoObject(definition, object));
}

/** Takes the new contents over; the object stays the one that the registry holds. */
function replace(object: ApiObject, next: Record<string, unknown>): void {
  // Taking keys out makes an object slow for good, so this is done only where order or presence of the keys differ.
  if (!sameKeys(object, next)) for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  Object.assign(object, next);
}

function sameKeys(a: object, b: object): boolean {
  const left = Object.keys(a);
  const right = Object.keys(b);
  return left.length === right.length && left.every((key, at) => key === right[at]);
}

function definitionOf(group: string, resource: string, version: string | undefined): string | undefined {
  for (const each of groupVersions) {
    if (each.group !== group || (version !== undefined && each.version !== version)) continue;
    const found = each.resources.find((one) => one.name === resource);
    if (found !== undefined) return found.definition;
  }
  return undefined;
}
