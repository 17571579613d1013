import { pushAll } from "../../../../internal/push-all.js";
import type { Container, EphemeralContainer, Pod, PodSpec, ResourceRequirements } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid } from "../../shared/field-errors.js";
import { validateEnums } from "../../shared/validate-enums.js";
import { validatePodSpec } from "./pod-spec-errors.js";
import { qosClassOf } from "./qos-class.js";

const specOf = (pod: Pod): PodSpec => pod.spec ?? { containers: [] };
const mirrorAnnotation = "kubernetes.io/config.mirror";
const isMirror = (pod: Pod): boolean => pod.metadata?.annotations?.[mirrorAnnotation] !== undefined;

/** Validates a write to `/ephemeralcontainers`. Existing ephemeral containers are immutable. */
export function validateEphemeralUpdate(pod: Pod, old: Pod): FieldError[] {
  if (isMirror(old)) return [forbidden("[]", "static pods do not support ephemeral containers")];
  const spec = specOf(pod);
  const now = new Map((spec.ephemeralContainers ?? []).map((each): [string, EphemeralContainer] => [each.name, each]));
  const errors = [
    ...validatePodSpec(spec, "spec", { name: pod.metadata?.name }),
    ...validateEnums("io.k8s.api.core.v1.Pod", pod as unknown as Record<string, unknown>).filter(({ field }) =>
      /^spec\.ephemeralContainers\[\d+\]\.(ports|imagePullPolicy|terminationMessagePolicy)/.test(field),
    ),
  ];
  for (const before of specOf(old).ephemeralContainers ?? []) {
    const after = now.get(before.name);
    if (after === undefined) errors.push(forbidden("spec.ephemeralContainers", `${before.name} may not be removed`));
    else if (!check.sameValue(after, before))
      errors.push(forbidden("spec.ephemeralContainers", `${before.name} may not be changed`));
  }
  return errors;
}

/** Validates a write to `/resize`. Only CPU and memory can change, and nothing can be removed. */
export function validateResize(pod: Pod, old: Pod): FieldError[] {
  if (isMirror(old)) return [forbidden("[]", "static pods cannot be resized")];
  const spec = specOf(pod);
  const before = specOf(old);
  if (before.os?.name === "windows") return [forbidden("[]", "windows pods cannot be resized")];
  const errors = validatePodSpec(spec, "spec", { name: pod.metadata?.name });
  const qosClass = old.status?.qosClass ?? qosClassOf(before);
  if (qosClass !== qosClassOf(spec))
    errors.push(invalid("spec", qosClass, "Pod QOS Class may not change as a result of resizing"));
  pushAll(errors, podResizeErrors(spec, before));
  const moved = movedErrors(spec, before);
  if (moved.length > 0) return [...errors, ...moved];
  for (const kind of ["initContainers", "containers"] as const) {
    (before[kind] ?? []).forEach((each, index) => {
      const at = `spec.${kind}[${String(index)}]`;
      const after = spec[kind]![index]!;
      pushAll(errors, removed(after.resources ?? {}, each.resources ?? {}, `${at}.resources`));
      const claims = each.resources?.claims ?? [];
      if (claims.length > 0 || !onlyCompute(after, each) || !check.sameValue(after.resizePolicy, each.resizePolicy))
        errors.push(forbidden(kind === "containers" ? "spec" : at, "only cpu and memory resources are mutable"));
    });
  }
  return errors;
}

/** Validates a change of the resources of the whole pod. */
function podResizeErrors({ resources: now }: PodSpec, { resources: before }: PodSpec): FieldError[] {
  if (before === undefined && now === undefined) return [];
  if (now === undefined) return [forbidden("spec.resources", "pod-level resources cannot be removed")];
  const errors = removed(now, before ?? {}, "spec.resources");
  return onlyCompute({ resources: now }, { resources: before })
    ? errors
    : [...errors, forbidden("spec", "only cpu and memory resources are mutable at pod-level")];
}

/** Returns the errors of added, removed, renamed and reordered containers. */
function movedErrors(spec: PodSpec, before: PodSpec): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((kind) => {
    const now = spec[kind] ?? [];
    if (now.length !== (before[kind] ?? []).length)
      return [forbidden(`spec.${kind}`, `${kind} may not be added or removed on resize`)];
    return check.eachItem(before[kind], `spec.${kind}`, ({ name }, at, index) =>
      now[index]!.name === name ? [] : [forbidden(`${at}.name`, `${kind} may not be renamed or reordered on resize`)],
    );
  });
}

function removed(now: ResourceRequirements, before: ResourceRequirements, at: string): FieldError[] {
  return (["requests", "limits"] as const).flatMap((kind) => {
    const gone = Object.keys(before[kind] ?? {}).some((name) => now[kind]?.[name] === undefined);
    return gone ? [forbidden(`${at}.${kind}`, `resource ${kind} cannot be removed`)] : [];
  });
}

/** True if the resources of two containers or pods differ at most in CPU and memory. */
function onlyCompute(now: Pick<Container, "resources">, before: Pick<Container, "resources">): boolean {
  const without = ({ resources = {} }: Pick<Container, "resources">): unknown =>
    (["limits", "requests"] as const).map((kind) =>
      Object.fromEntries(Object.entries(resources[kind] ?? {}).filter(([name]) => name !== "cpu" && name !== "memory")),
    );
  return check.sameValue(without(now), without(before));
}
