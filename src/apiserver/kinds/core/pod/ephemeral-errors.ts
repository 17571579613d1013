import type { PodSpec, Volume } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { givenEmptyFields } from "../../../objects/given-empty.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, notFound } from "../../shared/field-errors.js";
import { imageErrors, validateContainer } from "./container-errors.js";
import { claimNamesOf } from "./pod-resource-errors.js";

/** Fields that ephemeral containers can't have. */
const unfitFields = [
  "lifecycle",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "ports",
  "resizePolicy",
  "resources",
  "restartPolicy",
  "restartPolicyRules",
] as const;
const isSet = (key: string, value: unknown): boolean =>
  value !== undefined && !(key === "resources" && Object.keys(value as object).length === 0);

/** Validates the ephemeral containers of a pod or template. `volumes`: those that can be mounted, by name. */
export function ephemeralErrors(spec: PodSpec, volumes: ReadonlyMap<string, Volume>, at: string): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  const around = {
    volumes,
    claims: claimNamesOf(spec),
    never: spec.restartPolicy === "Never",
    hostUsers: spec.hostUsers !== false,
  };
  return (spec.ephemeralContainers ?? []).flatMap((each, index) => {
    const path = `${at}.ephemeralContainers[${String(index)}]`;
    const errors = [...validateContainer(each, path, around), ...imageErrors(each, path)];
    if (names.has(each.name)) errors.push(duplicate(`${path}.name`, each.name));
    names.add(each.name);
    const target = each.targetContainerName ?? "";
    if (target !== "" && !others.has(target)) errors.push(notFound(`${path}.targetContainerName`, target));
    for (const key of unfitFields)
      if (
        isSet(key, (each as unknown as Record<string, unknown>)[key]) ||
        givenEmptyFields(each)?.includes(key) === true
      )
        errors.push(forbidden(`${path}.${key}`, "cannot be set for an Ephemeral Container"));
    const mountErrors = check.eachItem(each.volumeMounts, `${path}.volumeMounts`, (mount, place) =>
      (["subPath", "subPathExpr"] as const)
        .filter((key) => (mount[key] ?? "") !== "")
        .map((key) => forbidden(`${place}.${key}`, "cannot be set for an Ephemeral Container")),
    );
    return [...errors, ...mountErrors];
  });
}
