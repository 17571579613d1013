import type { FieldError } from "../errors/field-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { metaOf } from "../objects/metadata.js";
import {
  nameRuleOf,
  validateKubeFinalizers,
  validateMetadata,
  validateMetadataUpdate,
  validateName,
} from "../objects/validate-metadata.js";
import type { ServedResource } from "./resources.js";

/** Groups outside of the core's rules: finalizers of one word are taken. */
const plainGroups = new Set([
  "coordination.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
]);

/** Kinds whose own rules look at a new object's metadata as they do on updates, and not at what changed. */
const anewOnUpdate = new Set([
  "discovery.k8s.io/endpointslices",
  "flowcontrol.apiserver.k8s.io/flowschemas",
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/volumeattachments",
  "/persistentvolumes",
  ...[
    "validatingwebhookconfigurations",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
  ].map((resource) => `admissionregistration.k8s.io/${resource}`),
]);

/** Whether a kind's own rules say nothing of metadata: it is looked at when they have passed. */
function looksLater(resource: ServedResource): boolean {
  return resource.bucket === "policy/poddisruptionbudgets" || (resource.uncached && resource.group === "");
}

/** Kinds whose prefixes of names are not looked at, but only what becomes of them. */
const anyPrefix = new Set(["/replicationcontrollers", "resource.k8s.io/deviceclasses"]);

function nameErrors(resource: ServedResource, object: ApiObject): FieldError[] {
  const errors = validateName(metaOf(object), nameRuleOf(resource.group, resource.resource));
  return anyPrefix.has(resource.bucket) ? errors.filter(({ field }) => field === "metadata.name") : errors;
}

function anew(resource: ServedResource, object: ApiObject): FieldError[] {
  return [
    ...validateMetadata(metaOf(object)),
    ...(plainGroups.has(resource.group) ? [] : validateKubeFinalizers(metaOf(object))),
  ];
}

/**
 * All errors of a new object: those of the kind's own rules, with which most look at the metadata, or else what every kind's metadata is held
 * against. Custom resources have both in their own rules.
 */
export function errorsOfNew(resource: ServedResource, object: ApiObject, own: readonly FieldError[]): FieldError[] {
  const name = nameErrors(resource, object);
  if (resource.custom !== undefined) return [...own];
  if (!looksLater(resource)) return [...name, ...anew(resource, object), ...own];
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
  if (resource.custom !== undefined) return common;
  const looks = resource.strategy.metadataChecksOnUpdate ?? 1;
  const only = anewOnUpdate.has(resource.bucket);
  const changed = (): FieldError[] => [
    ...validateMetadataUpdate(meta, metaOf(old)),
    ...(plainGroups.has(resource.group) ? [] : validateKubeFinalizers(meta)),
  ];
  if (subresource !== "")
    return looks === 0 || (only && resource.bucket !== "/persistentvolumes") ? common : [...common, ...changed()];
  const own =
    looks === 0
      ? []
      : looks === 1
        ? [only ? anew(resource, object) : changed()]
        : [
            ...(only ? [] : [nameErrors(resource, object)]),
            anew(resource, object),
            only ? anew(resource, object) : changed(),
          ];
  return [...common, ...own.flat()];
}
