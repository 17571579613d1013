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
  const meta = metaOf(object);
  if (resource.strategy.metadata?.validatedLast === true)
    return own.length > 0 ? [...own] : [...validateName(meta, "pathSegment"), ...validateMetadata(meta)];
  const errors = [...nameErrors(resource, object), ...metadataErrors(resource, object), ...own];
  // The general rules repeat those of metadata, and add that a name must be one part of a path.
  return errors.length > 0 ? errors : validateName(meta, "pathSegment");
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
  const paths = validateName(metaOf(object), "pathSegment");
  const changes = validateMetadataUpdate(metaOf(object), metaOf(old));
  const common = [...paths, ...general, ...changes];
  const { checksOnUpdate: checks = 1, checkedAsNew: asNew, checksOfSubresources } = resource.strategy.metadata ?? {};
  if (checks === 0) return common;
  const finalizers = finalizerErrors(resource, object);
  const asOfNew = [...nameErrors(resource, object), ...general, ...finalizers];
  if (subresource !== "")
    switch (checksOfSubresources ?? (asNew === "everywhere" ? 0 : 1)) {
      case 0:
        return common;
      case 1:
        return [...common, ...changes, ...finalizers];
      case 2:
        return [...common, ...asOfNew, ...changes, ...finalizers];
    }
  const last = asNew === undefined ? [...changes, ...finalizers] : asOfNew;
  return checks === 1 ? [...common, ...last] : [...common, ...asOfNew, ...last];
}
