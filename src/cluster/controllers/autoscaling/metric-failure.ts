import type { MetricSpec } from "../../../kinds/autoscaling/v2.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** A metric without a result. `context` precedes its message among those of other metrics. */
export interface MetricFailure {
  readonly reason: string;
  readonly note: string;
  readonly context: string;
}

/** Server's message about a path of an API that it doesn't serve. */
export const unservedApi = "the server could not find the requested resource";

/** Returns the failure of a metric of the APIs for custom and external metrics, which clusters don't serve. */
export function unservedMetric(
  { type, pods, object, external }: DeepReadonly<MetricSpec>,
  namespace: string,
): MetricFailure {
  const reason = `FailedGet${type}Metric`;
  const unserved =
    "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
  if (external !== undefined) {
    const { metric, target } = external;
    const about =
      target.averageValue === undefined ? `external metric ${metric.name}` : `${metric.name} external metric`;
    return {
      reason,
      note: `unable to get external metric ${namespace}/${metric.name}/${printSelector(metric.selector)}: unable to fetch metrics from external metrics API: ${unservedApi} (get ${metric.name}.external.metrics.k8s.io)`,
      context: `failed to get ${metric.name} external metric value: failed to get ${about}`,
    };
  }
  if (object !== undefined) {
    const { metric, describedObject, target } = object;
    const detail = target.averageValue === undefined ? "" : `: failed to get ${metric.name} object metric`;
    return {
      reason,
      // Upstream mixes up the error and the object.
      note: `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/${unserved}`,
      context: `failed to get object metric value${detail}`,
    };
  }
  return {
    reason,
    note: `unable to get metric ${pods?.metric.name ?? ""}: ${unserved}`,
    context: "failed to get pods metric value",
  };
}

/** Prints a selector such as programs in Go do. */
function printSelector(selector: DeepReadonly<LabelSelector> | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
