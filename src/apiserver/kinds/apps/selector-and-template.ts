import type { PodTemplateSpec } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { alwaysRestarts, isEmptySelector, labelMismatch } from "../core/pod/workload.js";
import { invalid, required } from "../shared/field-errors.js";
import { selectorErrors } from "../shared/selectors.js";

/** Returns the errors of a selector that must be there and select something. */
export function requiredSelector(selector: LabelSelector | null | undefined): FieldError[] {
  if (selector === undefined || selector === null) return [required("spec.selector")];
  const errors = selectorErrors(selector, "spec.selector");
  return isEmptySelector(selector) ? [...errors, invalid("spec.selector", selector, "must not be empty")] : errors;
}

/** Returns the errors of the selector and the template of a Deployment or a ReplicaSet. */
export function selectorAndTemplate(
  selector: LabelSelector | null | undefined,
  template: PodTemplateSpec,
): FieldError[] {
  const errors = requiredSelector(selector);
  if (selectorErrors(selector, "").length > 0)
    return [...errors, invalid("spec.selector", selector, "invalid label selector")];
  const isEmpty = selector !== undefined && selector !== null && isEmptySelector(selector);
  return [
    ...errors,
    ...(isEmpty ? [] : labelMismatch(selector, template)),
    ...validatePodTemplate(template, "spec.template"),
    ...alwaysRestarts(template),
  ];
}

/** Gives an empty workload its replicas: in the server's own form they are never absent. */
export function fillReplicas(workload: { spec?: { replicas?: number } | undefined }): void {
  workload.spec = { replicas: 0, ...workload.spec };
}
