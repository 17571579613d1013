import type { ApiObject } from "../objects/api-object.js";
import { internalVersion } from "../registry/known-kinds.js";
import { homeGroup, labelOld } from "../registry/old-kinds.js";
import type { ResourceContext, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { checkTypeFields, isSameKind, readOtherVersion, typeOfObject } from "../wire/object-type.js";

/** Type that a patched object of a built-in kind is decoded as. */
export interface PatchedType {
  /** True for the server's internal version, in which JSON field names have no meaning. */
  readonly internal: boolean;
  /** The resource in the version that the object names, if it differs. */
  readonly other?: ServedResource;
}

/** Determines the type of a patched object from its `kind` and `apiVersion`. Throws an `ObjectTypeError`. */
export function patchedType(context: ResourceContext, object: ApiObject, resource: ServedResource): PatchedType {
  checkTypeFields(object);
  const home = { group: homeGroup(resource.group, resource.kind), version: internalVersion, kind: resource.kind };
  const type = typeOfObject(object, home);
  if (type.version === internalVersion && isSameKind(type, resource)) return { internal: true };
  if (type.kind === resource.kind && type.group === resource.group && type.version === resource.version)
    return { internal: false };
  readOtherVersion(object, type, resource);
  // Versions that are no longer served have almost the same fields as those that are.
  const versions = [type.version, ...(context.services.resources.group(type.group)?.versions ?? [])];
  return {
    internal: false,
    other:
      versions
        .map((version) => context.services.resources.find(type.group, version, resource.resource))
        .find((each) => each !== undefined) ?? resource,
  };
}

/** Converts an object that was decoded in another version to the resource's version, in place. */
export function convertPatched(
  object: ApiObject,
  { other }: PatchedType,
  resource: ServedResource,
  nowMs: number,
): void {
  if (other === undefined) return;
  labelOld(object);
  if (other !== resource) {
    other.strategy.defaults?.(object, nowMs);
    other.toStorage?.(object);
    resource.fromStorage?.(object);
  }
  object.kind = resource.kind;
  object.apiVersion = apiVersionOf(resource);
}
