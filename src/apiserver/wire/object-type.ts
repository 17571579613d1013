import type { KnownKind } from "../registry/known-kinds.js";
import { internalPackage, knownKind, unknownKind } from "../registry/known-kinds.js";
import { homeGroup } from "../registry/old-kinds.js";
import type { GroupVersionKind } from "../registry/resources.js";
import { decodeGoObject, GoDecodeError } from "../schema/go-decode.js";

/** What keeps an object from being read as the type that it names. */
export class ObjectTypeError extends Error {
  /** Name of the class. */
  override readonly name = "ObjectTypeError";
  /** The type that was found, where it could be told at all. */
  readonly type: GroupVersionKind | undefined;

  constructor(message: string, type?: GroupVersionKind) {
    super(message);
    this.type = type;
  }
}

/** Group and version of an `apiVersion`. Throws an `ObjectTypeError` where it has more than one slash. */
export function parseApiVersion(apiVersion: string): Pick<GroupVersionKind, "group" | "version"> {
  const parts = apiVersion.split("/");
  if (parts.length > 2) throw new ObjectTypeError(`unexpected GroupVersion string: ${apiVersion}`);
  const [version, group = ""] = parts.reverse() as [string, string?];
  return { group, version };
}

/**
 * The type that an object names, what it leaves out being that of `wanted`, in turn. `text` is the object as it was sent. Throws an
 * `ObjectTypeError`: for an `apiVersion` that is none, and one with a group alone.
 */
export function typeOfObject(
  { apiVersion, kind }: { readonly apiVersion?: string | null; readonly kind?: string | null },
  wanted: readonly GroupVersionKind[],
  text: () => string,
): GroupVersionKind {
  let type: GroupVersionKind = { ...parseApiVersion(apiVersion ?? ""), kind: kind ?? "" };
  for (const each of wanted) {
    if (type.kind === "") type = { ...type, kind: each.kind };
    if (type.version === "" && (type.group === "" || type.group === each.group))
      type = { ...type, group: each.group, version: each.version };
  }
  if (type.version === "") throw new ObjectTypeError(`Object 'apiVersion' is missing in '${text()}'`, type);
  return type;
}

/** Whether two types are versions of one kind. */
export function isSameKind(one: GroupVersionKind, other: GroupVersionKind): boolean {
  return one.kind === other.kind && homeGroup(one.group, one.kind) === homeGroup(other.group, other.kind);
}

/** Reads an object of a type that it should not have, if it is known. Answers the unknown fields. Throws an `ObjectTypeError`. */
export function readForeign(object: object, type: GroupVersionKind, known: KnownKind | undefined): readonly string[] {
  if (known === undefined) throw new ObjectTypeError(unknownKind(type), type);
  // What a server keeps inside has none of the names of the API.
  if (known.definition === undefined)
    return Object.keys(object)
      .filter((key) => key !== "kind" && key !== "apiVersion")
      .sort();
  try {
    return decodeGoObject(known.definition, object as Record<string, unknown>).unknownFields;
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    throw new ObjectTypeError(error.message, type);
  }
}

/**
 * Reads an object of another type than `wanted`, which has to be a version of the same kind. Answers the unknown fields. Throws an
 * `ObjectTypeError` that says why it cannot be turned into `wanted`.
 */
export function readOtherVersion(object: object, type: GroupVersionKind, wanted: GroupVersionKind): readonly string[] {
  const known = knownKind(type, wanted.group);
  const unknown = readForeign(object, type, known);
  if (!isSameKind(type, wanted))
    throw new ObjectTypeError(
      `converting (${known!.struct}) to (${internalPackage(wanted.group)}.${wanted.kind}): unknown conversion`,
      type,
    );
  return unknown;
}
