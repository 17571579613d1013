import type { CSIStorageCapacity } from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { nodeLabelWarnings } from "../shared/node-labels.js";
import { selectorErrors } from "../shared/selectors.js";

function validate({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): FieldError[] {
  return [
    ...selectorErrors(nodeTopology, "nodeTopology"),
    ...check.dnsSubdomain("storageClassName", storageClassName),
    ...(capacity === undefined ? [] : check.nonNegativeQuantity("capacity", capacity)),
  ];
}

export const csiStorageCapacity: KindDefinition = defineBuiltin<CSIStorageCapacity>({
  resource: "storage.k8s.io/csistoragecapacities",
  requiresVersionOnUpdate: true,
  metadata: { checksOnUpdate: 2 },
  validate: {
    create: validate,
    update: (each, old) => [
      ...validate(each),
      ...check.immutable("nodeTopology", each.nodeTopology, old.nodeTopology),
      ...check.immutable("storageClassName", each.storageClassName, old.storageClassName),
    ],
  },
  warnings: ({ nodeTopology: { matchExpressions = [], matchLabels = {} } = {} }) => [
    ...matchExpressions.flatMap(({ key }, index) =>
      nodeLabelWarnings(key, `nodeTopology.matchExpressions[${String(index)}].key`),
    ),
    ...Object.keys(matchLabels)
      .sort()
      .flatMap((label) => nodeLabelWarnings(label, `nodeTopology.matchLabels.${label}`)),
  ],
});
