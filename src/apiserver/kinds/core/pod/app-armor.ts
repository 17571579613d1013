import type { AppArmorProfile, Container, Pod, PodSpec } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { forbidden } from "../../shared/field-errors.js";
import { containersOf } from "./pod-containers.js";

const annotationPrefix = "container.apparmor.security.beta.kubernetes.io/";
const localhostPrefix = "localhost/";
const longestName = 4095;

type Annotations = Readonly<Record<string, string>>;

/** Parses the profile in a deprecated annotation. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = annotation.startsWith(localhostPrefix) ? annotation.slice(localhostPrefix.length) : "";
  return name === "" ? undefined : { type: "Localhost", localhostProfile: name };
}

function isUsable({ localhostProfile: name = "" }: AppArmorProfile): boolean {
  return name.trim() === name && name.length <= longestName;
}

function deprecated(at: string, container: string): string {
  return `${at}[${annotationPrefix}${container}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/** Returns the containers with a profile annotation; none for Windows pods. */
function annotated(
  spec: PodSpec,
  annotations: Annotations,
  at: string,
): (readonly [container: Container, path: string, annotation: string])[] {
  if (spec.os?.name === "windows") return [];
  return containersOf(spec, at).flatMap(([container, path]) =>
    Object.hasOwn(annotations, annotationPrefix + container.name)
      ? [[container, path, annotations[annotationPrefix + container.name]!] as const]
      : [],
  );
}

/**
 * Copies profile annotations of a new pod to its containers if they differ from the pod's profile, and warns about
 * them.
 */
export function syncAppArmor({ metadata, spec }: Pod, warn: (text: string) => void): void {
  if (spec === undefined) return;
  for (const [container, , annotation] of annotated(spec, metadata?.annotations ?? {}, "spec")) {
    if (container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = profileOf(annotation);
    const usable = profile !== undefined && isUsable(profile);
    if (usable && check.sameValue(profile, spec.securityContext?.appArmorProfile)) continue;
    if (usable) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    warn(deprecated("metadata.annotations", container.name));
  }
}

/**
 * Returns the warnings about annotations in a template, whose profiles aren't copied until pods are created. `whole`:
 * the profile of the pod.
 */
export function appArmorWarnings(
  { name, securityContext }: Container,
  annotations: Annotations,
  whole: AppArmorProfile | undefined,
  at: string,
): string[] {
  const annotation = Object.hasOwn(annotations, annotationPrefix + name)
    ? annotations[annotationPrefix + name]
    : undefined;
  if (annotation === undefined || securityContext?.appArmorProfile !== undefined) return [];
  return whole !== undefined && check.sameValue(whole, profileOf(annotation)) ? [] : [deprecated(at, name)];
}

/** Returns the errors of annotations that contradict the fields. */
export function appArmorMismatches(spec: PodSpec, annotations: Annotations | undefined, at: string): FieldError[] {
  return annotated(spec, annotations ?? {}, at).flatMap(([{ securityContext }, path, annotation]) => {
    const { type, localhostProfile } = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile ?? {};
    const place = `${path}.securityContext.appArmorProfile`;
    const fits =
      type === "Unconfined"
        ? annotation === "unconfined"
        : type === "RuntimeDefault"
          ? annotation === "runtime/default"
          : type !== "Localhost" || annotation.startsWith(localhostPrefix);
    if (!fits) return [forbidden(`${place}.type`, "apparmor type in annotation and field must match")];
    return type === "Localhost" && annotation.slice(localhostPrefix.length) !== localhostProfile
      ? [forbidden(`${place}.localhostProfile`, "apparmor profile in annotation and field must match")]
      : [];
  });
}
