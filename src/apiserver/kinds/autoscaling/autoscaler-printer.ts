import type * as autoscaling from "../../../kinds/autoscaling/v2.js";
import type { ApiObject } from "../../objects/api-object.js";
import { copyJson } from "../../objects/metadata.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { autoscalerToStorage } from "./autoscaler-conversion.js";

/** Table columns of v2. */
export const autoscalerPrinter: KindPrinter<autoscaling.HorizontalPodAutoscaler> = {
  columns: "Reference,Targets,MinPods,MaxPods,Replicas,Age",
  cells: ({ spec, status }, age) => [
    `${spec?.scaleTargetRef.kind ?? ""}/${spec?.scaleTargetRef.name ?? ""}`,
    metricsText(spec?.metrics ?? [], status?.currentMetrics ?? []),
    spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age,
  ],
};

/** Table columns of v1, which keeps most metrics in annotations. */
export const autoscalerV1Printer: KindPrinter<autoscaling.HorizontalPodAutoscaler> = {
  columns: autoscalerPrinter.columns,
  cells(object, age, nowMs) {
    const converted = copyJson(object);
    autoscalerToStorage(converted as unknown as ApiObject);
    return autoscalerPrinter.cells(converted, age, nowMs);
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
      return `${amount(status?.pods?.current, "averageValue")}/${spec.pods?.target.averageValue ?? "0"}`;
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
  return `${amount(current, "value")}/${target?.value ?? "0"}`;
}

/** Prints a reported amount. Go prints a missing one of an existing status as `<nil>`. */
function amount(current: autoscaling.MetricValueStatus | undefined, field: "averageValue" | "value"): string {
  return current === undefined ? "<unknown>" : (current[field] ?? "<nil>");
}

function usageText(
  target: autoscaling.MetricTarget | undefined,
  current: autoscaling.MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) return `${amount(current, "averageValue")}/${target.averageValue}`;
  return `${percent(current?.averageUtilization, "<unknown>")}/${percent(target?.averageUtilization, "<auto>")}`;
}
