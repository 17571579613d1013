import type { FieldError } from "../errors/field-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { metaOf } from "../objects/metadata.js";
import {
  validateKubeFinalizers,
  validateMetadata,
  validateMetadataUpdate,
  validateName,
} from "../objects/validate-metadata.js";
import type { ServedResource } from "../registry/resources.js";

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
 * Returns all errors of a new object. Most kinds' own rules include the metadata; for the others, the general rules for
 * metadata are added. Custom resources do both in their own rules.
 */
export function errorsOfNew(resource: ServedResource, object: ApiObject, own: readonly FieldError[]): FieldError[] {
  const name = nameErrors(resource, object);
  if (resource.strategy.metadata?.validatedLast !== true) return [...name, ...metadataErrors(resource, object), ...own];
  return own.length > 0 ? [...own] : [...name, ...validateMetadata(metaOf(object))];
}

/**
 * Returns the errors of changed metadata: those of the general rules, and those that a built-in kind's own rules report
 * a second time.
 */
export function errorsOfChanged(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject,
  subresource: string,
): FieldError[] {
  const general = validateMetadata(metaOf(object));
  const changes = validateMetadataUpdate(metaOf(object), metaOf(old));
  const common = [...general, ...changes];
  const { checksOnUpdate: checks = 1, checkedAsNew: asNew } = resource.strategy.metadata ?? {};
  if (checks === 0) return common;
  const finalizers = finalizerErrors(resource, object);
  if (subresource !== "") return asNew === "everywhere" ? common : [...common, ...changes, ...finalizers];
  const last = asNew === undefined ? [...changes, ...finalizers] : [...general, ...finalizers];
  if (checks === 1) return [...common, ...last];
  const names = asNew === undefined ? nameErrors(resource, object) : [];
  return [...common, ...names, ...general, ...finalizers, ...last];
}
