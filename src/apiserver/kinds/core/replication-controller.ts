import type { ReplicationController } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nonNegative, required } from "../shared/field-errors.js";
import { validatePodTemplate } from "./pod/pod-spec-errors.js";
import { alwaysRestarts, labelMismatch } from "./pod/workload.js";

export function validateReplicationController({ spec = {} }: ReplicationController): FieldError[] {
  const { selector = {}, template } = spec;
  const hasSelector = Object.keys(selector).length > 0;
  const errors = [
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(hasSelector ? [] : [required("spec.selector")]),
    ...nonNegative("spec.replicas", spec.replicas),
  ];
  if (template === undefined) return [...errors, required("spec.template")];
  return [
    ...errors,
    ...(hasSelector ? labelMismatch({ matchLabels: selector }, template) : []),
    ...validatePodTemplate(template, "spec.template"),
    ...alwaysRestarts(template),
  ];
}
