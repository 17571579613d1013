import type { ControllerRevision, DaemonSet, StatefulSet, StatefulSetSpec } from "../../../kinds/apps/v1.js";
import type { Volume } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { claimSpecErrors } from "../core/volume/persistent-volume-claim.js";
import {
  dnsLabel,
  forbidden,
  immutable,
  invalid,
  invalidNamed,
  labels,
  nonNegative,
  notSupported,
  required,
  sameValue,
  shownMap,
} from "../shared/field-errors.js";
import { amount, atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import { selectorErrors, selectorImmutable, selectorMatches, shownSelector } from "../shared/selectors.js";
import { alwaysRestarts, empty, MISMATCH, ownSelector } from "./validate-workloads.js";

/** Errors of a DaemonSet. */
export function validateDaemonSet({ spec }: DaemonSet): FieldError[] {
  if (spec === undefined) return [];
  const { selector, template } = spec;
  const errors = selectorErrors(selector, "spec.selector");
  if (errors.length === 0 && !selectorMatches(selector, template.metadata?.labels))
    errors.push(invalid("spec.template.metadata.labels", shownMap(template.metadata, "labels"), MISMATCH));
  if ((selector as LabelSelector | null) !== null && empty(selector))
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
  errors.push(
    ...validatePodTemplate(template, "spec.template"),
    ...alwaysRestarts(template, "DaemonSet"),
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
  );
  return [
    ...errors,
    ...daemonStrategy(spec.updateStrategy),
    ...nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

function daemonStrategy(strategy: NonNullable<DaemonSet["spec"]>["updateStrategy"]): FieldError[] {
  const { type, rollingUpdate: rolling } = strategy ?? {};
  const at = "spec.updateStrategy.rollingUpdate";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate")
    return [
      notSupported(
        "spec.updateStrategy",
        {
          Type: type ?? "",
          RollingUpdate:
            rolling === undefined
              ? null
              : { MaxUnavailable: rolling.maxUnavailable ?? 0, MaxSurge: rolling.maxSurge ?? 0 },
        },
        ["RollingUpdate", "OnDelete"],
      ),
    ];
  if (rolling === undefined) return [required(at)];
  const { maxUnavailable, maxSurge } = rolling;
  const errors = [
    ...intOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...intOrPercent(`${at}.maxSurge`, maxSurge),
    ...atMostAll(`${at}.maxUnavailable`, maxUnavailable),
    ...atMostAll(`${at}.maxSurge`, maxSurge),
  ];
  const [unavailable, surge] = [amount(maxUnavailable) !== 0, amount(maxSurge) !== 0];
  if (unavailable && surge)
    errors.push(invalid(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
  if (!unavailable && !surge) errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  return errors;
}

/** Errors of a changed DaemonSet. */
export function validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet): FieldError[] {
  return [...selectorImmutable("spec.selector", set.spec?.selector, old.spec?.selector), ...validateDaemonSet(set)];
}

/** What is not looked at in a StatefulSet that was there before: what cannot change, and a template that was wrong already. */
interface Kept {
  readonly template: boolean;
}

/** Errors of a StatefulSet. */
export function validateStatefulSet({ spec }: StatefulSet): FieldError[] {
  return spec === undefined ? [] : statefulErrors(spec, undefined);
}

const MUTABLE = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;

/** Errors of a changed StatefulSet. */
export function validateStatefulSetUpdate({ spec }: StatefulSet, { spec: before }: StatefulSet): FieldError[] {
  const wasWrong = before !== undefined && statefulErrors(before, { template: false }).length > 0;
  const errors = spec === undefined ? [] : statefulErrors(spec, { template: wasWrong });
  const munged: Record<string, unknown> = { ...spec };
  for (const key of MUTABLE) munged[key] = before?.[key];
  if (!sameValue(munged, before))
    errors.push(
      forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    );
  return errors;
}

function statefulErrors(spec: StatefulSetSpec, kept: Kept | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const {
    podManagementPolicy,
    serviceName = "",
    selector,
    template,
    persistentVolumeClaimRetentionPolicy: retention,
  } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel")
    errors.push(
      invalidNamed("spec.podManagementPolicy", podManagementPolicy ?? "", "must be 'OrderedReady' or 'Parallel'"),
    );
  errors.push(...statefulStrategy(spec.updateStrategy));
  for (const key of ["whenDeleted", "whenScaled"] as const) {
    const value = retention?.[key];
    if (value !== undefined && value !== "Retain" && value !== "Delete")
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, value, ["Retain", "Delete"]));
  }
  const claims = spec.volumeClaimTemplates ?? [];
  if (kept === undefined)
    claims.forEach((claim, index) =>
      errors.push(...claimSpecErrors(claim.spec ?? {}, `spec.volumeClaimTemplates[${String(index)}].spec`)),
    );
  errors.push(
    ...nonNegative("spec.replicas", spec.replicas),
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...nonNegative("spec.ordinals.start", spec.ordinals?.start),
  );
  if (kept === undefined && serviceName !== "") errors.push(...dnsLabel("spec.serviceName", serviceName));
  errors.push(...ownSelector(selector, "statefulset"));
  if (selectorErrors(selector, "").length > 0) errors.push(invalid("spec.selector", shownSelector(selector), ""));
  else errors.push(...statefulTemplate(spec, kept?.template === true));
  return [...errors, ...alwaysRestarts(template, "StatefulSet")];
}

function statefulStrategy(strategy: StatefulSetSpec["updateStrategy"]): FieldError[] {
  const { type, rollingUpdate: rolling } = strategy ?? {};
  const at = "spec.updateStrategy.rollingUpdate";
  if ((type ?? "") === "") return [required("spec.updateStrategy")];
  if (type === "OnDelete")
    return rolling === undefined
      ? []
      : [invalid(at, goRolling(rolling), "only allowed for updateStrategy 'RollingUpdate'")];
  if (type !== "RollingUpdate")
    return [
      invalid(
        "spec.updateStrategy",
        { Type: type, RollingUpdate: rolling === undefined ? null : goRolling(rolling) },
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    ];
  if (rolling === undefined) return [];
  const errors = nonNegative(`${at}.partition`, rolling.partition);
  const most = rolling.maxUnavailable;
  if (most === undefined) return errors;
  errors.push(...intOrPercent(`${at}.maxUnavailable`, most));
  if (amount(most) === 0) errors.push(invalid(`${at}.maxUnavailable`, most, "cannot be 0"));
  return [...errors, ...atMostAll(`${at}.maxUnavailable`, most)];
}

/** As Go prints its own struct. */
function goRolling({
  partition = 0,
  maxUnavailable,
}: NonNullable<NonNullable<StatefulSetSpec["updateStrategy"]>["rollingUpdate"]>): object {
  return { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
}

/** The template as the pods will be: with a volume for each claim, under names that the controller gives. */
function statefulTemplate(
  { selector, template, volumeClaimTemplates: claims = [] }: StatefulSetSpec,
  wasWrong: boolean,
): FieldError[] {
  const own = new Map<string, Volume>(
    claims.map(({ metadata }) => [
      metadata?.name ?? "",
      { name: metadata?.name ?? "", persistentVolumeClaim: { claimName: metadata?.name ?? "" } },
    ]),
  );
  const volumes =
    claims.length === 0
      ? template.spec?.volumes
      : [...own.values(), ...(template.spec?.volumes ?? []).filter(({ name }) => !own.has(name))];
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec ?? { containers: [] };
  const { labels: given } = template.metadata ?? {};
  const errors: FieldError[] = [];
  if (((selector as LabelSelector | null) === null || !empty(selector)) && !selectorMatches(selector, given))
    errors.push(invalid("spec.template.metadata.labels", shownMap(template.metadata, "labels"), MISMATCH));
  if (!wasWrong)
    errors.push(
      ...validatePodTemplate(
        { ...template, spec: { ...spec, ...(volumes === undefined ? {} : { volumes }) } },
        "spec.template",
      ),
    );
  return [...errors, ...labels("spec.template.labels", given)];
}

/** Errors of a ControllerRevision. */
export function validateRevision(revision: ControllerRevision): FieldError[] {
  const errors = nonNegative("revision", revision.revision);
  const data = revision.data as unknown;
  if (data === undefined || data === null) return [...errors, required("data", "data is mandatory")];
  return typeof data === "object" && !Array.isArray(data)
    ? errors
    : [...errors, required("data", "data must be a valid JSON object")];
}

/** Errors of a changed ControllerRevision: what it holds stays. */
export function validateRevisionUpdate(revision: ControllerRevision, old: ControllerRevision): FieldError[] {
  return [...nonNegative("revision", revision.revision), ...immutable("data", revision.data, old.data)];
}
