import { pushAll } from "../../../../internal/push-all.js";
import type { Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { givenEmptyFields, recordGivenEmpty } from "../../../objects/given-empty.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid, required } from "../../shared/field-errors.js";
import { appArmorMismatches } from "./app-armor.js";
import { imageErrors } from "./container-errors.js";
import { annotationUpdateErrors, podAnnotationErrors, seccompMismatches } from "./pod-annotation-errors.js";
import { tolerationErrors, validatePodSpec } from "./pod-spec-errors.js";

export function validatePod(pod: Pod): FieldError[] {
  const errors = [
    ...specErrors(pod),
    ...seccompMismatches(pod.spec ?? { containers: [] }, pod.metadata?.annotations ?? {}),
    ...appArmorMismatches(pod.spec ?? { containers: [] }, pod.metadata?.annotations, "spec"),
  ];
  if ((pod.spec?.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  if ((pod.spec?.nodeName ?? "") !== "" && (pod.spec?.schedulingGates ?? []).length > 0)
    errors.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  return errors;
}

function specErrors({ metadata, spec = { containers: [] } }: Pod, old?: Pod): FieldError[] {
  return [
    ...podAnnotationErrors(metadata?.annotations, spec, "metadata.annotations"),
    ...validatePodSpec(spec, "spec", { name: metadata?.name, old: old?.spec }),
  ];
}

/** Validates a changed pod. Most of its fields are immutable. */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors = [...specErrors(pod, old), ...annotationUpdateErrors(pod, old)];
  const spec = pod.spec ?? { containers: [] };
  const before = old.spec ?? { containers: [] };
  for (const kind of ["containers", "initContainers"] as const) {
    if ((spec[kind] ?? []).length !== (before[kind] ?? []).length)
      return [...errors, forbidden(`spec.${kind}`, "pod updates may not add or remove containers")];
    (spec[kind] ?? []).forEach((container, index) => {
      const at = `spec.${kind}[${String(index)}]`;
      if ((container.image ?? "") === "") errors.push(required(`${at}.image`));
      pushAll(errors, imageErrors(container, at));
    });
  }
  const deadline = deadlineErrors(spec, before);
  pushAll(errors, deadline.errors);
  if (deadline.stop) return errors;
  pushAll(errors, addedOnly(spec.tolerations ?? [], before.tolerations ?? []), gatesDeletedOnly(spec, before));
  // Most updates change labels or annotations.
  if (check.sameValue(spec, before)) return errors;
  const munged: PodSpec = { ...spec, containers: withImages(spec.containers, before.containers) };
  recordGivenEmpty(munged, givenEmptyFields(spec));
  if (spec.initContainers !== undefined)
    munged.initContainers = withImages(spec.initContainers, before.initContainers ?? []);
  const same: (keyof PodSpec)[] = ["activeDeadlineSeconds", "schedulingGates", "tolerations"];
  if ((before.schedulingGates ?? []).length > 0) pushAll(errors, settleGated(munged, before));
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1)
    same.push("terminationGracePeriodSeconds");
  for (const key of same) Object.assign(munged, { [key]: before[key] });
  if (!check.sameValue(munged, before))
    errors.push(
      forbidden(
        "spec",
        "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
      ),
    );
  return errors;
}

/** Restores the node selection of a gated pod, which may be narrowed. Returns the errors of other changes to it. */
function settleGated(munged: PodSpec, before: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (Object.entries(before.nodeSelector ?? {}).some(([key, value]) => munged.nodeSelector?.[key] !== value))
    errors.push(
      invalid(
        "spec.nodeSelector",
        munged.nodeSelector,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      ),
    );
  Object.assign(munged, { nodeSelector: before.nodeSelector });
  const [now, old] = [munged.affinity?.nodeAffinity, before.affinity?.nodeAffinity];
  if (check.sameValue(now, old)) return errors;
  pushAll(errors, affinityErrors(now, old));
  const { podAffinity, podAntiAffinity } = munged.affinity ?? {};
  if (
    munged.affinity !== undefined &&
    before.affinity === undefined &&
    podAffinity === undefined &&
    podAntiAffinity === undefined
  )
    Object.assign(munged, { affinity: undefined });
  else Object.assign(munged, { affinity: { ...munged.affinity, nodeAffinity: old } });
  return errors;
}

function affinityErrors(now: NodeAffinity | undefined, old: NodeAffinity | undefined): FieldError[] {
  const termsOf = (affinity: NodeAffinity | undefined): readonly NodeSelectorTerm[] =>
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const [terms, before] = [termsOf(now), termsOf(old)];
  const field = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (before.length > 0 && before.length !== terms.length)
    return [invalid(field, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")];
  return before.flatMap((term, index) =>
    onlyMore(terms[index]!, term)
      ? []
      : [invalid(`${field}[${String(index)}]`, terms[index], "only additions are allowed (no mutations or deletions)")],
  );
}

/** True if a term only gains requirements. A term without any must stay empty. */
function onlyMore(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const parts = ["matchExpressions", "matchFields"] as const;
  if (parts.every((part) => (before[part] ?? []).length === 0))
    return parts.every((part) => (now[part] ?? []).length === 0);
  return parts.every((part) =>
    check.sameValue((now[part] ?? []).slice(0, (before[part] ?? []).length), before[part] ?? []),
  );
}

function withImages(containers: readonly Container[], before: readonly Container[]): Container[] {
  return containers.map((container, index) => {
    const { image } = before[index] ?? {};
    if (image === undefined) return container;
    const changed = { ...container, image };
    recordGivenEmpty(changed, givenEmptyFields(container));
    return changed;
  });
}

function deadlineErrors(spec: PodSpec, before: PodSpec): { errors: FieldError[]; stop: boolean } {
  const [value, old] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  const field = "spec.activeDeadlineSeconds";
  if (value === undefined)
    return {
      errors: old === undefined ? [] : [invalid(field, null, "must not update from a positive integer to nil value")],
      stop: false,
    };
  if (value < 0 || value > 2147483647)
    return { errors: [invalid(field, value, "must be between 0 and 2147483647, inclusive")], stop: true };
  if (old !== undefined && old < value)
    return { errors: [invalid(field, value, "must be less than or equal to previous value")], stop: true };
  return { errors: [], stop: false };
}

function addedOnly(tolerations: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const identity = (toleration: Toleration): string => check.canonical({ ...toleration, tolerationSeconds: 0 });
  let kept = check.sameValue(tolerations, before);
  if (!kept) {
    const current = new Set(tolerations.map(identity));
    kept = before.every((old) => current.has(identity(old)));
  }
  // kube-apiserver validates the tolerations a second time here.
  return kept
    ? check.eachItem(tolerations, "spec.tolerations", tolerationErrors)
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function gatesDeletedOnly(spec: PodSpec, before: PodSpec): FieldError[] {
  const known = new Set((before.schedulingGates ?? []).map((gate) => gate.name));
  return check.eachItem(spec.schedulingGates, "spec.schedulingGates", ({ name }, at) =>
    known.has(name) ? [] : [forbidden(`${at}.name`, "only deletion is allowed, but found new scheduling gate")],
  );
}
