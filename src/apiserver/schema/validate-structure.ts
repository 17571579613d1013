import { equalJson, getOwn, isJsonObject, sortKeys } from "../../internal/json-value.js";
import type { ObjectMeta } from "../../meta/object.js";
import { nameErrors, validateMetadata, validateName } from "../registry/validate-metadata.js";
import { correlatedItem, correlatedMember } from "./correlate.js";
import type { FieldError } from "./field-error.js";
import { memberSchema } from "./prune.js";
import type { Schema } from "./schema.js";

/** Errors of lists whose elements must be unique, and of embedded resources. Parts that are as in `old` are taken as they are. */
export function validateStructure(value: unknown, schema: Schema, old?: unknown): FieldError[] {
  const errors: FieldError[] = [];
  walk(value, schema, "", old, errors);
  return errors;
}

function walk(value: unknown, schema: Schema, path: string, old: unknown, errors: FieldError[]): void {
  if (old !== undefined && equalJson(value, old)) return;
  if (Array.isArray(value)) {
    if (schema["x-kubernetes-list-type"] === "set") uniqueItems(value, path, errors);
    if (schema["x-kubernetes-list-type"] === "map") uniqueKeys(value, schema, path, errors);
    const { items } = schema;
    if (items !== undefined) value.forEach((item, at) => walk(item, items, `${path}[${at}]`, correlatedItem(item, old, schema), errors));
    return;
  }
  if (!isJsonObject(value)) return;
  if (path !== "" && schema["x-kubernetes-embedded-resource"] === true) embedded(value, path, errors);
  for (const key of Object.keys(value)) {
    const property = memberSchema(schema, key);
    if (property !== undefined && property !== true) walk(value[key], property, path === "" ? key : `${path}.${key}`, correlatedMember(old, key), errors);
  }
}

function uniqueItems(list: readonly unknown[], path: string, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [at, item] of list.entries()) {
    const text = JSON.stringify(sortKeys(item));
    if (seen.has(text)) errors.push({ type: "FieldValueDuplicate", field: `${path}[${at}]`, value: item, detail: "" });
    seen.add(text);
  }
}

function uniqueKeys(list: readonly unknown[], schema: Schema, path: string, errors: FieldError[]): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  for (const [at, item] of list.entries()) {
    if (!isJsonObject(item)) continue;
    const identity = Object.fromEntries(keys.filter((key) => getOwn(item, key) !== undefined).map((key) => [key, item[key]]));
    const text = JSON.stringify(sortKeys(identity));
    if (seen.has(text)) errors.push({ type: "FieldValueDuplicate", field: `${path}[${at}]`, value: identity, detail: "" });
    seen.add(text);
  }
}

function embedded(value: Record<string, unknown>, path: string, errors: FieldError[]): void {
  for (const key of ["apiVersion", "kind"]) {
    const given = getOwn(value, key);
    const problem = given === undefined ? undefined : typeof given !== "string" ? "must be a string" : given === "" ? "must not be empty" : key === "kind" ? kindProblem(given) : versionProblem(given);
    if (given === undefined) errors.push({ type: "FieldValueRequired", field: `${path}.${key}`, detail: "" });
    else if (problem !== undefined) errors.push({ type: "FieldValueInvalid", field: `${path}.${key}`, value: given, detail: problem });
  }
  const metadata = getOwn(value, "metadata");
  if (isJsonObject(metadata)) errors.push(...embeddedMetadata(metadata).map((error) => ({ ...error, field: `${path}.${error.field}` })));
}

function embeddedMetadata(metadata: Record<string, unknown>): FieldError[] {
  const named = { ...metadata, name: metadata["name"] === undefined || metadata["name"] === "" ? "fakename" : metadata["name"] } as ObjectMeta;
  return [...validateName(named, "pathSegment"), ...validateMetadata(named)];
}

function versionProblem(text: string): string | undefined {
  return text.split("/").length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = nameErrors(text.toLowerCase(), "label1035");
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
}
