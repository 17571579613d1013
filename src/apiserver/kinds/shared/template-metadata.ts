import type { ObjectMeta } from "../../../meta/object.js";
import type { FieldError } from "../../errors/field-error.js";
import { givenEmptyFields } from "../../objects/given-empty.js";
import { labelKeyErrors } from "../../objects/selectors.js";
import { annotationsSizeLimit, exceedsAnnotationsLimit } from "../../objects/validate-metadata.js";
import * as check from "./checks.js";
import { forbidden, invalid, tooLong } from "./field-errors.js";

/** Validates the keys and the size of annotations. */
export function annotationErrors(field: string, given: Readonly<Record<string, string>> | undefined): FieldError[] {
  return [
    ...check.eachItem(Object.keys(given ?? {}), field, (key) =>
      labelKeyErrors(key.toLowerCase()).map((detail) => invalid(field, key, detail)),
    ),
    ...(exceedsAnnotationsLimit(given ?? {}) ? [tooLong(field, annotationsSizeLimit)] : []),
  ];
}

/** Validates the metadata of a template for claims, which may have labels and annotations only. */
export function templateMetadataErrors(field: string, metadata: ObjectMeta = {}): FieldError[] {
  const { annotations, labels, ...others } = metadata;
  const emptied = (givenEmptyFields(metadata) ?? []).filter((name) => name !== "annotations" && name !== "labels");
  const set = Object.entries(others).flatMap(([name, value]) => (value === undefined || value === null ? [] : [name]));
  return [
    ...annotationErrors(`${field}.annotations`, annotations),
    ...check.labels(`${field}.labels`, labels),
    // kube-apiserver derives the path from the name in Go.
    ...[...set, ...emptied].map((name) => forbidden(`${field}.${name === "uid" ? "uID" : name}`, "cannot be set")),
  ];
}
