import { pushAll } from "../../../internal/push-all.js";
import type { StatefulSet, StatefulSetSpec } from "../../../kinds/apps/v1.js";
import type { Volume } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import {
  alwaysRestarts,
  containerCells,
  isEmptySelector,
  labelMismatch,
  prepareWorkload,
  prepareWorkloadUpdate,
  workloadTemplateWarnings,
} from "../core/pod/workload.js";
import { statusCounts } from "../core/pod/workload-status.js";
import { claimSpecErrors } from "../core/volume/persistent-volume-claim.js";
import { claimWarnings } from "../core/volume/volume-warnings.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../shared/field-errors.js";
import { amount, atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { selectorErrors } from "../shared/selectors.js";
import { fillReplicas, requiredSelector } from "./selector-and-template.js";

function setDefaults({ spec }: StatefulSet): void {
  if (spec === undefined) return;
  for (const claim of spec.volumeClaimTemplates ?? [])
    Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
  spec.podManagementPolicy ??= "OrderedReady";
  const strategy = (spec.updateStrategy ??= {});
  if (strategy.type === undefined) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= "Retain";
  retention.whenScaled ??= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
}

/** Drops `maxUnavailable`, which belongs to a disabled feature, unless the stored object has it. */
function dropUnavailable({ spec }: StatefulSet, old?: StatefulSet): void {
  const rolling = spec?.updateStrategy?.rollingUpdate;
  if (rolling !== undefined && old?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined)
    delete rolling.maxUnavailable;
}

/** Parts of the stored object that an update doesn't check again. */
interface UpdateChecks {
  /** True if the template was already invalid. */
  readonly skipsTemplate: boolean;
}

/** Validates a spec. `update` is `undefined` for a new object. */
function specErrors(spec: StatefulSetSpec, update?: UpdateChecks): FieldError[] {
  const errors: FieldError[] = [];
  const { podManagementPolicy: policy, serviceName = "", selector, template } = spec;
  if (policy !== "OrderedReady" && policy !== "Parallel")
    errors.push(invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"));
  pushAll(errors, strategyErrors(spec.updateStrategy));
  for (const key of ["whenDeleted", "whenScaled"] as const) {
    const value = spec.persistentVolumeClaimRetentionPolicy?.[key];
    if (value !== undefined && value !== "Retain" && value !== "Delete")
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, value, ["Retain", "Delete"]));
  }
  if (update === undefined)
    pushAll(
      errors,
      check.eachItem(spec.volumeClaimTemplates, "spec.volumeClaimTemplates", (claim, at) =>
        claimSpecErrors(claim.spec ?? {}, `${at}.spec`),
      ),
    );
  pushAll(
    errors,
    check.nonNegativeFields(spec, "spec", ["replicas", "minReadySeconds"]),
    check.nonNegative("spec.ordinals.start", spec.ordinals?.start),
  );
  if (update === undefined && serviceName !== "") pushAll(errors, check.dnsLabel("spec.serviceName", serviceName));
  pushAll(errors, requiredSelector(selector));
  if (selectorErrors(selector, "").length > 0)
    errors.push(invalid("spec.selector", selector, "invalid label selector"));
  else pushAll(errors, templateErrors(spec, update?.skipsTemplate === true));
  return [...errors, ...alwaysRestarts(template)];
}

function strategyErrors(strategy: StatefulSetSpec["updateStrategy"]): FieldError[] {
  const { type, rollingUpdate: rolling } = strategy ?? {};
  const at = "spec.updateStrategy.rollingUpdate";
  if ((type ?? "") === "") return [required("spec.updateStrategy")];
  if (type === "OnDelete")
    return rolling === undefined ? [] : [invalid(at, rolling, "only allowed for updateStrategy 'RollingUpdate'")];
  if (type !== "RollingUpdate")
    return [invalid("spec.updateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  const most = rolling?.maxUnavailable;
  return [
    ...check.nonNegative(`${at}.partition`, rolling?.partition),
    ...intOrPercent(`${at}.maxUnavailable`, most),
    ...(most !== undefined && amount(most) === 0 ? [invalid(`${at}.maxUnavailable`, most, "cannot be 0")] : []),
    ...atMostAll(`${at}.maxUnavailable`, most),
  ];
}

/** Validates the template as its pods will be: with a volume for each claim, and generated names. */
function templateErrors(
  { selector, template, volumeClaimTemplates: claims = [] }: StatefulSetSpec,
  skipsTemplate: boolean,
): FieldError[] {
  const own = new Map<string, Volume>(
    claims.map(({ metadata: { name = "" } = {} }) => [name, { name, persistentVolumeClaim: { claimName: name } }]),
  );
  const volumes =
    claims.length === 0
      ? template.spec?.volumes
      : [...own.values(), ...(template.spec?.volumes ?? []).filter(({ name }) => !own.has(name))];
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec ?? { containers: [] };
  const podTemplate = { ...template, spec: { ...spec, ...(volumes === undefined ? {} : { volumes }) } };
  return [
    ...((selector as LabelSelector | null) !== null && isEmptySelector(selector)
      ? []
      : labelMismatch(selector, template)),
    ...(skipsTemplate ? [] : validatePodTemplate(podTemplate, "spec.template")),
    ...check.labels("spec.template.labels", template.metadata?.labels),
  ];
}

const mutableFields = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;

function validateUpdate({ spec }: StatefulSet, { spec: before }: StatefulSet): FieldError[] {
  const skipsTemplate = before !== undefined && specErrors(before, { skipsTemplate: false }).length > 0;
  const errors = spec === undefined ? [] : specErrors(spec, { skipsTemplate });
  const munged: Record<string, unknown> = { ...spec };
  for (const key of mutableFields) munged[key] = before?.[key];
  if (!check.sameValue(munged, before))
    errors.push(
      forbidden("spec", `updates to statefulset spec for fields other than ${mutableFields.join(", ")} are forbidden`),
    );
  return errors;
}

export const statefulSet: KindDefinition = defineBuiltin<StatefulSet>({
  resource: "apps/statefulsets",
  fillEmpty: fillReplicas,
  generation: { counts: "fromOne" },
  metadata: { name: "label" },
  defaults: { "io.k8s.api.apps.v1.StatefulSet": setDefaults },
  prepare: {
    create(set) {
      prepareWorkload(set);
      dropUnavailable(set);
    },
    update(set, old) {
      prepareWorkloadUpdate(set);
      dropUnavailable(set, old);
    },
  },
  validate: {
    create: ({ spec }) => (spec === undefined ? [] : specErrors(spec)),
    update: validateUpdate,
    status: statusCounts({
      counts: [
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
      ],
      partsOfReplicas: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
      readyBeforeAvailable: true,
      countsCollisions: true,
    }),
  },
  warnings: (set, old) => [
    ...workloadTemplateWarnings(set, old),
    ...check.eachItem(set.spec?.volumeClaimTemplates, "spec.volumeClaimTemplates", ({ spec }, at) =>
      claimWarnings(spec?.resources, at),
    ),
    ...((set.spec?.revisionHistoryLimit ?? 0) < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ],
  printer: {
    columns: "Ready,Age,Containers*,Images*",
    cells: ({ spec, status }, age) => [
      `${String(status?.readyReplicas ?? 0)}/${String(spec?.replicas ?? 0)}`,
      age,
      ...containerCells(spec?.template.spec?.containers),
    ],
  },
});
