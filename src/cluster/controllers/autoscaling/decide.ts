import type { Informer } from "../../../cache/informer/informer.js";
import type { Client } from "../../../client/client.js";
import { isNotFound } from "../../../errors/predicates.js";
import type { Clock } from "../../../internal/clock.js";
import type { Scale } from "../../../kinds/autoscaling/v1.js";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "../../../kinds/autoscaling/v2.js";
import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { quantityToNumber } from "../../../meta/quantity.js";
import { matchesLabels, parseLabelSelector } from "../../../meta/selectors.js";
import { PodMetrics } from "../../../operations/usage.js";
import { serverMessage } from "../shared/server-message.js";
import { limitReplicas, type ScalingHistory } from "./limits.js";
import { NoMetricsError, type Proposal, proposeReplicas, thousandths } from "./measure.js";

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
  /** Reason and message of a warning. */
  readonly problem?: { readonly reason: string; readonly note: string };
}

/** Dependencies of `decideReplicas`. */
export interface DecisionParts {
  readonly client: Client;
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
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
  const metrics = (autoscaler.status?.currentMetrics ?? []) as MetricStatus[];
  const got = {
    ...able,
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  };
  if (current === 0 && minReplicas !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    const disabled = { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message };
    return { replicas: 0, why: "", verdicts: [got, disabled], metrics };
  }
  if (current > maxReplicas)
    return {
      replicas: maxReplicas,
      why: "Current number of replicas above Spec.MaxReplicas",
      verdicts: [got],
      metrics,
    };
  if (current < minReplicas)
    return {
      replicas: minReplicas,
      why: "Current number of replicas below Spec.MinReplicas",
      verdicts: [got],
      metrics,
    };
  const measured = await measure(parts, autoscaler, found);
  if ("reason" in measured) {
    const message = `the HPA was unable to compute the replica count: ${measured.note}`;
    const inactive = { type: "ScalingActive", status: "False", reason: measured.reason, message };
    return { replicas: current, why: "", verdicts: [got, inactive], metrics: [], problem: measured };
  }
  const message = `the HPA was able to successfully calculate a replica count from ${measured.name}`;
  const active = { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message };
  const place = { current, proposed: measured.replicas, nowMs: parts.clock.now() };
  const { replicas, limited, stabilized } = limitReplicas(autoscaler, history, place);
  return {
    replicas,
    why: replicas > current ? `${measured.name} above target` : "All metrics below target",
    verdicts: [{ ...able, ...stabilized }, active, { type: "ScalingLimited", ...limited }],
    metrics: measured.metrics,
  };
}

/** Returns the largest number of replicas that a metric proposes, or the reason for which none does. */
async function measure(
  { client, pods, clock, signal }: DecisionParts,
  { metadata, spec }: Autoscaler,
  found: Scale,
): Promise<
  | { readonly replicas: number; readonly name: string; readonly metrics: MetricStatus[] }
  | { readonly reason: string; readonly note: string }
> {
  const namespace = metadata!.namespace!;
  const current = found.spec?.replicas ?? 0;
  const selector = found.status?.selector ?? "";
  const requirements = parseLabelSelector(selector);
  const selected = pods.store
    .list({ namespace })
    .filter(({ metadata }) => matchesLabels(requirements, metadata?.labels));
  let failure: { reason: string; note: string } | undefined;
  let best: { replicas: number; name: string } | undefined;
  const statuses: MetricStatus[] = [];
  for (const metric of spec?.metrics ?? []) {
    const source = sourceOf(metric);
    if (source === undefined) {
      failure ??= { reason: `FailedGet${metric.type}Metric`, note: `no ${metric.type} metrics API is available` };
      continue;
    }
    try {
      const list = client.resource(PodMetrics).namespace(namespace);
      const { items } = await list.list({ labelSelector: selector, signal });
      const { container, name: resource } = source;
      const { target } = source;
      const aim =
        target.averageUtilization === undefined
          ? { average: thousandths(target.averageValue ?? "0") }
          : { utilization: target.averageUtilization };
      const options = { resource, container, target: aim, current, nowMs: clock.now() };
      const before = proposeReplicas(selected, items, { ...options, tolerance: 0 });
      const rules = before.replicas > current ? spec?.behavior?.scaleUp : spec?.behavior?.scaleDown;
      const tolerance = rules?.tolerance === undefined ? defaultTolerance : quantityToNumber(rules.tolerance);
      const proposal = proposeReplicas(selected, items, { ...options, tolerance });
      statuses.push(metricStatus(metric, proposal));
      const about = container === undefined ? resource : `${resource} container`;
      const name = `${about} resource ${"utilization" in aim ? "utilization (percentage of request)" : "average value"}`;
      if (best === undefined || proposal.replicas > best.replicas) best = { replicas: proposal.replicas, name };
    } catch (error) {
      if (!(error instanceof NoMetricsError) && !isNotFound(error)) throw error;
      const note = `failed to get ${source.name} utilization: ${serverMessage(error)}`;
      failure ??= { reason: `FailedGet${metric.type}Metric`, note };
    }
  }
  // A metric that failed could have requested more, so the others may not scale down.
  if (best === undefined || (failure !== undefined && best.replicas < current))
    return failure ?? { reason: "InvalidMetricSourceType", note: "the autoscaler has no metrics" };
  return { ...best, metrics: statuses };
}

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
  const averageValue = source.name === "cpu" ? `${average}m` : String(Math.trunc(average / 1_000));
  const current = { ...(utilization !== undefined && { averageUtilization: utilization }), averageValue };
  return containerResource === undefined
    ? { type, resource: { name: source.name, current } }
    : { type, containerResource: { name: source.name, container: containerResource.container, current } };
}
