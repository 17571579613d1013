import { pushAll } from "../../../../internal/push-all.js";
import type { Job, JobSpec } from "../../../../kinds/batch/v1.js";
import type { PodSpec, PodTemplateSpec } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { selectorMatches } from "../../../objects/selector-text.js";
import { nameErrors } from "../../../objects/validate-metadata.js";
import { validatePodTemplate } from "../../core/pod/pod-spec-errors.js";
import { labelMismatch } from "../../core/pod/workload.js";
import * as check from "../../shared/checks.js";
import { invalid, notSupported, required, tooLong } from "../../shared/field-errors.js";
import { selectorErrors } from "../../shared/selectors.js";
import { validateEnums } from "../../shared/validate-enums.js";
import { failurePolicyErrors, successPolicyErrors } from "./job-policies.js";

const mostManager = 63;
/** Limits of an indexed Job, and of one with very many completions. */
const mostParallel = 100_000;
const mostFailed = 100_000;
const manyIndexes = { completions: 100_000, parallelism: 10_000, failed: 10_000 };

/** Validates a Job. `prefixed`: its pods must have the domain-qualified labels too. */
export function validateJob(job: Job, prefixed = true): FieldError[] {
  const { metadata, spec } = job;
  if (spec === undefined) return [];
  const errors = [...generatedErrors(job, prefixed), ...ownSpecErrors(spec)];
  if (spec.completionMode === "Indexed" && (spec.completions ?? 0) > 0) {
    const pod = `${metadata?.name ?? ""}-${String(spec.completions! - 1)}`;
    if (nameErrors(pod, "label").length > 0)
      errors.push(
        invalid("metadata.name", metadata?.name ?? "", "must leave room for the completion index in pod names"),
      );
  }
  return errors;
}

/** Returns an error for each label that the generated selector needs and the template lacks. */
function generatedErrors({ metadata, spec }: Job, prefixed: boolean): FieldError[] {
  if (spec === undefined || spec.manualSelector === true || spec.selector === undefined) return [];
  const [uid, name] = [metadata?.uid ?? "", metadata?.name ?? ""];
  const given = spec.template.metadata?.labels ?? {};
  const all = {
    "controller-uid": uid,
    "job-name": name,
    ...(prefixed ? { "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name } : {}),
  };
  const at = "spec.template.metadata.labels";
  const errors = Object.entries(all).flatMap(([key, value]) => {
    if (!Object.hasOwn(given, key)) return [required(`${at}[${key}]`, `must be '${value}'`)];
    return given[key] === value ? [] : [invalid(`${at}[${key}]`, given[key], `must be '${value}'`)];
  });
  if (selectorErrors(spec.selector, "").length === 0 && !selectorMatches(spec.selector, all))
    errors.push(invalid("spec.selector", spec.selector, "`selector` not auto-generated"));
  return errors;
}

function ownSpecErrors(spec: JobSpec): FieldError[] {
  const { selector } = spec;
  const errors = [
    ...validateJobSpec(spec, "spec"),
    ...(selector === undefined ? [required("spec.selector")] : selectorErrors(selector, "spec.selector")),
  ];
  return selectorErrors(selector, "").length > 0 ? errors : [...errors, ...labelMismatch(selector, spec.template)];
}

/** Validates a Job's spec, except for the selector. */
export function validateJobSpec(spec: JobSpec, at: string): FieldError[] {
  const errors = check.nonNegativeFields(spec, at, [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ]);
  const { completionMode: mode, managedBy, podReplacementPolicy: replacement, template, successPolicy } = spec;
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  if (managedBy !== undefined) {
    pushAll(errors, check.domainPath(`${at}.managedBy`, managedBy));
    if (managedBy.length > mostManager) errors.push(tooLong(`${at}.managedBy`, mostManager));
  }
  if (mode !== undefined && mode !== "Indexed" && mode !== "NonIndexed")
    errors.push(notSupported(`${at}.completionMode`, mode, ["NonIndexed", "Indexed"]));
  if (mode === "Indexed") pushAll(errors, indexedErrors(spec, at));
  if (mode === undefined || mode === "NonIndexed") {
    for (const key of ["backoffLimitPerIndex", "maxFailedIndexes"] as const)
      if (spec[key] !== undefined) errors.push(invalid(`${at}.${key}`, spec[key], "requires indexed completion mode"));
  }
  if (spec.podFailurePolicy !== undefined) pushAll(errors, failurePolicyErrors(spec, `${at}.podFailurePolicy`));
  if (successPolicy !== undefined)
    pushAll(
      errors,
      mode === "Indexed"
        ? successPolicyErrors(spec, `${at}.successPolicy`)
        : [invalid(`${at}.successPolicy`, successPolicy, "requires indexed completion mode")],
    );
  const replacements = spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  if (replacement !== undefined && !replacements.includes(replacement))
    errors.push(notSupported(`${at}.podReplacementPolicy`, replacement, replacements));
  pushAll(errors, validatePodTemplate(template, `${at}.template`));
  const restart = template.spec?.restartPolicy;
  const field = `${at}.template.spec.restartPolicy`;
  if (restart === "Always" || restart === undefined) errors.push(required(field, 'valid values: "OnFailure", "Never"'));
  else if (restart !== "OnFailure" && restart !== "Never")
    errors.push(notSupported(field, restart, ["OnFailure", "Never"]));
  else if (spec.podFailurePolicy !== undefined && restart !== "Never")
    errors.push(invalid(field, restart, 'only "Never" is supported when podFailurePolicy is specified'));
  return errors;
}

function indexedErrors(
  { completions, parallelism = 0, maxFailedIndexes: failed, backoffLimitPerIndex }: JobSpec,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const atMost = (field: "parallelism" | "maxFailedIndexes", value: number | undefined, most: number): void => {
    pushAll(errors, check.atMost(`${at}.${field}`, value, most));
  };
  if (completions === undefined) errors.push(required(`${at}.completions`, "when completion mode is Indexed"));
  atMost("parallelism", parallelism, mostParallel);
  if (completions !== undefined) atMost("maxFailedIndexes", failed, completions);
  atMost("maxFailedIndexes", failed, mostFailed);
  if ((completions ?? 0) <= manyIndexes.completions || backoffLimitPerIndex === undefined) return errors;
  if (failed === undefined)
    errors.push(
      required(
        `${at}.maxFailedIndexes`,
        `must be specified when completions is above ${String(manyIndexes.completions)}`,
      ),
    );
  atMost("parallelism", parallelism, manyIndexes.parallelism);
  atMost("maxFailedIndexes", failed, manyIndexes.failed);
  return errors;
}

/** True if one of the wrong fields is the field or contains it. */
function isWithinWrong(field: string, wrong: ReadonlySet<string>): boolean {
  return wrong.has(field) || [...field.matchAll(/[.[]/g)].some(({ index }) => wrong.has(field.slice(0, index)));
}

/** Validates a changed Job: the rules of a new one, and immutable fields. */
export function validateJobUpdate(job: Job, old: Job): FieldError[] {
  const { spec } = job;
  const before = old.spec;
  if (spec === undefined || before === undefined) return [];
  const known = before.template.metadata?.labels ?? {};
  const whole = validateJob(
    job,
    ["batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"].every((key) => Object.hasOwn(known, key)),
  );
  const wrong = new Set(whole.map(({ field }) => field));
  // kube-apiserver runs the spec's rules, and so the enum checks of the template, twice.
  const enums = validateEnums("io.k8s.api.batch.v1.Job", job as unknown as Record<string, unknown>).filter(
    ({ field }) => field.startsWith("spec.template.") && !isWithinWrong(field, wrong),
  );
  const errors = [...whole, ...enums, ...ownSpecErrors(spec), ...enums];
  if (spec.completionMode !== "Indexed")
    pushAll(errors, check.immutable("spec.completions", spec.completions, before.completions));
  else if (
    spec.completions !== undefined &&
    spec.completions !== before.completions &&
    spec.completions !== spec.parallelism
  )
    errors.push(invalid("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism"));
  pushAll(errors, check.immutable("spec.selector", spec.selector, before.selector), templateChange(spec, old));
  for (const key of [
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const)
    pushAll(errors, check.immutable(`spec.${key}`, spec[key], before[key]));
  return errors;
}

/** Validates a changed template. A suspended Job without pods can change their scheduling and resources. */
function templateChange({ template }: JobSpec, { spec: before, status }: Job): FieldError[] {
  const suspended = before?.suspend === true;
  const stopped =
    status?.startTime === undefined ||
    (status.conditions ?? []).some(({ type, status: is }) => type === "Suspended" && is === "True");
  const free = suspended && stopped && (status?.active ?? 0) === 0;
  if (!free || before === undefined) return check.immutable("spec.template", template, before?.template);
  const placed = withPlaces(before.template, template);
  const sized: PodSpec = { ...placed, containers: withResources(placed.containers, template.spec?.containers) };
  if (placed.initContainers !== undefined)
    sized.initContainers = withResources(placed.initContainers, template.spec?.initContainers);
  return check.immutable("spec.template.spec", template.spec, sized);
}

function withPlaces({ spec: before }: PodTemplateSpec, { spec }: PodTemplateSpec): PodSpec {
  const free = {
    nodeSelector: spec?.nodeSelector,
    tolerations: spec?.tolerations,
    schedulingGates: spec?.schedulingGates,
  };
  const affinity =
    before?.affinity === undefined && spec?.affinity === undefined
      ? undefined
      : { ...before?.affinity, nodeAffinity: spec?.affinity?.nodeAffinity };
  return { containers: [], ...before, ...free, affinity };
}

function withResources(
  containers: PodSpec["containers"],
  next: PodSpec["containers"] | undefined,
): PodSpec["containers"] {
  if (containers.length !== next?.length) return containers;
  return containers.map((each, index) =>
    each.name === next[index]?.name ? { ...each, resources: next[index].resources } : each,
  );
}
