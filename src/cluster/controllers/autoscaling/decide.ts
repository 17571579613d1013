import type { Informer } from "../../../cache/informer/informer.js";
import type { Client } from "../../../client/client.js";
import { isNotFound } from "../../../errors/predicates.js";
import type { Clock } from "../../../internal/clock.js";
import type { Scale } from "../../../kinds/autoscaling/v1.js";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "../../../kinds/autoscaling/v2.js";
import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { quantityToNumber } from "../../../meta/quantity.js";
import { matchesLabels, parseLabelSelector } from "../../../meta/selectors.js";
import { PodMetrics } from "../../../operations/usage.js";
import { type CustomMetricOptions, decimal, measureCustom } from "./custom-metrics.js";
import { limitReplicas, type ScalingHistory } from "./limits.js";
import { NoMetricsError, type Proposal, proposeReplicas, thousandths } from "./measure.js";
import { type MetricFailure, unservedApi } from "./metric-failure.js";

/** Difference from the target that is ignored if the autoscaler doesn't say otherwise. */
const defaultTolerance = 0.1;

type Autoscaler = DeepReadonly<HorizontalPodAutoscaler>;

/** A condition without its time. */
export type Verdict = Pick<HorizontalPodAutoscalerCondition, "type" | "status" | "reason" | "message">;

/** Replicas that an autoscaler aims at, and what it reports. */
export interface Decision {
  readonly replicas: number;
  /** Reason of a change, for its event. */
  readonly why: string;
  readonly verdicts: readonly Verdict[];
  readonly metrics: readonly MetricStatus[];
  /** Number for the status, if it isn't `replicas`. */
  readonly reported?: number;
  /** Reasons and messages of warnings. */
  readonly warnings?: readonly Warning[];
}

/** Reason and message of a warning. */
interface Warning {
  readonly reason: string;
  readonly note: string;
}

/** Dependencies of `decideReplicas`. */
export interface DecisionParts {
  readonly client: Client;
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
  /** Autoscalers that scale the same pods, this one included; empty if it is the only one. */
  readonly rivals: readonly string[];
  /** Returns the resource of a kind, such as `ingresses.networking.k8s.io`; `undefined` if it isn't served. */
  readonly resourceOf: CustomMetricOptions["resourceOf"];
  /** Signal for the requests. */
  readonly signal: AbortSignal;
}

/** Decides how many replicas an autoscaler's target should have. */
export async function decideReplicas(
  parts: DecisionParts,
  autoscaler: Autoscaler,
  found: Scale,
  history: ScalingHistory,
): Promise<Decision> {
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const current = found.spec?.replicas ?? 0;
  const able = { type: "AbleToScale", status: "True" };
  const got = {
    ...able,
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  };
  if (current === 0 && minReplicas !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    const disabled = { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message };
    return { replicas: 0, why: "", verdicts: [got, disabled], metrics: [] };
  }
  if (current > maxReplicas)
    return {
      replicas: maxReplicas,
      why: "Current number of replicas above Spec.MaxReplicas",
      verdicts: [got],
      metrics: [],
    };
  if (current < minReplicas)
    return {
      replicas: minReplicas,
      why: "Current number of replicas below Spec.MinReplicas",
      verdicts: [got],
      metrics: [],
    };
  const problem = selectorProblem(found, parts.rivals);
  if (problem !== undefined) {
    const { reason, note, event = reason, message = note } = problem;
    return {
      replicas: current,
      why: "",
      verdicts: [got, { type: "ScalingActive", status: "False", reason, message }],
      metrics: [],
      reported: autoscaler.status?.desiredReplicas ?? 0,
      warnings: [
        { reason: event, note },
        { reason: "FailedComputeMetricsReplicas", note },
      ],
    };
  }
  const measured = await measure(parts, autoscaler, found);
  const [failure] = measured.failures;
  // A metric that failed could have requested more, so the others may not scale down.
  if (measured.best === undefined || (failure !== undefined && measured.best.replicas < current)) {
    const { reason, note, context } = failure ?? noMetrics;
    const message = `the HPA was unable to compute the replica count: ${note}`;
    const inactive = { type: "ScalingActive", status: "False", reason, message };
    const counts = `${measured.failures.length} invalid out of ${autoscaler.spec.metrics?.length ?? 0}`;
    const failed = {
      reason: "FailedComputeMetricsReplicas",
      note: `invalid metrics (${counts}), first error is: ${context}: ${note}`,
    };
    return {
      replicas: current,
      why: "",
      verdicts: [got, inactive],
      metrics: measured.metrics,
      reported: autoscaler.status?.desiredReplicas ?? 0,
      warnings: [...measured.failures, failed],
    };
  }
  const { name } = measured.best;
  const message = `the HPA was able to successfully calculate a replica count from ${name}`;
  const active = { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message };
  const place = { current, proposed: measured.best.replicas, nowMs: parts.clock.now() };
  const { replicas, limited, stabilized } = limitReplicas(autoscaler, history, place);
  return {
    replicas,
    why: replicas > current ? `${name} above target` : "All metrics below target",
    verdicts: [{ ...able, ...stabilized }, active, { type: "ScalingLimited", ...limited }],
    metrics: measured.metrics,
    warnings: measured.failures,
  };
}

/** A warning about the selector of a target. `event` and `message` are those of its event and condition, if others. */
interface SelectorProblem extends Warning {
  readonly event?: string;
  readonly message?: string;
}

/** Returns the reason for which the pods of a target can't be scaled; `undefined` if they can. */
function selectorProblem({ status }: Scale, rivals: readonly string[]): SelectorProblem | undefined {
  const { selector = "" } = status ?? {};
  if (selector === "")
    return {
      reason: "InvalidSelector",
      note: "selector is required",
      event: "SelectorRequired",
      message: "the HPA target's scale is missing a selector",
    };
  if (rivals.length === 0) return undefined;
  const note = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(" ")}]`;
  return { reason: "AmbiguousSelector", note };
}

const noMetrics: MetricFailure = {
  reason: "InvalidMetricSourceType",
  note: "the autoscaler has no metrics",
  context: "failed to get metrics",
};

/** Results of an autoscaler's metrics. */
interface Measured {
  /** The largest number of replicas that a metric proposes. */
  readonly best: { readonly replicas: number; readonly name: string } | undefined;
  readonly metrics: readonly MetricStatus[];
  readonly failures: readonly MetricFailure[];
}

/** Reads the metrics of an autoscaler. */
async function measure(
  { client, pods, clock, signal, resourceOf }: DecisionParts,
  { metadata, spec }: Autoscaler,
  found: Scale,
): Promise<Measured> {
  const namespace = metadata!.namespace!;
  const current = found.spec?.replicas ?? 0;
  const selector = found.status?.selector ?? "";
  const requirements = parseLabelSelector(selector);
  const selected = pods.store
    .list({ namespace })
    .filter(({ metadata }) => matchesLabels(requirements, metadata?.labels));
  const toleranceOf = (rules: DeepReadonly<HPAScalingRules> | undefined): number =>
    rules?.tolerance === undefined ? defaultTolerance : quantityToNumber(rules.tolerance);
  const tolerances = { up: toleranceOf(spec.behavior?.scaleUp), down: toleranceOf(spec.behavior?.scaleDown) };
  const existing = found.status?.replicas ?? 0;
  const target = { namespace, selector, pods: selected, current, existing, tolerances };
  const custom: CustomMetricOptions = { client, signal, resourceOf, nowMs: clock.now(), ...target };
  const failures: MetricFailure[] = [];
  let best: Measured["best"];
  const metrics: MetricStatus[] = [];
  const fail = (failure: MetricFailure): void => {
    failures.push(failure);
    metrics.push({ type: "" });
  };
  for (const metric of spec?.metrics ?? []) {
    const source = sourceOf(metric);
    if (source === undefined) {
      const reading = await measureCustom(metric, custom);
      if ("reason" in reading) fail(reading);
      else {
        metrics.push(reading.status);
        if (best === undefined || reading.replicas > best.replicas) best = reading;
      }
      continue;
    }
    const { container, name: resource, target } = source;
    try {
      const list = client.resource(PodMetrics).namespace(namespace);
      const { items } = await list.list({ labelSelector: selector, signal });
      if (items.length === 0)
        throw new NoMetricsError(`${unmeasured(resource)}: no metrics returned from resource metrics API`);
      const aim =
        target.averageUtilization === undefined
          ? { average: thousandths(target.averageValue ?? "0") }
          : { utilization: target.averageUtilization };
      const options = { resource, container, target: aim, current, tolerances, nowMs: clock.now() };
      const proposal = proposeReplicas(selected, items, options);
      metrics.push(metricStatus(metric, proposal));
      const about = container === undefined ? resource : `${resource} container`;
      const name =
        "utilization" in aim ? `${about} resource utilization (percentage of request)` : `${resource} resource`;
      if (best === undefined || proposal.replicas > best.replicas) best = { replicas: proposal.replicas, name };
    } catch (error) {
      if (!(error instanceof NoMetricsError) && !isNotFound(error)) throw error;
      const amount = target.averageUtilization === undefined ? "usage" : "utilization";
      const unserved = `${unmeasured(resource)}: unable to fetch metrics from resource metrics API: ${unservedApi} (get pods.metrics.k8s.io)`;
      fail({
        reason: `FailedGet${metric.type}Metric`,
        note: `failed to get ${resource} ${amount}: ${isNotFound(error) ? unserved : error.message}`,
        context: `failed to get ${container === undefined ? `${resource} resource` : `${container} container`} metric value`,
      });
    }
  }
  return { best, metrics, failures };
}

const unmeasured = (resource: string): string => `unable to get metrics for resource ${resource}`;

/** Returns the resource that a metric is about; `undefined` for metrics that aren't those of pods' resources. */
function sourceOf({
  resource,
  containerResource,
}: DeepReadonly<MetricSpec>):
  | { readonly name: string; readonly container: string | undefined; readonly target: DeepReadonly<MetricTarget> }
  | undefined {
  if (resource !== undefined) return { ...resource, container: undefined };
  return containerResource;
}

function metricStatus(
  { type, resource, containerResource }: DeepReadonly<MetricSpec>,
  proposal: Proposal,
): MetricStatus {
  const { average, utilization } = proposal;
  const source = (resource ?? containerResource)!;
  const averageValue = source.name === "memory" ? binary(Math.ceil(average / 1_000)) : decimal(average);
  const current = { ...(utilization !== undefined && { averageUtilization: utilization }), averageValue };
  return containerResource === undefined
    ? { type, resource: { name: source.name, current } }
    : { type, containerResource: { name: source.name, container: containerResource.container, current } };
}

const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Formats a number of bytes with the largest suffix that keeps it whole. */
function binary(bytes: number): string {
  let [value, power] = [bytes, 0];
  while (value > 0 && value % 1_024 === 0 && power < binarySuffixes.length - 1) {
    value /= 1_024;
    power++;
  }
  return `${value}${binarySuffixes[power]}`;
}
