import type { DaemonSet, Deployment, DeploymentStatus, ReplicaSet, StatefulSet } from "../../../../kinds/apps/v1.js";
import type { Job, JobSpec } from "../../../../kinds/batch/v1.js";
import type { PodTemplateSpec, ReplicationController } from "../../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../../meta/label-selector.js";
import type { FieldError } from "../../../schema/field-error.js";
import { dnsLabel, forbidden, immutable, invalid, nonNegative, notSupported, required, sameValue } from "./field-errors.js";
import { selectorErrors, selectorMatches } from "./validate-selector.js";
import { validatePodTemplate } from "./validate-pod-spec.js";

/** Errors of a Deployment. */
export function validateDeployment({ spec }: Deployment): FieldError[] {
  if (spec === undefined) return [];
  const errors = [...nonNegative("spec.replicas", spec.replicas), ...ownSelector(spec.selector, "deployment"), ...ownTemplate(spec.selector, spec.template, "ReplicaSet")];
  const { strategy } = spec;
  if (strategy?.type === "Recreate" && strategy.rollingUpdate !== undefined) errors.push(forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'"));
  else if (strategy?.type === "RollingUpdate") {
    const at = "spec.strategy.rollingUpdate";
    const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
    errors.push(...intOrPercent(`${at}.maxUnavailable`, maxUnavailable), ...intOrPercent(`${at}.maxSurge`, maxSurge));
    if (amount(maxUnavailable) === 0 && amount(maxSurge) === 0) errors.push(invalid(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    if (typeof maxUnavailable === "string" && amount(maxUnavailable) > 100) errors.push(invalid(`${at}.maxUnavailable`, maxUnavailable, "must not be greater than 100%"));
  } else if (strategy?.type !== "Recreate") errors.push(notSupported("spec.strategy", { Type: strategy?.type ?? "", RollingUpdate: strategy?.rollingUpdate ?? null }, ["Recreate", "RollingUpdate"]));
  for (const key of ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"] as const) errors.push(...nonNegative(`spec.${key}`, spec[key]));
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  return errors;
}

/** Errors of a changed Deployment. */
export function validateDeploymentUpdate(deployment: Deployment, old: Deployment): FieldError[] {
  return [...validateDeployment(deployment), ...immutable("spec.selector", deployment.spec?.selector, old.spec?.selector)];
}

/** Errors of a Deployment's status. */
export function validateDeploymentStatus({ status = {} }: Deployment): FieldError[] {
  const errors: FieldError[] = [];
  const counts = ["observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount"] as const;
  for (const key of counts) errors.push(...nonNegative(`status.${key}`, status[key]));
  return [...errors, ...notMoreThan(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], "replicas", "cannot be greater than status.replicas"), ...notMoreThan(status, ["availableReplicas"], "readyReplicas", "cannot be greater than readyReplicas")];
}

function notMoreThan(status: DeploymentStatus, keys: readonly (keyof DeploymentStatus)[], most: keyof DeploymentStatus, detail: string): FieldError[] {
  return keys.flatMap((key) => (Number(status[key] ?? 0) > Number(status[most] ?? 0) ? [invalid(`status.${key}`, status[key], detail)] : []));
}

/** Errors of a ReplicaSet. */
export function validateReplicaSet({ spec }: ReplicaSet): FieldError[] {
  if (spec === undefined) return [];
  return [
    ...nonNegative("spec.replicas", spec.replicas), ...nonNegative("spec.minReadySeconds", spec.minReadySeconds), ...ownSelector(spec.selector, "deployment"),
    ...ownTemplate(spec.selector, spec.template ?? {}, "ReplicaSet"),
  ];
}

/** Errors of a changed ReplicaSet. */
export function validateReplicaSetUpdate(set: ReplicaSet, old: ReplicaSet): FieldError[] {
  return [...validateReplicaSet(set), ...immutable("spec.selector", set.spec?.selector, old.spec?.selector)];
}

/** Errors of a ReplicationController. */
export function validateReplicationController({ spec = {} }: ReplicationController): FieldError[] {
  const errors = [...nonNegative("spec.minReadySeconds", spec.minReadySeconds)];
  const selector = spec.selector ?? {};
  if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
  errors.push(...nonNegative("spec.replicas", spec.replicas));
  if (spec.template === undefined) errors.push(required("spec.template"));
  else errors.push(...ownTemplate({ matchLabels: selector }, spec.template, "ReplicationController", "`selector` does not match template `labels`", "spec.template.metadata.labels"));
  return errors;
}

/** Errors of a DaemonSet. */
export function validateDaemonSet({ spec }: DaemonSet): FieldError[] {
  if (spec === undefined) return [];
  const errors = [...selectorErrors(spec.selector, "spec.selector")];
  if (!selectorMatches(spec.selector, spec.template.metadata?.labels)) errors.push(invalid("spec.template.metadata.labels", spec.template.metadata?.labels, "`selector` does not match template `labels`"));
  if ((spec.selector as LabelSelector | null) !== null && empty(spec.selector)) errors.push(invalid("spec.selector", spec.selector, "empty selector is invalid for daemonset"));
  errors.push(...validatePodTemplate(spec.template, "spec.template"), ...alwaysRestarts(spec.template, "DaemonSet"));
  for (const key of ["minReadySeconds", "revisionHistoryLimit"] as const) errors.push(...nonNegative(`spec.${key}`, spec[key]));
  return errors;
}

/** Errors of a changed DaemonSet. */
export function validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet): FieldError[] {
  return [...immutable("spec.selector", set.spec?.selector, old.spec?.selector), ...validateDaemonSet(set)];
}

/** Errors of a StatefulSet. */
export function validateStatefulSet({ spec }: StatefulSet): FieldError[] {
  if (spec === undefined) return [];
  const errors: FieldError[] = [];
  const { podManagementPolicy, updateStrategy, serviceName = "" } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") errors.push(invalid("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  if (updateStrategy?.type !== "RollingUpdate" && updateStrategy?.type !== "OnDelete") errors.push(invalid("spec.updateStrategy", updateStrategy, "must be 'RollingUpdate' or 'OnDelete'"));
  else if (updateStrategy.type === "OnDelete" && updateStrategy.rollingUpdate !== undefined) errors.push(invalid("spec.updateStrategy.rollingUpdate", updateStrategy.rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'"));
  errors.push(...nonNegative("spec.replicas", spec.replicas), ...nonNegative("spec.minReadySeconds", spec.minReadySeconds));
  if (serviceName !== "") errors.push(...dnsLabel("spec.serviceName", serviceName));
  errors.push(...ownSelector(spec.selector, "statefulset"));
  const claims = (spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name ?? "");
  const volumes = [...claims.map((name) => ({ name, emptyDir: {} })), ...(spec.template.spec?.volumes ?? []).filter((volume) => !claims.includes(volume.name))];
  const template = { ...spec.template, spec: { ...spec.template.spec, containers: spec.template.spec?.containers ?? [], volumes } };
  if (!selectorMatches(spec.selector, template.metadata?.labels) && ((spec.selector as LabelSelector | null) === null || !empty(spec.selector))) errors.push(invalid("spec.template.metadata.labels", template.metadata?.labels, "`selector` does not match template `labels`"));
  errors.push(...validatePodTemplate(template, "spec.template"), ...alwaysRestarts(spec.template, "StatefulSet"));
  return errors;
}

const MUTABLE_STATEFUL = ["replicas", "template", "updateStrategy", "minReadySeconds", "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"] as const;

/** Errors of a changed StatefulSet. */
export function validateStatefulSetUpdate(set: StatefulSet, old: StatefulSet): FieldError[] {
  const errors = validateStatefulSet(set);
  const munged: Record<string, unknown> = { ...set.spec };
  for (const key of MUTABLE_STATEFUL) munged[key] = old.spec?.[key];
  if (!sameValue(munged, old.spec)) errors.push(forbidden("spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
  return errors;
}

/** Errors of a Job. */
export function validateJob(job: Job): FieldError[] {
  return job.spec === undefined ? [] : validateJobSpec(job.spec, "spec", job.spec.selector);
}

/** Errors of what a Job is to do. */
export function validateJobSpec(spec: JobSpec, at: string, selector: LabelSelector | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"] as const) errors.push(...nonNegative(`${at}.${key}`, spec[key]));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) errors.push(required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  if (spec.completionMode === "Indexed") {
    if (spec.completions === undefined) errors.push(required(`${at}.completions`, "when completion mode is Indexed"));
  } else {
    if (spec.backoffLimitPerIndex !== undefined) errors.push(invalid(`${at}.backoffLimitPerIndex`, spec.backoffLimitPerIndex, "requires indexed completion mode"));
    if (spec.maxFailedIndexes !== undefined) errors.push(invalid(`${at}.maxFailedIndexes`, spec.maxFailedIndexes, "requires indexed completion mode"));
    if (spec.successPolicy !== undefined) errors.push(invalid(`${at}.successPolicy`, spec.successPolicy, "requires indexed completion mode"));
  }
  errors.push(...validatePodTemplate(spec.template, `${at}.template`));
  const restart = spec.template.spec?.restartPolicy;
  const field = `${at}.template.spec.restartPolicy`;
  if (restart === "Always" || restart === undefined) errors.push(required(field, 'valid values: "OnFailure", "Never"'));
  else if (spec.podFailurePolicy !== undefined && restart !== "Never") errors.push(invalid(field, restart, 'only "Never" is supported when podFailurePolicy is specified'));
  if (selector !== undefined && !selectorMatches(selector, spec.template.metadata?.labels)) errors.push(invalid(`${at}.template.metadata.labels`, spec.template.metadata?.labels, "`selector` does not match template `labels`"));
  return errors;
}

/** Errors of a changed Job. */
export function validateJobUpdate(job: Job, old: Job): FieldError[] {
  const [spec, before] = [job.spec, old.spec];
  const errors = validateJob(job);
  const elastic = before?.completionMode === "Indexed" && spec?.completions === spec?.parallelism;
  if (!elastic) errors.push(...immutable("spec.completions", spec?.completions, before?.completions));
  errors.push(...immutable("spec.selector", spec?.selector, before?.selector));
  if (before?.suspend !== true) errors.push(...immutable("spec.template", spec?.template, before?.template));
  for (const key of ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] as const) errors.push(...immutable(`spec.${key}`, spec?.[key], before?.[key]));
  return errors;
}

function ownSelector(selector: LabelSelector | null | undefined, kind: string): FieldError[] {
  if (selector === undefined || selector === null) return [required("spec.selector")];
  const errors = selectorErrors(selector, "spec.selector");
  if (empty(selector)) errors.push(invalid("spec.selector", selector, `empty selector is invalid for ${kind}`));
  return errors;
}

function ownTemplate(selector: LabelSelector | null | undefined, template: PodTemplateSpec, kind: string, detail = "`selector` does not match template `labels`", field = "spec.template.metadata.labels"): FieldError[] {
  if (selector !== null && selectorErrors(selector, "").length > 0) return [invalid("spec.selector", selector, "invalid label selector")];
  const errors: FieldError[] = [];
  if ((selector === null || !empty(selector)) && !selectorMatches(selector, template.metadata?.labels)) errors.push(invalid(field, template.metadata?.labels, detail));
  return [...errors, ...validatePodTemplate(template, "spec.template"), ...alwaysRestarts(template, kind)];
}

function alwaysRestarts(template: PodTemplateSpec, kind: string): FieldError[] {
  const errors: FieldError[] = [];
  const restart = template.spec?.restartPolicy;
  if (restart !== "Always") errors.push(notSupported("spec.template.spec.restartPolicy", restart, ["Always"]));
  if (template.spec?.activeDeadlineSeconds !== undefined) errors.push(forbidden("spec.template.spec.activeDeadlineSeconds", `activeDeadlineSeconds in ${kind} is not Supported`));
  return errors;
}

function empty(selector: LabelSelector | null | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}

function intOrPercent(field: string, value: number | string | undefined): FieldError[] {
  if (typeof value === "number") return nonNegative(field, value);
  return value === undefined || /^[0-9]+%$/.test(value) ? [] : [invalid(field, value, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")];
}

function amount(value: number | string | undefined): number {
  return typeof value === "string" ? Number(/^(\d+)%$/.exec(value)?.[1] ?? "0") : (value ?? 0);
}
