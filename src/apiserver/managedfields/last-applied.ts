import { goJsonText } from "../internal/go-text.js";
import { isJsonObject, type JsonObject, sortKeys } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { exceedsAnnotationsLimit } from "../objects/validate-metadata.js";
import { compareTyped } from "./compare-typed.js";
import { emptyFieldSet, type FieldSet, subtractSets } from "./field-set.js";
import { fieldSetOfValue } from "./field-set-of.js";
import type { TypeRef } from "./field-type.js";
import { typedErrors } from "./validate-typed.js";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The manager for which server-side apply continues from kubectl's client-side apply. */
const kubectl = "kubectl";

/**
 * Returns the fields that the manager may take over without a conflict: for kubectl, those that it applied client-side
 * and that haven't changed since.
 */
export function fieldsLastApplied(live: ApiObject, manager: string, apiVersion: string, type: TypeRef): FieldSet {
  const config = manager === kubectl ? parse(live.metadata?.annotations?.[annotation]) : undefined;
  if (
    config?.["apiVersion"] !== apiVersion ||
    typeof config["kind"] !== "string" ||
    typedErrors(config, type, { allowDuplicates: false }) !== undefined
  )
    return emptyFieldSet;
  const { added, modified, removed } = compareTyped(config, live, type);
  return [modified, added, removed].reduce(subtractSets, fieldSetOfValue(config, type));
}

/** Updates kubectl's last-applied annotation of the applied object, if it has one. */
export function withLastApplied(object: ApiObject, config: JsonObject, manager: string): ApiObject {
  const annotations = object.metadata?.annotations ?? {};
  if (manager !== kubectl || (annotations[annotation] ?? "") === "") return object;
  const next: Record<string, string> = {
    ...annotations,
    [annotation]: `${goJsonText(sortKeys(withoutAnnotation(config)))}\n`,
  };
  if (exceedsAnnotationsLimit(next)) delete next[annotation];
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}

function parse(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // An annotation that was edited by hand is ignored.
    return undefined;
  }
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const metadata = config["metadata"];
  if (!isJsonObject(metadata) || !isJsonObject(metadata["annotations"])) return config;
  const { [annotation]: _own, ...annotations } = metadata["annotations"];
  return { ...config, metadata: { ...metadata, annotations } };
}
