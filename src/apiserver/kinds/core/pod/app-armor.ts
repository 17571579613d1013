import type { AppArmorProfile, Container, Pod, PodSpec } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { forbidden, sameValue } from "../../shared/field-errors.js";
import { containersOf } from "./pod-containers.js";

const PREFIX = "container.apparmor.security.beta.kubernetes.io/";
const LOCALHOST = "localhost/";
const LONGEST_NAME = 4095;

type Annotations = Readonly<Record<string, string>>;

/** The profile that an annotation of old names, if it names one. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : "";
  return name === "" ? undefined : { type: "Localhost", localhostProfile: name };
}

function isUsable({ localhostProfile: name = "" }: AppArmorProfile): boolean {
  return name.trim() === name && name.length <= LONGEST_NAME;
}

function deprecated(at: string, container: string): string {
  return `${at}[${PREFIX}${container}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/** Containers that have an annotation for their profile, with that; there are none where pods run on Windows. */
function annotated(
  spec: PodSpec,
  annotations: Annotations,
  at: string,
): (readonly [container: Container, path: string, annotation: string])[] {
  if (spec.os?.name === "windows") return [];
  return containersOf(spec, at).flatMap(([container, path]) =>
    Object.hasOwn(annotations, PREFIX + container.name)
      ? [[container, path, annotations[PREFIX + container.name]!] as const]
      : [],
  );
}

/** Gives the containers of a new pod the profiles that its annotations name, where they differ from the pod's own, and warns of these. */
export function syncAppArmor({ metadata, spec }: Pod, warn: (text: string) => void): void {
  if (spec === undefined) return;
  for (const [container, , annotation] of annotated(spec, metadata?.annotations ?? {}, "spec")) {
    if (container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = profileOf(annotation);
    const usable = profile !== undefined && isUsable(profile);
    if (usable && sameValue(profile, spec.securityContext?.appArmorProfile)) continue;
    if (usable) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    warn(deprecated("metadata.annotations", container.name));
  }
}

/** What is odd about an annotation of a template: its profile is not copied before there are pods. `whole`: the profile of all of its containers. */
export function appArmorWarnings(
  { name, securityContext }: Container,
  annotations: Annotations,
  whole: AppArmorProfile | undefined,
  at: string,
): string[] {
  const annotation = Object.hasOwn(annotations, PREFIX + name) ? annotations[PREFIX + name] : undefined;
  if (annotation === undefined || securityContext?.appArmorProfile !== undefined) return [];
  return whole !== undefined && sameValue(whole, profileOf(annotation)) ? [] : [deprecated(at, name)];
}

/** Errors of annotations that name another profile than the fields do. */
export function appArmorMismatches(spec: PodSpec, annotations: Annotations | undefined, at: string): FieldError[] {
  return annotated(spec, annotations ?? {}, at).flatMap(([{ securityContext }, path, annotation]) => {
    const { type, localhostProfile } = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile ?? {};
    const place = `${path}.securityContext.appArmorProfile`;
    const fits =
      type === "Unconfined"
        ? annotation === "unconfined"
        : type === "RuntimeDefault"
          ? annotation === "runtime/default"
          : type !== "Localhost" || annotation.startsWith(LOCALHOST);
    if (!fits) return [forbidden(`${place}.type`, "apparmor type in annotation and field must match")];
    return type === "Localhost" && annotation.slice(LOCALHOST.length) !== localhostProfile
      ? [forbidden(`${place}.localhostProfile`, "apparmor profile in annotation and field must match")]
      : [];
  });
}
