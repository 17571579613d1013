import type { Container, PodTemplate, ReplicationController } from "../../../kinds/core/v1.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { formatLabels } from "../shared/print-labels.js";

/** How the kinds that run pods are printed, by resource. */
export const workloadPrinters: Readonly<Record<string, KindPrinter>> = {
  "/podtemplates": {
    columns: "Containers,Images,Pod Labels",
    cells: ({ template }: PodTemplate) => [
      ...containerCells(template?.spec?.containers),
      formatLabels(template?.metadata?.labels),
    ],
  },
  "/replicationcontrollers": {
    columns: "Desired:integer,Current:integer,Ready:integer,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }: ReplicationController, age) => [
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      age,
      ...containerCells(spec?.template?.spec?.containers),
      formatLabels(spec?.selector),
    ],
  },
};

function containerCells(containers: readonly Container[] | undefined): [names: string, images: string] {
  const list = containers ?? [];
  return [list.map((each) => each.name).join(","), list.map((each) => each.image ?? "").join(",")];
}
