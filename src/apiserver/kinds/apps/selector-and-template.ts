import type { PodTemplateSpec } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { alwaysRestarts, isEmptySelector, labelMismatch } from "../core/pod/workload.js";
import * as check from "../shared/checks.js";
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

/** Returns the validations of a workload whose selector can't change. */
export function withFixedSelector<T extends { readonly spec?: { readonly selector?: unknown } | undefined }>(
  validate: (object: T) => FieldError[],
): { create: (object: T) => FieldError[]; update: (object: T, old: T) => FieldError[] } {
  return {
    create: validate,
    update: (object, old) => [
      ...validate(object),
      ...check.immutable("spec.selector", object.spec?.selector, old.spec?.selector),
    ],
  };
}

/** Sets the replicas of an empty workload, which are never missing in the internal form. */
export function fillReplicas(workload: { spec?: { replicas?: number | undefined } | undefined }): void {
  workload.spec = { replicas: 0, ...workload.spec };
}
