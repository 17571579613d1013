import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { quantityToNumber } from "../../../meta/quantity.js";
import { parseTime } from "../../../meta/time.js";
import type { PodMetrics } from "../../../operations/usage.js";

/** Time after its start for which a pod's CPU usage counts only if it was measured while the pod was ready. */
const initializationMs = 300_000;
/** Time after its start within which a pod that isn't ready has never been ready. */
const initialReadinessMs = 30_000;

/** Error of a metric that gives no number of replicas. */
export class NoMetricsError extends Error {
  override readonly name = "NoMetricsError";
}

/** Usage that a metric aims at. Amounts are in thousandths. */
export type UsageTarget =
  /** Percentage of the requests. */
  | { readonly utilization: number }
  /** Average amount of a pod. */
  | { readonly average: number };

/** Options for `proposeReplicas`. */
export interface ProposalOptions {
  /** Name of the resource, such as `cpu`. */
  readonly resource: string;
  /** Name of the container that counts; `undefined` for all containers. */
  readonly container: string | undefined;
  readonly target: UsageTarget;
  /** Current number of replicas. */
  readonly current: number;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

/** Number of replicas that a metric proposes, and what was measured. */
export interface Proposal {
  readonly replicas: number;
  /** Percentage of the requests; `undefined` if the target is an amount. */
  readonly utilization: number | undefined;
  /** Average amount of a pod, in thousandths. */
  readonly average: number;
}

/** Differences from a target, as fractions, that are ignored. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

/** Returns true if a fraction of a target is close enough to it. */
export function isWithin({ up, down }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/** Computes the number of replicas that brings the usage of pods to a target. Throws a `NoMetricsError`. */
export function proposeReplicas(
  pods: readonly DeepReadonly<Pod>[],
  metrics: readonly DeepReadonly<PodMetrics>[],
  options: ProposalOptions,
): Proposal {
  const { target, current, tolerances } = options;
  const groups = groupPods(pods, new Map(metrics.map((each) => [each.metadata!.name!, each])), options);
  const used = [...groups.ready.values()];
  if (used.length === 0) throw new NoMetricsError("did not receive metrics for targeted pods (pods might be unready)");
  const requests = "utilization" in target ? requestsOf(pods, options) : undefined;
  const total = sum(used);
  const measured = { average: Math.trunc(total / used.length), utilization: undefined as number | undefined };
  /** Returns the usage as a fraction of the target. */
  const ratioOf = (usage: ReadonlyMap<string, number>): number => {
    if ("average" in target) return sum([...usage.values()]) / (target.average * usage.size);
    const requested = sum([...usage.keys()].map((name) => requests!.get(name) ?? 0));
    if (requested === 0) throw new NoMetricsError("no metrics returned matched known pods");
    return Math.trunc((sum([...usage.values()]) * 100) / requested) / target.utilization;
  };
  const ratio = ratioOf(groups.ready);
  if ("utilization" in target) measured.utilization = Math.round(ratio * target.utilization);
  const withUnready = groups.unready.length > 0 && ratio > 1;
  if (!withUnready && groups.missing.length === 0)
    return { ...measured, replicas: isWithin(tolerances, ratio) ? current : Math.ceil(ratio * groups.ready.size) };
  // Pods without a measurement must not cause a larger change: they count as idle on the way up, as busy on the way down.
  const all = new Map(groups.ready);
  for (const name of groups.missing) {
    if (ratio > 1) all.set(name, 0);
    else if (ratio < 1)
      all.set(
        name,
        "average" in target ? target.average : ((requests!.get(name) ?? 0) * Math.max(100, target.utilization)) / 100,
      );
  }
  if (withUnready) for (const name of groups.unready) all.set(name, 0);
  const cautious = ratioOf(all);
  if (isWithin(tolerances, cautious) || (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1))
    return { ...measured, replicas: current };
  const replicas = Math.ceil(cautious * all.size);
  const isOpposite = (cautious < 1 && replicas > current) || (cautious > 1 && replicas < current);
  return { ...measured, replicas: isOpposite ? current : replicas };
}

interface PodGroups {
  /** Usage of the pods that count, in thousandths, by name. */
  readonly ready: Map<string, number>;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
}

function groupPods(
  pods: readonly DeepReadonly<Pod>[],
  metrics: ReadonlyMap<string, DeepReadonly<PodMetrics>>,
  options: ProposalOptions,
): PodGroups {
  const groups = { ready: new Map<string, number>(), unready: [] as string[], missing: [] as string[] };
  for (const pod of pods) {
    const name = pod.metadata!.name!;
    const metric = metrics.get(name);
    if (pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase === "Failed") continue;
    const usage = metric && usageOf(metric, options);
    if (pod.status?.phase === "Pending") groups.unready.push(name);
    else if (metric === undefined || usage === undefined) groups.missing.push(name);
    else if (options.resource === "cpu" && isStarting(pod, metric, options.nowMs)) groups.unready.push(name);
    else groups.ready.set(name, usage);
  }
  return groups;
}

/** Returns true for a pod whose CPU usage is that of its start. */
function isStarting(pod: DeepReadonly<Pod>, metric: DeepReadonly<PodMetrics>, nowMs: number): boolean {
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  const startedMs = parseTime(pod.status?.startTime)?.getTime();
  if (ready === undefined || startedMs === undefined) return true;
  const changedMs = parseTime(ready.lastTransitionTime)?.getTime() ?? startedMs;
  if (startedMs + initializationMs > nowMs) {
    const windowMs = Number.parseFloat(metric.window) * 1_000;
    return ready.status === "False" || (parseTime(metric.timestamp)?.getTime() ?? 0) < changedMs + windowMs;
  }
  return ready.status === "False" && startedMs + initialReadinessMs > changedMs;
}

function usageOf(
  { containers }: DeepReadonly<PodMetrics>,
  { resource, container }: ProposalOptions,
): number | undefined {
  const counted = containers.filter(({ name }) => container === undefined || name === container);
  const amounts = counted.map(({ usage }) => usage[resource]);
  if (amounts.length === 0 || amounts.includes(undefined)) return undefined;
  return sum(amounts.map((amount) => thousandths(amount!)));
}

/** Returns the requests of pods by name. That of a pod as a whole counts before those of its containers. */
function requestsOf(
  pods: readonly DeepReadonly<Pod>[],
  { resource, container }: ProposalOptions,
): ReadonlyMap<string, number> {
  return new Map(
    pods.map((pod) => {
      const whole = container === undefined ? pod.spec?.resources?.requests?.[resource] : undefined;
      const amounts = whole === undefined ? containerRequests(pod, resource, container) : [whole];
      return [pod.metadata!.name!, sum(amounts.map(thousandths))];
    }),
  );
}

/** Returns the requests of a pod's containers and sidecars, or of the one with a name. */
function containerRequests(
  { metadata, spec }: DeepReadonly<Pod>,
  resource: string,
  container: string | undefined,
): string[] {
  const isSidecar = ({ restartPolicy }: DeepReadonly<Container>): boolean => restartPolicy === "Always";
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)]
    .filter(({ name }) => container === undefined || name === container)
    .map(({ name, resources }) => {
      const amount = resources?.requests?.[resource];
      if (amount !== undefined) return amount;
      throw new NoMetricsError(`missing request for ${resource} in container ${name} of Pod ${metadata!.name}`);
    });
}

/** Returns a quantity in thousandths, rounded up. */
export function thousandths(quantity: string): number {
  return Math.ceil(quantityToNumber(quantity) * 1_000);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
