import { pushAll } from "../../../internal/push-all.js";
import type { DaemonSet } from "../../../kinds/apps/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { words } from "../../internal/words.js";
import { templateGenerationAnnotation } from "../../schema/convert-object.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { templateWarnings } from "../core/pod/pod-warnings.js";
import {
  alwaysRestarts,
  containerCells,
  hasChanged,
  isEmptySelector,
  labelMismatch,
  prepareWorkload,
  prepareWorkloadUpdate,
} from "../core/pod/workload.js";
import { statusCounts } from "../core/pod/workload-status.js";
import * as check from "../shared/checks.js";
import { invalid, notSupported, required } from "../shared/field-errors.js";
import { amount, atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { formatLabels, formatSelector } from "../shared/print-labels.js";
import { selectorErrors } from "../shared/selectors.js";

type Spec = NonNullable<DaemonSet["spec"]>;

function setDefaults(set: DaemonSet): void {
  // The template generation is a field of the internal form, which this version shows as an annotation.
  ((set.metadata ??= {}).annotations ??= {})[templateGenerationAnnotation] ??= "0";
  const { spec } = set;
  if (spec === undefined) return;
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ??= "RollingUpdate";
  const rolls = strategy.type === "RollingUpdate";
  if (rolls) strategy.rollingUpdate ??= {};
  if (strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.maxUnavailable ??= rolls ? 1 : 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

function countTemplate(set: DaemonSet, old: DaemonSet): void {
  prepareWorkloadUpdate(set);
  const before = Number(old.metadata?.annotations?.[templateGenerationAnnotation] ?? "0");
  const changed = hasChanged(set.spec?.template, old.spec?.template);
  ((set.metadata ??= {}).annotations ??= {})[templateGenerationAnnotation] = String(changed ? before + 1 : before);
}

function validate({ spec }: DaemonSet): FieldError[] {
  if (spec === undefined) return [];
  const { selector, template } = spec;
  const errors = selectorErrors(selector, "spec.selector");
  if (errors.length === 0) pushAll(errors, labelMismatch(selector, template));
  if ((selector as Spec["selector"] | null) !== null && isEmptySelector(selector))
    errors.push(invalid("spec.selector", selector, "must not be empty"));
  return [
    ...errors,
    ...validatePodTemplate(template, "spec.template"),
    ...alwaysRestarts(template),
    ...strategyErrors(spec),
    ...check.nonNegativeFields(spec, "spec", ["minReadySeconds", "revisionHistoryLimit"]),
  ];
}

function strategyErrors({ updateStrategy: strategy }: Spec): FieldError[] {
  const { type, rollingUpdate: rolling } = strategy ?? {};
  const at = "spec.updateStrategy.rollingUpdate";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") return [notSupported("spec.updateStrategy", strategy, ["RollingUpdate", "OnDelete"])];
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

export const daemonSet: KindDefinition = defineBuiltin<DaemonSet>({
  resource: "apps/daemonsets",
  generation: { counts: "fromOne" },
  metadata: { internalAnnotations: [templateGenerationAnnotation] },
  defaults: { "io.k8s.api.apps.v1.DaemonSet": setDefaults },
  fillEmpty(set) {
    set.metadata = { ...set.metadata, annotations: { [templateGenerationAnnotation]: "0" } };
  },
  prepare: {
    create(set) {
      prepareWorkload(set);
      const annotations = ((set.metadata ??= {}).annotations ??= {});
      if (!(Number(annotations[templateGenerationAnnotation]) >= 1)) annotations[templateGenerationAnnotation] = "1";
    },
    update: countTemplate,
    // The template generation is an annotation, but belongs to the spec.
    status({ metadata = {} }, old) {
      const known = old.metadata?.annotations?.[templateGenerationAnnotation];
      if (known !== undefined) (metadata.annotations ??= {})[templateGenerationAnnotation] = known;
    },
  },
  validate: {
    create: validate,
    update: (set, old) => [
      ...check.immutable("spec.selector", set.spec?.selector, old.spec?.selector),
      ...validate(set),
    ],
    status: statusCounts({
      counts: words(
        "currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration",
        "updatedNumberScheduled numberAvailable numberUnavailable collisionCount",
      ),
      countsCollisions: true,
    }),
  },
  warnings: ({ spec }, old) =>
    templateWarnings(
      spec?.template,
      old === undefined || hasChanged(spec?.template, old.spec?.template),
      "spec.template",
    ),
  printer: {
    columns:
      "Desired:integer,Current:integer,Ready:integer,Up-to-date:integer,Available:integer,Node Selector,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }, age) => [
      status?.desiredNumberScheduled ?? 0,
      status?.currentNumberScheduled ?? 0,
      status?.numberReady ?? 0,
      status?.updatedNumberScheduled ?? 0,
      status?.numberAvailable ?? 0,
      formatLabels(spec?.template.spec?.nodeSelector),
      age,
      ...containerCells(spec?.template.spec?.containers),
      formatSelector(spec?.selector),
    ],
  },
});
