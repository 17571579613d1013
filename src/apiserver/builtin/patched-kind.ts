import type { GoField } from "../../gen/go-types.js";
import { goNumberType } from "../internal/go-format.js";
import { goJsonTypeName } from "../internal/go-json.js";
import type { ApiObject } from "../objects/api-object.js";
import { INTERNAL } from "../registry/known-kinds.js";
import { homeGroup, labelOld } from "../registry/old-kinds.js";
import type { ResourceContext, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { readers } from "../schema/go-decode.js";
import { isSameKind, ObjectTypeError, readOtherVersion, typeOfObject } from "../wire/object-type.js";

/** As what a patched object of a built-in kind is read. */
export interface PatchedType {
  /** Whether it is the server's own form of the kind, which has none of the names of the API. */
  readonly internal: boolean;
  /** The resource in the version that the object names, if that is another one than its own. */
  readonly other?: ServedResource;
}

/** Tells by `kind` and `apiVersion` as what a patched object is read; `text` is all of it. Throws an `ObjectTypeError`. */
export function patchedType(
  context: ResourceContext,
  object: ApiObject,
  resource: ServedResource,
  text: () => string,
): PatchedType {
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  for (const [key, value] of [
    ["kind", kind],
    ["apiVersion", apiVersion],
  ] as const) {
    if (value !== undefined && value !== null && typeof value !== "string")
      throw new ObjectTypeError(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(value)} into Go struct field .${key} of type string`,
      );
  }
  const type = typeOfObject(
    object,
    [{ group: homeGroup(resource.group, resource.kind), version: INTERNAL, kind: resource.kind }],
    text,
  );
  if (type.version === INTERNAL && isSameKind(type, resource)) return { internal: true };
  if (type.kind === resource.kind && type.group === resource.group && type.version === resource.version)
    return { internal: false };
  readOtherVersion(object, type, resource);
  // A version that is served no more has the fields of those that are, but for a few.
  const versions = [type.version, ...(context.services.resources.group(type.group)?.versions ?? [])];
  return {
    internal: false,
    other:
      versions
        .map((version) => context.services.resources.find(type.group, version, resource.resource))
        .find((each) => each !== undefined) ?? resource,
  };
}

/** Turns an object that was read in another version into the one of the resource, in place. */
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

/** Why a strategic patch leaves a type that is none: it is converted as all else, and no text then. Types that are texts are passed over. */
export function strategicKindProblem(object: ApiObject): string | undefined {
  for (const given of [object.kind, object.apiVersion] as unknown[]) {
    if (given === undefined || given === null || typeof given === "string") continue;
    return conversionProblem({
      message: `json: cannot unmarshal ${goJsonTypeName(given)} into Go struct field .kind of type string`,
      kind: "string",
      given,
    });
  }
  return undefined;
}

/**
 * What is wrong with the result of a strategic patch or of an apply: it is converted field by field, not read from JSON, and the errors of that
 * are others. `message` is that of the error of reading JSON, `at` what stands where it is and `given` the value that is of another type.
 */
export function conversionProblem({
  message: problem,
  kind: at,
  given,
}: {
  readonly message: string;
  readonly kind?: GoField["kind"] | undefined;
  readonly given?: unknown;
}): string {
  const mismatch = /^json: cannot unmarshal (\w+)(?: \S+)? into Go struct field \S+ of type (.+)$/.exec(problem);
  if (mismatch === null) return problem.startsWith("illegal base64") ? `error decoding from json: ${problem}` : problem;
  const [, found = "", wanted = ""] = mismatch;
  // What has a reader of its own is given its JSON.
  if (at !== undefined && readers.has(at))
    return problem.replace(/into Go struct field \S+ of type/, "into Go value of type");
  const kind =
    found === "array" ? "slice" : found === "object" ? "map" : typeof given === "number" ? goNumberType(given) : found;
  if (wanted.startsWith("map[")) return `cannot restore map from ${kind}`;
  if (wanted.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (at === "string") return kind === "int64" ? `cannot convert int64 to ${wanted}` : "unrecognized type: string";
  if (/^\*?\w+\.\w+$/.test(wanted)) return `cannot restore struct from: ${kind}`;
  // Go converts numbers to each other and integers to texts, so it only finds out later that it should not.
  const convertible =
    kind === "float64" ? /^(int|uint|float)/.test(wanted) : kind === "int64" && /^(int|uint|float|string)/.test(wanted);
  return convertible ? `cannot convert ${kind} to ${wanted}` : `unrecognized type: ${wanted}`;
}
