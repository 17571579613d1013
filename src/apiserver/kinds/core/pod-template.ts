import type { PodTemplate } from "../../../kinds/core/v1.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { formatLabels } from "../shared/print-labels.js";
import { dropDisabled } from "./pod/drop-disabled.js";
import { validatePodTemplate } from "./pod/pod-spec-errors.js";
import { templateWarnings } from "./pod/pod-warnings.js";
import { containerCells, hasChanged } from "./pod/workload.js";

function dropDisabledInTemplate({ template }: PodTemplate): void {
  dropDisabled(template?.spec);
}

export const podTemplate: KindDefinition = defineBuiltin<PodTemplate>({
  resource: "/podtemplates",
  generation: { counts: "fromOne" },
  deletion: { returnsObject: true },
  prepare: { create: dropDisabledInTemplate, update: dropDisabledInTemplate },
  validate: { create: ({ template }) => validatePodTemplate(template ?? {}, "template") },
  warnings: ({ template }, old) =>
    templateWarnings(template, old === undefined || hasChanged(template, old.template), "template"),
  printer: {
    columns: "Containers,Images,Pod Labels",
    cells: ({ template }) => [...containerCells(template?.spec?.containers), formatLabels(template?.metadata?.labels)],
  },
});
