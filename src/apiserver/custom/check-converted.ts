import { rawError } from "../errors/status.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson } from "../objects/metadata.js";
import { labelKeyErrors, labelValueErrors } from "../objects/selectors.js";

/** Formats a kind for errors: `example.com/v1, Kind=Widget`. */
export function kindText(object: ApiObject): string {
  const apiVersion = object.apiVersion ?? "";
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${object.kind ?? ""}`;
}

/**
 * Compares a webhook's result with the original object: it must have the requested version, and the same kind, name,
 * namespace and UID. Returns it with the original metadata, apart from labels and annotations. Throws 500.
 */
export function checkConverted(original: ApiObject, converted: unknown, apiVersion: string): ApiObject {
  const object = asObject(converted);
  const failed = (why: string): Error => rawError(`conversion webhook for ${kindText(original)} returned ${why}`);
  if (object.apiVersion !== apiVersion || object.kind !== original.kind)
    throw failed(
      `an invalid object: expected ${kindText({ kind: original.kind!, apiVersion })}, received ${kindText(object)}`,
    );
  for (const field of ["name", "namespace", "uid"]) {
    const [before, now] = [memberText(original, field), memberText(object, field)];
    if (before !== now) throw failed(`an invalid object: must have the same ${field}: ${before} != ${now}`);
  }
  try {
    restoreMetadata(original, object);
  } catch (error) {
    throw error instanceof TypeError ? failed(`invalid metadata: ${error.message}`) : error;
  }
  return object;
}

function asObject(value: unknown): ApiObject {
  if (!isJsonObject(value)) throw rawError(`a converted object is of type ${jsonTypeName(value)}, not object`);
  if (typeof value["kind"] !== "string" || value["kind"] === "") throw rawError("Object 'Kind' is missing");
  return value;
}

function memberText(object: ApiObject, field: string): string {
  const metadata: unknown = object.metadata;
  const value = isJsonObject(metadata) ? metadata[field] : undefined;
  return typeof value === "string" ? value : "";
}

function restoreMetadata(original: ApiObject, object: ApiObject): void {
  const answered: unknown = object.metadata;
  if (!isJsonObject(answered)) throw new TypeError(`metadata is of type ${jsonTypeName(answered)}, not object`);
  const metadata = copyJson(original.metadata ?? {}) as Record<string, unknown>;
  object.metadata = metadata;
  for (const field of ["labels", "annotations"] as const) {
    const texts = answered[field];
    if (texts === undefined || texts === null) {
      Reflect.deleteProperty(metadata, field);
      continue;
    }
    if (!isJsonObject(texts)) throw new TypeError(`${field} is of type ${jsonTypeName(texts)}, not object`);
    const before = (metadata[field] ?? {}) as Record<string, unknown>;
    let changed = Object.keys(before).length !== Object.keys(texts).length;
    for (const [key, value] of Object.entries(texts)) {
      if (typeof value !== "string")
        throw new TypeError(`${field}[${key}] is of type ${jsonTypeName(value)}, not string`);
      if (!Object.hasOwn(before, key) || before[key] !== value) changed = true;
    }
    if (changed) throwTextErrors(field, texts as Record<string, string>);
    metadata[field] = texts;
  }
}

function throwTextErrors(field: "labels" | "annotations", texts: Readonly<Record<string, string>>): void {
  const problems = Object.entries(texts).flatMap(([key, value]) =>
    field === "labels" ? [...labelKeyErrors(key), ...labelValueErrors(value)] : labelKeyErrors(key.toLowerCase()),
  );
  if (problems.length > 0) throw new TypeError(`${field}: ${problems.join("; ")}`);
}
