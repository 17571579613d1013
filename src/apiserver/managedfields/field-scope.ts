import type { FieldSet } from "./field-set.js";
import type { TypeRef } from "./field-type.js";
import type { ApiObject } from "../registry/strategy.js";

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

/** The object in a version, and the type it has there; undefined if the version is not served any more. */
export function inVersion(object: ApiObject, apiVersion: string, scope: FieldScope): { readonly object: ApiObject; readonly type: TypeRef } | undefined {
  const type = scope.type(apiVersion);
  if (type === undefined) return undefined;
  return { object: object.apiVersion === apiVersion ? object : scope.convert(object, apiVersion), type };
}
