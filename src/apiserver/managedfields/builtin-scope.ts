import { definition, definitionNameOf } from "../../gen/openapi/definitions.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Schema } from "../schema/schema.js";
import { emptyValue } from "./empty-object.js";
import type { FieldScope } from "./field-scope.js";
import { createTypeReader, type TypeRef } from "./field-type.js";
import { fieldFilter } from "./reset-fields.js";

/** A request for a built-in kind. */
export interface BuiltinScopeOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Name of the subresource; default the object itself. */
  readonly subresource?: string;
  /** Whether the kind has a status subresource. */
  readonly hasStatus: boolean;
  /** Converts between served versions; default rewrites `apiVersion` alone. */
  readonly convert?: ((object: ApiObject, apiVersion: string) => ApiObject) | undefined;
}

/** The definition of this name. Throws a `TypeError` for an unknown one. */
export function builtinSchema(name: string): Schema {
  const found = definition(name);
  if (found === undefined) throw new TypeError(`no definition ${name}`);
  return found;
}

const readType = createTypeReader(builtinSchema);
const types = new Map<string, TypeRef | undefined>();
const empties = new Map<string, ApiObject>();

function typeOf(apiVersion: string, kind: string): TypeRef | undefined {
  const key = `${apiVersion}/${kind}`;
  if (!types.has(key)) {
    const name = nameOf(apiVersion, kind);
    types.set(key, name === undefined ? undefined : readType({ $ref: name }));
  }
  return types.get(key);
}

function nameOf(apiVersion: string, kind: string): string | undefined {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? definitionNameOf("", apiVersion, kind)
    : definitionNameOf(apiVersion.slice(0, slash), apiVersion.slice(slash + 1), kind);
}

function emptyOf(apiVersion: string, kind: string): ApiObject {
  const key = `${apiVersion}/${kind}`;
  let found = empties.get(key);
  if (found === undefined) {
    const name = nameOf(apiVersion, kind);
    found = { ...(name === undefined ? {} : emptyValue({ $ref: name }, builtinSchema)), apiVersion, kind };
    empties.set(key, found);
  }
  return found;
}

/**
 * How fields of a built-in kind are managed.
 * @internal The server makes its scopes in field-management.ts; tests take this one.
 */
export function builtinFieldScope(options: BuiltinScopeOptions): FieldScope {
  const { group, version, kind, subresource = "" } = options;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return {
    apiVersion,
    kind,
    subresource,
    type: (wanted) => typeOf(wanted, kind),
    convert: options.convert ?? ((object, wanted) => ({ ...object, apiVersion: wanted })),
    empty: () => emptyOf(apiVersion, kind),
    filter: fieldFilter({}, subresource, options.hasStatus),
  };
}
