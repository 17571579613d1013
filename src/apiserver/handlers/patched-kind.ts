import type { GoField } from "../../gen/go-types.js";
import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { knownVersion, unknownKind } from "../registry/known-kinds.js";
import { apiVersionOf } from "../registry/resources.js";
import type { ServedResource } from "../registry/resources.js";
import type { ApiObject } from "../registry/strategy.js";
import { decodeGoObject, GoDecodeError, readers } from "../schema/go-decode.js";

/** Why a patched object of a built-in kind is none any more by its `kind` and `apiVersion`. */
export function kindProblem(object: ApiObject, resource: ServedResource): string | undefined {
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  for (const [key, value] of [["kind", kind], ["apiVersion", apiVersion]] as const) {
    if (typeof value !== "string") return `couldn't get version/kind; json parse error: json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value} into Go struct field .${key} of type string`;
  }
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return undefined;
  const [version = "", group = "", ...more] = String(apiVersion).split("/").reverse();
  if (more.length > 0) return `unexpected GroupVersion string: ${String(apiVersion)}`;
  const definition = definitionNameOf(group, version, String(kind));
  const known = knownVersion(group, version, String(kind), resource.group);
  if (known === undefined) return unknownKind(group, version, String(kind));
  try {
    if (definition !== undefined) decodeGoObject(definition, object);
  } catch (error) {
    if (error instanceof GoDecodeError) return error.message;
    throw error;
  }
  return `converting (${known}.${String(kind)}) to (${internalPackage(resource.group)}.${resource.kind}): unknown conversion`;
}

/** Name of the package in which a real server keeps its own form of a group. */
export function internalPackage(group: string): string {
  return group === "" || group === "events.k8s.io" ? "core" : group.split(".")[0]!;
}

/**
 * What is wrong with the result of a strategic patch or of an apply: it is converted field by field, not read from JSON, and the errors of that
 * are others. `problem` is the error of reading JSON, `at` what stands where it is.
 */
export function conversionProblem(problem: string, at?: GoField["kind"]): string {
  const mismatch = /^json: cannot unmarshal (\w+)(?: (\S+))? into Go struct field \S+ of type (.+)$/.exec(problem);
  if (mismatch === null) return problem.startsWith("illegal base64") ? `error decoding from json: ${problem}` : problem;
  const [, found = "", number, wanted = ""] = mismatch;
  // What has a reader of its own is given its JSON.
  if (at !== undefined && readers.has(at)) return problem.replace(/into Go struct field \S+ of type/, "into Go value of type");
  const kind = found === "array" ? "slice" : found === "object" ? "map" : found === "number" ? (number === undefined || /^-?\d+$/.test(number) ? "int64" : "float64") : found;
  if (wanted.startsWith("map[")) return `cannot restore map from ${kind}`;
  if (wanted.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (at === "string") return kind === "int64" ? `cannot convert int64 to ${wanted}` : "unrecognized type: string";
  if (/^\*?\w+\.\w+$/.test(wanted)) return `cannot restore struct from: ${kind}`;
  // Go converts numbers to each other and integers to texts, so it only finds out later that it should not.
  const convertible = kind === "float64" ? /^(int|uint|float)/.test(wanted) : kind === "int64" && /^(int|uint|float|string)/.test(wanted);
  return convertible ? `cannot convert ${kind} to ${wanted}` : `unrecognized type: ${wanted}`;
}
