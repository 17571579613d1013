import { jsonTypeName } from "../internal/json-value.js";
import { internalVersion, versionedDefinition } from "../registry/known-kinds.js";
import { homeGroup } from "../registry/old-kinds.js";
import type { GroupVersionKind } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { GoDecodeError } from "../schema/decode-scalars.js";
import { decodeGoObject } from "../schema/go-decode.js";

/** An object can't be decoded as the type that it names. */
export class ObjectTypeError extends Error {
  /** Name of the class. */
  override readonly name = "ObjectTypeError";
}

/** Parses an `apiVersion`. Throws an `ObjectTypeError` if it has more than one slash. */
export function parseApiVersion(apiVersion: string): Pick<GroupVersionKind, "group" | "version"> {
  const parts = apiVersion.split("/");
  if (parts.length > 2) throw new ObjectTypeError(`unexpected GroupVersion string: ${apiVersion}`);
  const [version, group = ""] = parts.reverse() as [string, string?];
  return { group, version };
}

/** Throws an `ObjectTypeError` if `kind` or `apiVersion` isn't a string. */
export function checkTypeFields(object: object): void {
  for (const key of ["kind", "apiVersion"]) {
    const value = (object as Record<string, unknown>)[key];
    if (value !== undefined && value !== null && typeof value !== "string")
      throw new ObjectTypeError(`cannot unmarshal ${jsonTypeName(value)} into field ${key} of type string`);
  }
}

/**
 * Returns the type that an object names; missing parts come from `wanted`. Throws an `ObjectTypeError` for an invalid
 * `apiVersion`, or one without a version.
 */
export function typeOfObject(
  { apiVersion, kind }: { readonly apiVersion?: string | null | undefined; readonly kind?: string | null | undefined },
  wanted: GroupVersionKind,
): GroupVersionKind {
  const { group, version } = parseApiVersion(apiVersion ?? "");
  const type = { group, version, kind: (kind ?? "") === "" ? wanted.kind : kind! };
  if (type.version !== "") return type;
  if (type.group === "" || type.group === wanted.group)
    return { ...type, group: wanted.group, version: wanted.version };
  throw new ObjectTypeError("Object 'apiVersion' is missing");
}

/** True if two types are versions of the same kind. */
export function isSameKind(one: GroupVersionKind, other: GroupVersionKind): boolean {
  return one.kind === other.kind && homeGroup(one.group, one.kind) === homeGroup(other.group, other.kind);
}

/**
 * Decodes an object of a type other than `wanted`, which must be a known version of the same kind. Returns the unknown
 * fields. Throws an `ObjectTypeError`.
 */
export function readOtherVersion(object: object, type: GroupVersionKind, wanted: GroupVersionKind): readonly string[] {
  const definition = isSameKind(type, wanted) ? versionedDefinition(type) : undefined;
  // JSON field names have no meaning in the internal version.
  if (type.version === internalVersion && isSameKind(type, wanted))
    return Object.keys(object).filter((key) => key !== "kind" && key !== "apiVersion");
  if (definition === undefined)
    throw new ObjectTypeError(
      `no kind ${JSON.stringify(type.kind)} is registered for version ${apiVersionOf(type)} here`,
    );
  try {
    return decodeGoObject(definition, object as Record<string, unknown>).unknownFields;
  } catch (error) {
    throw error instanceof GoDecodeError ? new ObjectTypeError(error.message) : error;
  }
}
