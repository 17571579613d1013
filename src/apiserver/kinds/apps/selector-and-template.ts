import type { PodTemplateSpec } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { alwaysRestarts, isEmptySelector, labelMismatch } from "../core/pod/workload.js";
import { invalid, required } from "../shared/field-errors.js";
import { selectorErrors } from "../shared/selectors.js";

/** Requires a selector that isn't empty. */
export function requiredSelector(selector: LabelSelector | null | undefined): FieldError[] {
  if (selector === undefined || selector === null) return [required("spec.selector")];
  const errors = selectorErrors(selector, "spec.selector");
  return isEmptySelector(selector) ? [...errors, invalid("spec.selector", selector, "must not be empty")] : errors;
}

/** Validates selector and template of a Deployment or ReplicaSet. */
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

/** Sets the replicas of an empty workload, which are never missing in the internal form. */
export function fillReplicas(workload: { spec?: { replicas?: number | undefined } | undefined }): void {
  workload.spec = { replicas: 0, ...workload.spec };
}
