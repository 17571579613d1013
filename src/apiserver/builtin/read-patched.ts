import { ApiFailure, badRequest, rawError } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import type { PatchedBody, ReadPatch, ResourceContext, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { GoConvertError } from "../schema/convert-object.js";
import { decodeProblem, decodeStruct } from "../wire/body.js";
import { checkTypeFields, ObjectTypeError } from "../wire/object-type.js";
import type { PatchedType } from "./patched-kind.js";
import { convertPatched, patchedType } from "./patched-kind.js";

/** Decodes the result of a patch as an object of a built-in kind, in place. Throws 400, 422 and 500. */
export function readPatched(resource: ServedResource, patched: PatchedBody, context: ResourceContext): ReadPatch {
  const { object, fail } = patched;
  const strategic = patched.kind === "strategic";
  let type: PatchedType = { internal: false };
  try {
    checkTypeFields(object);
    // A strategic patch works on the typed object, so it can't change the type.
    if (strategic) Object.assign(object, { kind: resource.kind, apiVersion: apiVersionOf(resource) });
    else type = patchedType(context, object, resource);
  } catch (error) {
    throw error instanceof ObjectTypeError ? fail(error.message) : error;
  }
  if (type.internal) return withoutVersion(patched);
  if ((object.kind ?? "") === "") object.kind = resource.kind;
  try {
    patched.shorten?.(object);
    const unknown = decodeTyped(type.other ?? resource, object, strategic ? "object" : "text");
    return { unknown, finish: (nowMs) => convertPatched(object, type, resource, nowMs) };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    // A strategic patch succeeded at this point, so a failing conversion is a server error and not the patch's fault.
    if (strategic && error.cause instanceof GoConvertError) throw rawError(error.cause.message);
    throw fail(decodeProblem(error));
  }
}

/** Decodes an object of a built-in kind into the form of its Go struct, in place. */
export function decodeTyped(
  resource: ServedResource,
  object: ApiObject,
  source?: "text" | "object",
): readonly string[] {
  const { kind, version, definition } = resource;
  return definition === undefined ? [] : decodeStruct({ kind, version, definition }, object, source);
}

/** Handles an object without `apiVersion`, which kube-apiserver decodes into its internal version. */
function withoutVersion({ object, name }: PatchedBody): ReadPatch {
  return {
    unknown: Object.keys(object)
      .filter((key) => key !== "kind" && key !== "apiVersion")
      .sort(),
    finish() {
      throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
    },
  };
}

/** Decodes the result of an apply, in place. Throws 500 for values that the schema allows but the Go type doesn't. */
export function decodeApplied(resource: ServedResource, object: ApiObject): void {
  try {
    decodeTyped(resource, object, "object");
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const kind = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    throw rawError(`failed to convert new object (${kind}) to proper version: ${error.message}`);
  }
}
