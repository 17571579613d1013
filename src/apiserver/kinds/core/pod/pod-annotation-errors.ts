import { pushAll } from "../../../../internal/push-all.js";
import type { PodSpec } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { invalid } from "../../shared/field-errors.js";
import { localPath } from "../../shared/volume-paths.js";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const seccompProfiles: ReadonlySet<string> = new Set(["runtime/default", "docker/default", "unconfined"]);
const localhostPrefix = "localhost/";

/** Validates the annotations that have a meaning on pods and templates. */
export function podAnnotationErrors(
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpec,
  at: string,
): FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec.nodeName ?? "") === "")
    errors.push(
      invalid(`${at}[${mirrorAnnotation}]`, mirror, "must set spec.nodeName if mirror pod annotation is set"),
    );
  const cost = annotations[deletionCostAnnotation];
  if (cost !== undefined && !isCost(cost))
    errors.push(invalid(`${at}[${deletionCostAnnotation}]`, cost, "must be a 32bit integer"));
  for (const [key, value] of Object.entries(annotations)) {
    if (key === seccompAnnotation || key.startsWith(containerSeccompPrefix))
      pushAll(errors, seccompErrors(value, `${at}.${key}`));
    if (key.startsWith(appArmorPrefix))
      pushAll(errors, appArmorErrors(key.slice(appArmorPrefix.length), value, spec, `${at}[${key}]`));
  }
  return errors;
}

function isCost(text: string): boolean {
  return /^(0|-?\d+)$/.test(text) && !/^0\d/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function seccompErrors(profile: string, field: string): FieldError[] {
  if (seccompProfiles.has(profile)) return [];
  return profile.startsWith(localhostPrefix)
    ? localPath(field, profile.slice(localhostPrefix.length))
    : [invalid(field, profile, "must be a valid seccomp profile")];
}

function appArmorErrors(container: string, profile: string, spec: PodSpec, field: string): FieldError[] {
  const known = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])].some(
    ({ name }) => name === container,
  );
  const named =
    profile === "" || profile === "runtime/default" || profile === "unconfined" || profile.startsWith(localhostPrefix);
  return [
    ...(known ? [] : [invalid(field, container, "container not found")]),
    ...(named ? [] : [invalid(field, profile, "must be a valid AppArmor profile name")]),
  ];
}
