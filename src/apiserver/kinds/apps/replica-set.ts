import type { ReplicaSet } from "../../../kinds/apps/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import {
  prepareWorkload,
  prepareWorkloadUpdate,
  replicaCells,
  replicaColumns,
  workloadWarnings,
} from "../core/pod/workload.js";
import { statusCounts } from "../core/pod/workload-status.js";
import * as check from "../shared/checks.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { formatSelector } from "../shared/print-labels.js";
import { fillReplicas, selectorAndTemplate, withFixedSelector } from "./selector-and-template.js";

function validate({ spec }: ReplicaSet): FieldError[] {
  if (spec === undefined) return [];
  return [
    ...check.nonNegativeFields(spec, "spec", ["replicas", "minReadySeconds"]),
    ...selectorAndTemplate(spec.selector, spec.template ?? {}),
  ];
}

export const replicaSet: KindDefinition = defineBuiltin<ReplicaSet>({
  resource: "apps/replicasets",
  fillEmpty: fillReplicas,
  generation: { counts: "fromOne" },
  defaults: {
    "io.k8s.api.apps.v1.ReplicaSet": ({ spec }: ReplicaSet) => {
      if (spec !== undefined) spec.replicas ??= 1;
    },
  },
  prepare: { create: prepareWorkload, update: prepareWorkloadUpdate },
  validate: {
    ...withFixedSelector(validate),
    status: statusCounts({
      counts: [
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
        "terminatingReplicas",
      ],
      partsOfReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      readyBeforeAvailable: true,
    }),
  },
  warnings: workloadWarnings,
  printer: {
    columns: replicaColumns,
    cells: (object, age) => [...replicaCells(object, age), formatSelector(object.spec?.selector)],
  },
});
