import { ApiFailure } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import { brokenApply } from "./apply-error.js";
import type { FieldSet } from "./field-set.js";
import type { TypeRef } from "./field-type.js";
import { typedErrors } from "./validate-typed.js";

/** Properties of a kind that field management needs for one request. */
export interface FieldScope {
  /** Version of the request, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Name of the subresource; `""` for the object itself. */
  readonly subresource: string;
  /** Returns the type of the kind's objects in a version, or `undefined` if the version is no longer served. */
  type(apiVersion: string): TypeRef | undefined;
  /** Converts the object to another served version. */
  convert(object: ApiObject, apiVersion: string): ApiObject;
  /** Returns an object with only the fields that the kind always has. */
  empty(): ApiObject;
  /** Removes fields that the server ignores in this request, so that they don't get an owner. Default: none. */
  readonly filter?: ((set: FieldSet) => FieldSet) | undefined;
}

/** Returns the set without the fields that the request can't set. */
export function withoutResetFields(set: FieldSet, scope: FieldScope): FieldSet {
  return scope.filter === undefined ? set : scope.filter(set);
}

/**
 * Returns the object in a version together with its type, or `undefined` if the version is no longer served. Throws an
 * `ApplyError` with 500 if the object can't be converted or doesn't fit the version's schema.
 */
export function inVersion(
  object: ApiObject,
  apiVersion: string,
  scope: FieldScope,
): { readonly object: ApiObject; readonly type: TypeRef } | undefined {
  const type = scope.type(apiVersion);
  if (type === undefined) return undefined;
  if (object.apiVersion === apiVersion) return { object, type };
  let converted: ApiObject;
  try {
    converted = scope.convert(object, apiVersion);
  } catch (error) {
    throw error instanceof ApiFailure ? brokenApply(error.message) : error;
  }
  const misfit = typedErrors(converted, type, { allowDuplicates: false });
  if (misfit !== undefined) throw brokenApply(`the object does not fit the schema of version ${apiVersion}: ${misfit}`);
  return { object: converted, type };
}
