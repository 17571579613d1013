import { pushAll } from "../../internal/push-all.js";
import type { ObjectMeta } from "../../meta/object.js";
import type { FieldError } from "../errors/field-error.js";
import { invalidField, requiredField } from "../errors/field-error.js";
import { getOwn, isJsonObject } from "../internal/json-value.js";
import { nameErrors, validateMetadata, validateName } from "../objects/validate-metadata.js";
import { hasEmbedded, metadataProblem } from "./prune.js";
import type { Schema } from "./schema.js";
import { forEachPart } from "./value-parts.js";

/** Validates kind, version and metadata of embedded resources; `root` is true if the value itself is one. */
export function validateEmbedded(value: unknown, schema: Schema, root = false): FieldError[] {
  const errors: FieldError[] = [];
  if (root && isJsonObject(value)) pushAll(errors, resourceErrors(value, ""));
  walk(value, schema, "", errors);
  return errors;
}

function walk(value: unknown, schema: Schema, path: string, errors: FieldError[]): void {
  forEachPart(value, schema, path, {
    wants: hasEmbedded,
    visit: (part, its, place) => {
      if (its["x-kubernetes-embedded-resource"] === true && isJsonObject(part))
        for (const error of resourceErrors(part, place === "" ? "" : `${place}.`)) errors.push(error);
      walk(part, its, place, errors);
    },
  });
}

function resourceErrors(value: Record<string, unknown>, prefix: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["apiVersion", "kind"]) {
    const given = getOwn(value, key);
    if (given === undefined) {
      errors.push(requiredField(`${prefix}${key}`));
      continue;
    }
    const problem =
      typeof given !== "string"
        ? "must be a string"
        : given === ""
          ? "must not be empty"
          : key === "kind"
            ? kindProblem(given)
            : versionProblem(given);
    if (problem !== undefined) errors.push(invalidField(`${prefix}${key}`, given, problem));
  }
  const metadata = getOwn(value, "metadata");
  if (metadata === undefined || metadata === null) return errors;
  const problem = metadataProblem(metadata);
  if (problem !== undefined) errors.push(invalidField(`${prefix}metadata`, metadata, problem));
  else
    pushAll(
      errors,
      metadataErrors(metadata as Record<string, unknown>).map((error) => ({
        ...error,
        field: `${prefix}${error.field}`,
      })),
    );
  return errors;
}

function metadataErrors(metadata: Record<string, unknown>): FieldError[] {
  const named = {
    ...metadata,
    name: metadata["name"] === undefined || metadata["name"] === "" ? "fakename" : metadata["name"],
  } as ObjectMeta;
  return [...validateName(named, "pathSegment"), ...validateMetadata(named)];
}

function versionProblem(text: string): string | undefined {
  return text.split("/").length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = nameErrors(text.toLowerCase(), "label1035");
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
}
