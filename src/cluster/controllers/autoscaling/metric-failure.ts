import type { MetricSpec } from "../../../kinds/autoscaling/v2.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { NoMetricsError } from "./measure.js";

/** A metric without a result. `context` precedes its message among those of other metrics. */
export interface MetricFailure {
  readonly reason: string;
  readonly note: string;
  readonly context: string;
}

/** Server's message about a path of an API that it doesn't serve. */
export const unservedApi = "the server could not find the requested resource";

/** Error of a metric that an API for metrics doesn't return. Its message is the reason. */
export class UnreadMetricError extends NoMetricsError {}

/** Returns the failure of a metric of the APIs for custom and external metrics. */
export function metricFailure(
  { type, pods, object, external }: DeepReadonly<MetricSpec>,
  namespace: string,
  error: NoMetricsError,
): MetricFailure {
  const reason = `FailedGet${type}Metric`;
  const describe = (what: string): string =>
    error instanceof UnreadMetricError ? `unable to get ${what}${error.message}` : error.message;
  if (external !== undefined) {
    const { metric, target } = external;
    const about =
      target.averageValue === undefined ? `external metric ${metric.name}` : `${metric.name} external metric`;
    return {
      reason,
      note: describe(`external metric ${namespace}/${metric.name}/${printSelector(metric.selector)}: `),
      context: `failed to get ${metric.name} external metric value: failed to get ${about}`,
    };
  }
  if (object !== undefined) {
    const { metric, describedObject, target } = object;
    const detail = target.averageValue === undefined ? "" : `: failed to get ${metric.name} object metric`;
    return {
      reason,
      // Upstream mixes up the error and the object.
      note: describe(`metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/`),
      context: `failed to get object metric value${detail}`,
    };
  }
  return {
    reason,
    note: describe(`metric ${pods?.metric.name ?? ""}: `),
    context: "failed to get pods metric value",
  };
}

/** Prints a selector such as programs in Go do. */
export function printSelector(selector: DeepReadonly<LabelSelector> | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
