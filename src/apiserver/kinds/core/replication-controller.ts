import type { ReplicationController } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { formatLabels } from "../shared/print-labels.js";
import { validatePodTemplate } from "./pod/pod-spec-errors.js";
import {
  alwaysRestarts,
  labelMismatch,
  prepareWorkload,
  prepareWorkloadUpdate,
  replicaCells,
  replicaColumns,
  workloadWarnings,
} from "./pod/workload.js";
import { statusCounts } from "./pod/workload-status.js";

function setDefaults(controller: ReplicationController): void {
  const spec = (controller.spec ??= {});
  const labels = spec.template?.metadata?.labels;
  spec.replicas ??= 1;
  if (labels === undefined) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  const metadata = (controller.metadata ??= {});
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

function validate({ spec = {} }: ReplicationController): FieldError[] {
  const { selector = {}, template } = spec;
  const hasSelector = Object.keys(selector).length > 0;
  const errors = [
    ...check.nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(hasSelector ? [] : [required("spec.selector")]),
    ...check.nonNegative("spec.replicas", spec.replicas),
  ];
  if (template === undefined) return [...errors, required("spec.template")];
  return [
    ...errors,
    ...(hasSelector ? labelMismatch({ matchLabels: selector }, template) : []),
    ...validatePodTemplate(template, "spec.template"),
    ...alwaysRestarts(template),
  ];
}

export const replicationController: KindDefinition = defineBuiltin<ReplicationController>({
  resource: "/replicationcontrollers",
  generation: { counts: "fromOne" },
  metadata: { anyPrefix: true },
  defaults: { "io.k8s.api.core.v1.ReplicationController": setDefaults },
  prepare: { create: prepareWorkload, update: prepareWorkloadUpdate },
  validate: {
    create: validate,
    status: statusCounts({
      counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
      partsOfReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      readyBeforeAvailable: true,
    }),
  },
  deletion: { orphansByDefault: true },
  warnings: workloadWarnings,
  printer: {
    columns: replicaColumns,
    cells: (object, age) => [...replicaCells(object, age), formatLabels(object.spec?.selector)],
  },
  selectableFields: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
});
