import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../../../kinds/autoscaling/v1.js";
import type * as autoscaling from "../../../kinds/autoscaling/v2.js";
import type { KindPrinter } from "../shared/kind-printer.js";

const columns = "Reference,Targets,MinPods,MaxPods,Replicas,Age";

function cells(
  {
    spec,
    status,
  }: Pick<autoscaling.HorizontalPodAutoscaler, "spec" | "status"> | Pick<AutoscalerV1, "spec" | "status">,
  targets: string,
  age: string,
): unknown[] {
  return [
    `${spec?.scaleTargetRef.kind ?? ""}/${spec?.scaleTargetRef.name ?? ""}`,
    targets,
    spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age,
  ];
}

/** Table columns of v2. */
export const autoscalerPrinter: KindPrinter = {
  columns,
  cells: (object: autoscaling.HorizontalPodAutoscaler, age) =>
    cells(object, metricsText(object.spec?.metrics ?? [], object.status?.currentMetrics ?? []), age),
};

/** Table columns of v1, which only has fields for CPU utilization. */
export const autoscalerV1Printer: KindPrinter = {
  columns,
  cells(object: AutoscalerV1, age) {
    const target = object.spec?.targetCPUUtilizationPercentage;
    const current = object.status?.currentCPUUtilizationPercentage;
    return cells(
      object,
      target === undefined ? "<none>" : `cpu: ${percent(current, "<unknown>")}/${percent(target, "")}`,
      age,
    );
  },
};

function percent(value: number | undefined, otherwise: string): string {
  return value === undefined ? otherwise : `${String(value)}%`;
}

function metricsText(specs: readonly autoscaling.MetricSpec[], statuses: readonly autoscaling.MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const list = specs.map((spec, index) => metricText(spec, statuses[index]));
  return list.length > 2 ? `${list.slice(0, 2).join(", ")} + ${String(list.length - 2)} more...` : list.join(", ");
}

function metricText(spec: autoscaling.MetricSpec, status: autoscaling.MetricStatus | undefined): string {
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

function valueText(
  target: autoscaling.MetricTarget | undefined,
  current: autoscaling.MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
  return `${current?.value ?? "<unknown>"}/${target?.value ?? "0"}`;
}

function usageText(
  target: autoscaling.MetricTarget | undefined,
  current: autoscaling.MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? "<unknown>"}/${target.averageValue}`;
  return `${percent(current?.averageUtilization, "<unknown>")}/${percent(target?.averageUtilization, "<auto>")}`;
}
