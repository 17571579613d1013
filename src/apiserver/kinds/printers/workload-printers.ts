import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../kinds/apps/v1.js";
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../kinds/autoscaling/v2.js";
import type { CronJob, Job } from "../../../kinds/batch/v1.js";
import type { Container, PodTemplate, ReplicationController } from "../../../kinds/core/v1.js";
import type { PodDisruptionBudget } from "../../../kinds/policy/v1.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { isSet } from "../shared/kind-printer.js";
import { formatAge, formatDuration } from "../shared/print-age.js";
import { formatLabels, formatSelector, selectorText } from "../shared/print-labels.js";

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
  "apps/deployments": {
    columns: "Ready,Up-to-date,Available,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }: Deployment, age) => [
      `${String(status?.readyReplicas ?? 0)}/${String(spec?.replicas ?? 0)}`,
      status?.updatedReplicas ?? 0,
      status?.availableReplicas ?? 0,
      age,
      ...containerCells(spec?.template.spec?.containers),
      selectorText(spec?.selector),
    ],
  },
  "apps/replicasets": {
    columns: "Desired:integer,Current:integer,Ready:integer,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }: ReplicaSet, age) => [
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      age,
      ...containerCells(spec?.template?.spec?.containers),
      formatSelector(spec?.selector),
    ],
  },
  "apps/statefulsets": {
    columns: "Ready,Age,Containers*,Images*",
    cells: ({ spec, status }: StatefulSet, age) => [
      `${String(status?.readyReplicas ?? 0)}/${String(spec?.replicas ?? 0)}`,
      age,
      ...containerCells(spec?.template.spec?.containers),
    ],
  },
  "apps/daemonsets": {
    columns:
      "Desired:integer,Current:integer,Ready:integer,Up-to-date:integer,Available:integer,Node Selector,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }: DaemonSet, age) => [
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
  "apps/controllerrevisions": {
    columns: "Controller,Revision,Age",
    cells: ({ metadata, revision }: ControllerRevision, age) => {
      const owner = metadata?.ownerReferences?.find((each) => each.controller === true);
      const group = owner?.apiVersion.includes("/") === true ? `.${owner.apiVersion.split("/")[0] ?? ""}` : "";
      return [owner === undefined ? "<none>" : `${owner.kind.toLowerCase()}${group}/${owner.name}`, revision, age];
    },
  },
  "batch/jobs": {
    columns: "Status,Completions,Duration,Age,Containers*,Images*,Selector*",
    cells: ({ metadata, spec, status }: Job, age, nowMs) => {
      const done = String(status?.succeeded ?? 0);
      const wanted =
        spec?.completions === undefined
          ? (spec?.parallelism ?? 0) > 1
            ? `1 of ${String(spec?.parallelism)}`
            : "1"
          : String(spec.completions);
      const start = status?.startTime;
      const end = status?.completionTime;
      const duration = isSet(start) ? formatDuration((isSet(end) ? Date.parse(end) : nowMs) - Date.parse(start)) : "";
      return [
        jobStatus({ metadata: metadata ?? {}, status: status ?? {} }),
        `${done}/${wanted}`,
        duration,
        age,
        ...containerCells(spec?.template.spec?.containers),
        formatSelector(spec?.selector),
      ];
    },
  },
  "batch/cronjobs": {
    columns: "Schedule,Timezone,Suspend:boolean,Active:integer,Last Schedule,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }: CronJob, age, nowMs) => [
      spec?.schedule ?? "",
      spec?.timeZone ?? "<none>",
      spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
      status?.active?.length ?? 0,
      isSet(status?.lastScheduleTime) ? formatAge(status.lastScheduleTime, nowMs) : "<none>",
      age,
      ...containerCells(spec?.jobTemplate.spec?.template.spec?.containers),
      formatSelector(spec?.jobTemplate.spec?.selector),
    ],
  },
  "autoscaling/horizontalpodautoscalers": {
    columns: "Reference,Targets,MinPods,MaxPods,Replicas,Age",
    cells: ({ spec, status }: HorizontalPodAutoscaler, age) => [
      `${spec?.scaleTargetRef.kind ?? ""}/${spec?.scaleTargetRef.name ?? ""}`,
      metricsText(spec?.metrics ?? [], status?.currentMetrics ?? []),
      spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      age,
    ],
  },
  "policy/poddisruptionbudgets": {
    columns: "Min Available,Max Unavailable,Allowed Disruptions:integer,Age",
    cells: ({ spec, status }: PodDisruptionBudget, age) => [
      String(spec?.minAvailable ?? "N/A"),
      String(spec?.maxUnavailable ?? "N/A"),
      status?.disruptionsAllowed ?? 0,
      age,
    ],
  },
};

/** Version 1 has one metric, in fields of its own. */
export const autoscalerV1Printer: KindPrinter = {
  columns: "Reference,Targets,MinPods,MaxPods,Replicas,Age",
  cells: (
    {
      spec,
      status,
    }: {
      spec?: {
        scaleTargetRef: { kind: string; name: string };
        minReplicas?: number;
        maxReplicas: number;
        targetCPUUtilizationPercentage?: number;
      };
      status?: { currentReplicas?: number; currentCPUUtilizationPercentage?: number };
    },
    age,
  ) => {
    const current =
      status?.currentCPUUtilizationPercentage === undefined
        ? "<unknown>"
        : `${String(status.currentCPUUtilizationPercentage)}%`;
    const target =
      spec?.targetCPUUtilizationPercentage === undefined
        ? "<none>"
        : `cpu: ${current}/${String(spec.targetCPUUtilizationPercentage)}%`;
    return [
      `${spec?.scaleTargetRef.kind ?? ""}/${spec?.scaleTargetRef.name ?? ""}`,
      target,
      spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      age,
    ];
  },
};

function containerCells(containers: readonly Container[] | undefined): [names: string, images: string] {
  const list = containers ?? [];
  return [list.map((each) => each.name).join(","), list.map((each) => each.image ?? "").join(",")];
}

function jobStatus({ metadata, status }: Required<Pick<Job, "metadata" | "status">>): string {
  const has = (type: string): boolean =>
    status.conditions?.some((each) => each.type === type && each.status === "True") === true;
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (isSet(metadata.deletionTimestamp)) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const list = specs.map((spec, index) => metricText(spec, statuses[index]));
  return list.length > 2 ? `${list.slice(0, 2).join(", ")} + ${String(list.length - 2)} more...` : list.join(", ");
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? "<unknown>"}/${spec.pods?.target.averageValue ?? "0"}`;
    case "Resource":
      return `${spec.resource?.name ?? ""}: ${usageText(spec.resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${spec.containerResource?.name ?? ""}: ${usageText(spec.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
  return `${current?.value ?? "<unknown>"}/${target?.value ?? "0"}`;
}

function usageText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? "<unknown>"}/${target.averageValue}`;
  const percent = (value: number | undefined, otherwise: string): string =>
    value === undefined ? otherwise : `${String(value)}%`;
  return `${percent(current?.averageUtilization, "<unknown>")}/${percent(target?.averageUtilization, "<auto>")}`;
}
