import { ApiFailure } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import { brokenApply } from "./apply-error.js";
import type { FieldSet } from "./field-set.js";
import type { TypeRef } from "./field-type.js";
import { typedErrors } from "./validate-typed.js";

/** What field management must know of one kind as one request addresses it. */
export interface FieldScope {
  /** Version of the request, as `apps/v1`. */
  readonly apiVersion: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Name of the subresource; `""` for the object itself. */
  readonly subresource: string;
  /** Type of the kind's objects in a version; undefined for a version that is not served any more. */
  type(apiVersion: string): TypeRef | undefined;
  /** The object in another served version. */
  convert(object: ApiObject, apiVersion: string): ApiObject;
  /** An object with nothing in it but what the kind always shows. */
  empty(): ApiObject;
  /** Takes out the fields that the server ignores in this request: nobody comes to own them by it. Default none. */
  readonly filter?: ((set: FieldSet) => FieldSet) | undefined;
}

/** The set without the fields that the request cannot set. */
export function withoutResetFields(set: FieldSet, scope: FieldScope): FieldSet {
  return scope.filter === undefined ? set : scope.filter(set);
}

/**
 * The object in a version, and the type it has there; undefined if the version is not served any more. Throws an `ApplyError` with 500 where it
 * cannot be converted, or does not fit the version's schema then.
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
