import type { FieldError } from "../errors/field-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { metaOf } from "../objects/metadata.js";
import {
  validateKubeFinalizers,
  validateMetadata,
  validateMetadataUpdate,
  validateName,
} from "../objects/validate-metadata.js";
import type { ServedResource } from "./resources.js";

function nameErrors({ strategy: { metadata: rules } }: ServedResource, object: ApiObject): FieldError[] {
  const errors = validateName(metaOf(object), rules?.name ?? "subdomain");
  return rules?.anyPrefix === true ? errors.filter(({ field }) => field === "metadata.name") : errors;
}

function finalizerErrors({ strategy }: ServedResource, object: ApiObject): FieldError[] {
  return strategy.metadata?.plainFinalizers === true ? [] : validateKubeFinalizers(metaOf(object));
}

function metadataErrors(resource: ServedResource, object: ApiObject): FieldError[] {
  return [...validateMetadata(metaOf(object)), ...finalizerErrors(resource, object)];
}

/**
 * All errors of a new object: those of the kind's own rules, with which most look at the metadata, or else what every kind's metadata is held
 * against. Custom resources have both in their own rules.
 */
export function errorsOfNew(resource: ServedResource, object: ApiObject, own: readonly FieldError[]): FieldError[] {
  const name = nameErrors(resource, object);
  if (resource.strategy.metadata?.validatedLast !== true) return [...name, ...metadataErrors(resource, object), ...own];
  return own.length > 0 ? [...own] : [...name, ...validateMetadata(metaOf(object))];
}

/** Errors of changed metadata: those that every kind's is held against, and what the own rules of a built-in kind find once more. */
export function errorsOfChanged(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject,
  subresource: string,
): FieldError[] {
  const meta = metaOf(object);
  const common = [...validateMetadata(meta), ...validateMetadataUpdate(meta, metaOf(old))];
  const { checksOnUpdate: checks = 1, checkedAsNew: asNew } = resource.strategy.metadata ?? {};
  const changed = (): FieldError[] => [
    ...validateMetadataUpdate(meta, metaOf(old)),
    ...finalizerErrors(resource, object),
  ];
  if (checks === 0) return common;
  if (subresource !== "") return asNew === "everywhere" ? common : [...common, ...changed()];
  const last = asNew === undefined ? changed() : metadataErrors(resource, object);
  if (checks === 1) return [...common, ...last];
  return [
    ...common,
    ...(asNew === undefined ? nameErrors(resource, object) : []),
    ...metadataErrors(resource, object),
    ...last,
  ];
}
