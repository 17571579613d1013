import { pushAll } from "../../../../internal/push-all.js";
import type { Pod, PodSpec, SeccompProfile } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { forbidden, invalid } from "../../shared/field-errors.js";
import { localPath } from "../../shared/volume-paths.js";
import { containersOf } from "./pod-containers.js";

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

/** Validates a change of the annotations. Those that name AppArmor profiles or mark a mirror pod are immutable. */
export function annotationUpdateErrors(pod: Pod, old: Pod): FieldError[] {
  const now = pod.metadata?.annotations ?? {};
  const before = old.metadata?.annotations ?? {};
  const changed = Object.keys({ ...before, ...now }).filter(
    (key) => (key.startsWith(appArmorPrefix) || key === mirrorAnnotation) && now[key] !== before[key],
  );
  return [
    ...changed.map((key) => forbidden(`metadata.annotations[${key}]`, "may not be added, changed or removed")),
    ...podAnnotationErrors(now, pod.spec ?? { containers: [] }, "metadata.annotations"),
  ];
}

/** Returns the errors of deprecated seccomp annotations that contradict the fields. */
export function seccompMismatches(spec: PodSpec, annotations: Readonly<Record<string, string>>): FieldError[] {
  const places = [
    [seccompAnnotation, spec, "spec"] as const,
    ...containersOf(spec, "spec").map(([each, path]) => [containerSeccompPrefix + each.name, each, path] as const),
  ];
  return places.flatMap(([key, { securityContext }, path]) =>
    Object.hasOwn(annotations, key)
      ? seccompMismatch(annotations[key]!, securityContext?.seccompProfile, `${path}.securityContext.seccompProfile`)
      : [],
  );
}

function seccompMismatch(annotation: string, profile: SeccompProfile | undefined, at: string): FieldError[] {
  const { type, localhostProfile } = profile ?? {};
  const fits =
    type === "Unconfined"
      ? annotation === "unconfined"
      : type === "RuntimeDefault"
        ? annotation === "runtime/default" || annotation === "docker/default"
        : type !== "Localhost" || annotation.startsWith(localhostPrefix);
  if (!fits) return [forbidden(`${at}.type`, "seccomp type in annotation and field must match")];
  return type === "Localhost" && annotation.slice(localhostPrefix.length) !== localhostProfile
    ? [forbidden(`${at}.localhostProfile`, "seccomp profile in annotation and field must match")]
    : [];
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
