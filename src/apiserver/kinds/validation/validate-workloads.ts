import type { Deployment, ReplicaSet } from "../../../kinds/apps/v1.js";
import type { PodTemplateSpec, ReplicationController } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { forbidden, invalid, nonNegative, notSupported, required, shownMap } from "../shared/field-errors.js";
import { amount, atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import { selectorErrors, selectorImmutable, selectorMatches, shownSelector } from "../shared/selectors.js";

/** Errors of a Deployment. */
export function validateDeployment({ spec }: Deployment): FieldError[] {
  if (spec === undefined) return [];
  const errors = [
    ...nonNegative("spec.replicas", spec.replicas),
    ...ownSelector(spec.selector, "deployment"),
    ...ownTemplate(spec.selector, spec.template),
  ];
  const { strategy } = spec;
  if (strategy?.type === "Recreate" && strategy.rollingUpdate !== undefined)
    errors.push(forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'"));
  else if (strategy?.type === "RollingUpdate") {
    const at = "spec.strategy.rollingUpdate";
    const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
    errors.push(...intOrPercent(`${at}.maxUnavailable`, maxUnavailable), ...intOrPercent(`${at}.maxSurge`, maxSurge));
    if (amount(maxUnavailable) === 0 && amount(maxSurge) === 0)
      errors.push(invalid(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    errors.push(...atMostAll(`${at}.maxUnavailable`, maxUnavailable));
  } else if (strategy?.type !== "Recreate")
    errors.push(
      notSupported(
        "spec.strategy",
        {
          Type: strategy?.type ?? "",
          RollingUpdate:
            strategy?.rollingUpdate === undefined
              ? null
              : {
                  MaxUnavailable: strategy.rollingUpdate.maxUnavailable ?? 0,
                  MaxSurge: strategy.rollingUpdate.maxSurge ?? 0,
                },
        },
        ["Recreate", "RollingUpdate"],
      ),
    );
  for (const key of ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"] as const)
    errors.push(...nonNegative(`spec.${key}`, spec[key]));
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0))
    errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  return errors;
}

/** Errors of a changed Deployment. */
export function validateDeploymentUpdate(deployment: Deployment, old: Deployment): FieldError[] {
  return [
    ...validateDeployment(deployment),
    ...selectorImmutable("spec.selector", deployment.spec?.selector, old.spec?.selector),
  ];
}

/** Errors of a ReplicaSet. */
export function validateReplicaSet({ spec }: ReplicaSet): FieldError[] {
  if (spec === undefined) return [];
  return [
    ...nonNegative("spec.replicas", spec.replicas),
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...ownSelector(spec.selector, "deployment"),
    ...ownTemplate(spec.selector, spec.template ?? {}),
  ];
}

/** Errors of a changed ReplicaSet. */
export function validateReplicaSetUpdate(set: ReplicaSet, old: ReplicaSet): FieldError[] {
  return [...validateReplicaSet(set), ...selectorImmutable("spec.selector", set.spec?.selector, old.spec?.selector)];
}

/** Errors of a ReplicationController. */
export function validateReplicationController({ spec = {} }: ReplicationController): FieldError[] {
  const errors = [...nonNegative("spec.minReadySeconds", spec.minReadySeconds)];
  const { selector = {}, template } = spec;
  if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
  errors.push(...nonNegative("spec.replicas", spec.replicas));
  if (template === undefined) return [...errors, required("spec.template")];
  if (Object.keys(selector).length > 0 && !selectorMatches({ matchLabels: selector }, template.metadata?.labels))
    errors.push(invalid("spec.template.metadata.labels", shownMap(template.metadata, "labels"), MISMATCH));
  return [
    ...errors,
    ...validatePodTemplate(template, "spec.template"),
    ...alwaysRestarts(template, "ReplicationController"),
  ];
}

/** What is said of a selector that does not find its own pods. */
export const MISMATCH = "`selector` does not match template `labels`";

/** Errors of the selector that a controller must have. */
export function ownSelector(selector: LabelSelector | null | undefined, kind: string): FieldError[] {
  if (selector === undefined || selector === null) return [required("spec.selector")];
  const errors = selectorErrors(selector, "spec.selector");
  if (empty(selector)) errors.push(invalid("spec.selector", selector, `empty selector is invalid for ${kind}`));
  return errors;
}

function ownTemplate(selector: LabelSelector | null | undefined, template: PodTemplateSpec): FieldError[] {
  if (selectorErrors(selector, "").length > 0)
    return [invalid("spec.selector", shownSelector(selector), "invalid label selector")];
  const errors: FieldError[] = [];
  if (
    (selector === undefined || selector === null || !empty(selector)) &&
    !selectorMatches(selector, template.metadata?.labels)
  )
    errors.push(invalid("spec.template.metadata.labels", shownMap(template.metadata, "labels"), MISMATCH));
  return [...errors, ...validatePodTemplate(template, "spec.template"), ...alwaysRestarts(template, "ReplicaSet")];
}

/** Errors of a template whose pods must run for ever. */
export function alwaysRestarts(template: PodTemplateSpec, kind: string): FieldError[] {
  const errors: FieldError[] = [];
  const restart = template.spec?.restartPolicy;
  if (restart !== "Always") errors.push(notSupported("spec.template.spec.restartPolicy", restart, ["Always"]));
  if (template.spec?.activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden("spec.template.spec.activeDeadlineSeconds", `activeDeadlineSeconds in ${kind} is not Supported`),
    );
  return errors;
}

/** Whether a selector asks for nothing. */
export function empty(selector: LabelSelector | null | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}
