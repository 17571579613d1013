import type { Container, Pod, PodSpec, Toleration } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../schema/field-error.js";
import { forbidden, invalid, sameValue } from "./field-errors.js";
import { validatePodSpec } from "./validate-pod-spec.js";

/** Errors of a new pod. */
export function validatePod(pod: Pod): FieldError[] {
  return validatePodSpec(pod.spec ?? { containers: [] }, "spec", pod.metadata?.name);
}

const UPDATABLE = [
  "`spec.containers[*].image`", "`spec.initContainers[*].image`", "`spec.activeDeadlineSeconds`", "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** Errors of a changed pod: little of it may change. */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors = validatePod(pod);
  const spec = pod.spec ?? { containers: [] };
  const before = old.spec ?? { containers: [] };
  for (const kind of ["containers", "initContainers"] as const) {
    if ((spec[kind] ?? []).length !== (before[kind] ?? []).length) return [...errors, forbidden(`spec.${kind}`, "pod updates may not add or remove containers")];
    (spec[kind] ?? []).forEach((container, index) => {
      if ((container.image ?? "").trim() === "") errors.push({ type: "FieldValueRequired", field: `spec.${kind}[${String(index)}].image`, detail: "" });
    });
  }
  const deadline = deadlineErrors(spec, before);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(...addedOnly(spec.tolerations ?? [], before.tolerations ?? []), ...gatesDeletedOnly(spec, before));
  const munged: PodSpec = { ...spec, containers: withImages(spec.containers, before.containers) };
  if (spec.initContainers !== undefined) munged.initContainers = withImages(spec.initContainers, before.initContainers ?? []);
  const same: (keyof PodSpec)[] = ["activeDeadlineSeconds", "schedulingGates", "tolerations"];
  if ((before.schedulingGates ?? []).length > 0) same.push("nodeSelector", "affinity");
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1) same.push("terminationGracePeriodSeconds");
  for (const key of same) Object.assign(munged, { [key]: before[key] });
  if (!sameValue(munged, before)) errors.push(forbidden("spec", `pod updates may not change fields other than ${UPDATABLE.join(",")}\n`));
  return errors;
}

function withImages(containers: readonly Container[], before: readonly Container[]): Container[] {
  return containers.map((container, index) => {
    const { image } = before[index] ?? {};
    return image === undefined ? container : { ...container, image };
  });
}

function deadlineErrors(spec: PodSpec, before: PodSpec): { errors: FieldError[]; stop: boolean } {
  const [value, old] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  const field = "spec.activeDeadlineSeconds";
  if (value === undefined) return { errors: old === undefined ? [] : [invalid(field, null, "must not update from a positive integer to nil value")], stop: false };
  if (value < 0 || value > 2147483647) return { errors: [invalid(field, value, "must be between 0 and 2147483647, inclusive")], stop: true };
  if (old !== undefined && old < value) return { errors: [invalid(field, value, "must be less than or equal to previous value")], stop: true };
  return { errors: [], stop: false };
}

function addedOnly(tolerations: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const kept = before.every((old) => tolerations.some((each) => sameValue({ ...each, tolerationSeconds: 0 }, { ...old, tolerationSeconds: 0 }) || sameValue(each, old)));
  return kept ? [] : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function gatesDeletedOnly(spec: PodSpec, before: PodSpec): FieldError[] {
  const known = new Set((before.schedulingGates ?? []).map((gate) => gate.name));
  return (spec.schedulingGates ?? []).some((gate) => !known.has(gate.name)) ? [forbidden("spec.schedulingGates", "only deletion is allowed, but found new scheduling gate")] : [];
}
