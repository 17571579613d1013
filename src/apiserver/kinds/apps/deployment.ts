import type { Deployment } from "../../../kinds/apps/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { selectorText } from "../../objects/selector-text.js";
import { templateWarnings } from "../core/pod/pod-warnings.js";
import {
  containerCells,
  hasChanged,
  nameWarnings,
  prepareWorkload,
  prepareWorkloadUpdate,
} from "../core/pod/workload.js";
import { statusCounts } from "../core/pod/workload-status.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, notSupported } from "../shared/field-errors.js";
import { amount, atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { fillReplicas, selectorAndTemplate, withFixedSelector } from "./selector-and-template.js";

type Spec = NonNullable<Deployment["spec"]>;

function setDefaults({ spec }: Deployment): void {
  if (spec === undefined) return;
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ??= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= "25%";
    rolling.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function validate({ spec }: Deployment): FieldError[] {
  if (spec === undefined) return [];
  const errors = [
    ...check.nonNegative("spec.replicas", spec.replicas),
    ...selectorAndTemplate(spec.selector, spec.template),
    ...strategyErrors(spec),
    ...check.nonNegativeFields(spec, "spec", ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]),
  ];
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0))
    errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  return errors;
}

function strategyErrors({ strategy }: Spec): FieldError[] {
  const at = "spec.strategy.rollingUpdate";
  if (strategy?.type === "Recreate")
    return strategy.rollingUpdate === undefined
      ? []
      : [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
  if (strategy?.type !== "RollingUpdate")
    return [notSupported("spec.strategy", strategy, ["Recreate", "RollingUpdate"])];
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
  return [
    ...intOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...intOrPercent(`${at}.maxSurge`, maxSurge),
    ...(amount(maxUnavailable) === 0 && amount(maxSurge) === 0
      ? [invalid(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...atMostAll(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

export const deployment: KindDefinition = defineBuiltin<Deployment>({
  resource: "apps/deployments",
  fillEmpty: fillReplicas,
  generation: { counts: "fromOne", metadata: "annotations" },
  metadata: { keptByStatus: ["labels"] },
  untrackedFields: { status: ["spec", "metadata/labels"] },
  defaults: { "io.k8s.api.apps.v1.Deployment": setDefaults },
  prepare: { create: prepareWorkload, update: prepareWorkloadUpdate },
  validate: {
    ...withFixedSelector(validate),
    status: statusCounts({
      counts: [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
      ],
      partsOfReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"],
      readyBeforeAvailable: true,
      countsCollisions: true,
    }),
  },
  warnings({ metadata, spec }, old) {
    if (old === undefined)
      return [...nameWarnings({ metadata }), ...templateWarnings(spec?.template, true, "spec.template")];
    const changed = hasChanged(spec, old.spec) || hasChanged(metadata?.annotations, old.metadata?.annotations);
    return templateWarnings(spec?.template, changed, "spec.template");
  },
  printer: {
    columns: "Ready,Up-to-date,Available,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }, age) => [
      `${String(status?.readyReplicas ?? 0)}/${String(spec?.replicas ?? 0)}`,
      status?.updatedReplicas ?? 0,
      status?.availableReplicas ?? 0,
      age,
      ...containerCells(spec?.template.spec?.containers),
      selectorText(spec?.selector),
    ],
  },
});
