import type { FieldError } from "../errors/field-error.js";
import { fieldErrorBody } from "../errors/field-error.js";
import { rawError } from "../errors/status.js";
import { isJsonObject } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson } from "../objects/metadata.js";
import { labelKeyErrors, labelValueErrors } from "../objects/selectors.js";

/** A kind as errors show it: `example.com/v1, Kind=Widget`. */
export function kindText(object: ApiObject): string {
  const apiVersion = object.apiVersion ?? "";
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${object.kind ?? ""}`;
}

/** Name of a JSON value's type in Go. */
function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "object") return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function jsonType(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * Holds what a webhook made of an object against the object: it must be of the version and kind that were asked for and have the same name,
 * namespace and UID. Answers it with the metadata as they were, but for labels and annotations. Throws 500 in the words of a real server.
 */
export function checkConverted(original: ApiObject, converted: unknown, apiVersion: string): ApiObject {
  const object = asObject(converted);
  const invalid = `conversion webhook for ${kindText(original)} returned invalid object`;
  if (object.apiVersion !== apiVersion)
    throw rawError(
      `${invalid} at index 0: invalid groupVersion (expected ${apiVersion}, received ${object.apiVersion ?? ""})`,
    );
  if (object.kind !== original.kind)
    throw rawError(
      `${invalid} at index 0: invalid kind (expected ${original.kind ?? ""}, received ${object.kind ?? ""})`,
    );
  for (const [field, text] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const before = memberText(original, field);
    const now = memberText(object, field);
    if (before !== now) throw rawError(`${invalid}: must have the same ${text}: ${before} != ${now}`);
  }
  try {
    restoreMetadata(original, object);
  } catch (error) {
    throw error instanceof TypeError
      ? rawError(`conversion webhook for ${kindText(original)} returned invalid metadata: ${error.message}`)
      : error;
  }
  return object;
}

function asObject(value: unknown): ApiObject {
  if (value === null || value === undefined) throw rawError("unexpected end of JSON input");
  if (!isJsonObject(value))
    throw rawError(`json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`);
  if (typeof value["kind"] !== "string" || value["kind"] === "")
    throw rawError(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  return value;
}

function memberText(object: ApiObject, field: string): string {
  const metadata: unknown = object.metadata;
  const value = isJsonObject(metadata) ? metadata[field] : undefined;
  return typeof value === "string" ? value : "";
}

function restoreMetadata(original: ApiObject, object: ApiObject): void {
  const answered: unknown = object.metadata;
  if (answered === undefined) throw new TypeError("missing metadata in converted object");
  if (!isJsonObject(answered)) throw new TypeError(`invalid metadata of type ${goType(answered)} in converted object`);
  const metadata = copyJson(original.metadata ?? {}) as Record<string, unknown>;
  object.metadata = metadata;
  for (const field of ["labels", "annotations"] as const) {
    const texts = answered[field];
    if (texts === undefined || texts === null) {
      Reflect.deleteProperty(metadata, field);
      continue;
    }
    if (!isJsonObject(texts))
      throw new TypeError(`invalid metadata.${field} of type ${goType(texts)} in converted object`);
    const before = (metadata[field] ?? {}) as Record<string, unknown>;
    let changed = Object.keys(before).length !== Object.keys(texts).length;
    for (const [key, value] of Object.entries(texts)) {
      if (typeof value !== "string")
        throw new TypeError(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
      if (!Object.hasOwn(before, key) || before[key] !== value) changed = true;
    }
    if (changed) throwTextErrors(field, texts as Record<string, string>);
    metadata[field] = texts;
  }
}

function throwTextErrors(field: "labels" | "annotations", texts: Readonly<Record<string, string>>): void {
  const errors: FieldError[] = [];
  // Upstream names the second field in the singular.
  const path = field === "labels" ? "metadata.labels" : "metadata.annotation";
  for (const [key, value] of Object.entries(texts)) {
    for (const detail of labelKeyErrors(field === "labels" ? key : key.toLowerCase()))
      errors.push({ type: "FieldValueInvalid", field: path, value: key, detail });
    if (field === "labels")
      for (const detail of labelValueErrors(value))
        errors.push({ type: "FieldValueInvalid", field: path, value, detail });
  }
  const problems = [...new Set(errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`))];
  if (problems.length > 0) throw new TypeError(problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`);
}
