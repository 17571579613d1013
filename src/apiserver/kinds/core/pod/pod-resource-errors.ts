import { pushAll } from "../../../../internal/push-all.js";
import type { PodResourceClaim, PodSpec, ResourceClaim } from "../../../../kinds/core/v1.js";
import { compareQuantities } from "../../../../meta/quantity.js";
import type { FieldError } from "../../../errors/field-error.js";
import { givenEmptyFields } from "../../../objects/given-empty.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, invalid, notFound, notSupported, required } from "../../shared/field-errors.js";
import { resourceName } from "../../shared/resource-names.js";
import { resourceErrors } from "../../shared/resource-requirements.js";
import { containersOf } from "./pod-containers.js";
import { aggregateResources } from "./pod-resources.js";

export function podClaimErrors(claims: readonly PodResourceClaim[], at: string): FieldError[] {
  const names = new Set<string>();
  return check.eachItem(claims, at, (claim, path) => {
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const errors =
      name === ""
        ? [required(`${path}.name`)]
        : names.has(name)
          ? [duplicate(`${path}.name`, name)]
          : check.dnsLabel(`${path}.name`, name);
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
      errors.push(
        invalid(path, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"),
      );
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      errors.push(invalid(path, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    for (const key of ["resourceClaimName", "resourceClaimTemplateName"] as const)
      if (claim[key] !== undefined) pushAll(errors, check.dnsSubdomain(`${path}.${key}`, claim[key]));
    return errors;
  });
}

export function claimNamesOf(spec: PodSpec): ReadonlySet<string> {
  return new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== ""));
}

/** Validates a container's claims: each must be one of its pod's, and appear once. */
export function usedClaimErrors(
  claims: readonly ResourceClaim[],
  known: ReadonlySet<string>,
  at: string,
): FieldError[] {
  const used = new Set<string>();
  /** Number of used requests of each claim. */
  const requests = new Map<string, number>();
  return check.eachItem(claims, at, ({ name, request = "" }, path) => {
    if (name === "") return [required(path)];
    const errors: FieldError[] = [];
    if (used.has(name)) errors.push(duplicate(path, name));
    else {
      const key = request === "" ? name : `${name}/${request}`;
      if (request !== "") pushAll(errors, check.dnsLabel(`${path}.request`, request));
      if (used.has(key)) errors.push(duplicate(path, key));
      else if (request === "")
        pushAll(
          errors,
          Array.from({ length: requests.get(name) ?? 0 }, () => duplicate(path, name)),
        );
      else requests.set(name, (requests.get(name) ?? 0) + 1);
      used.add(key);
    }
    if (!known.has(name)) errors.push(notFound(path, name));
    return errors;
  });
}

const podLevelResources = ["cpu", "hugepages-", "memory"];

function podResourceName(field: string, name: string): FieldError[] {
  const errors = resourceName(field, name);
  return errors.length > 0 || name === "cpu" || name === "memory" || name.startsWith("hugepages-")
    ? errors
    : [notSupported(field, name, podLevelResources)];
}

export function podResourceErrors(spec: PodSpec, at: string): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  const field = `${at}.resources`;
  if (spec.os?.name === "windows") return [forbidden(field, "may not be set for a windows pod")];
  const errors =
    resources.claims === undefined && givenEmptyFields(resources)?.includes("claims") !== true
      ? []
      : [forbidden(`${field}.claims`, "claims may not be set for Resources at pod-level")];
  pushAll(
    errors,
    resourceErrors(resources, field, podResourceName),
    usedClaimErrors(resources.claims ?? [], claimNamesOf(spec), `${field}.claims`),
  );
  for (const kind of ["requests", "limits"] as const) {
    for (const [name, needed] of Object.entries(aggregateResources(spec, kind))) {
      const given = resources[kind]?.[name];
      if (given === undefined || compareQuantities(needed, given) <= 0) continue;
      if (kind === "requests" || name.startsWith("hugepages-"))
        errors.push(
          invalid(`${field}.${kind}[${name}]`, given, `must be at least the containers' ${kind} of ${needed}`),
        );
    }
  }
  (spec.containers ?? []).forEach((container, index) => {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const given = resources.limits?.[name];
      if (given !== undefined && compareQuantities(limit, given) > 0)
        errors.push(
          invalid(`${field}.containers[${String(index)}][${name}].limits`, limit, `must be at most the pod's ${given}`),
        );
    }
  });
  return errors;
}

/** Validates environment variables from files, which must be on an `emptyDir` volume of the pod. */
export function fileVolumeErrors(spec: PodSpec, at: string): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return containersOf(spec, at).flatMap(([{ env = [] }, path]) =>
    env.flatMap(({ valueFrom }, index) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) return [];
      const field = `${path}.env[${String(index)}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) return [notFound(field, name)];
      return volume.emptyDir === undefined ? [invalid(field, name, "referenced volume must be of type emptyDir")] : [];
    }),
  );
}
