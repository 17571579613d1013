import type { HorizontalPodAutoscaler, HPAScalingRules } from "../../../kinds/autoscaling/v2.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Time for which the largest recommendation counts before an autoscaler without rules scales down. */
const defaultDownWindowMs = 300_000;

/** Earlier recommendations and changes of an autoscaler. */
export interface ScalingHistory {
  /** Recommendations with their times, oldest first. */
  recommendations: { readonly replicas: number; readonly atMs: number }[];
  /** Changes of the number of replicas, oldest first. */
  changes: { readonly by: number; readonly atMs: number }[];
}

/** Number of replicas within the limits of an autoscaler, and the reasons for it. */
export interface LimitedReplicas {
  readonly replicas: number;
  /** Verdict about the limits, for the condition `ScalingLimited`. */
  readonly limited: { readonly status: "True" | "False"; readonly reason: string; readonly message: string };
  /** Verdict about stabilization, for the condition `AbleToScale`. */
  readonly stabilized: { readonly reason: string; readonly message: string };
}

/** Applies the stabilization windows, the rates and the bounds of an autoscaler to a recommendation. */
export function limitReplicas(
  { spec }: DeepReadonly<HorizontalPodAutoscaler>,
  history: ScalingHistory,
  { current, proposed, nowMs }: { readonly current: number; readonly proposed: number; readonly nowMs: number },
): LimitedReplicas {
  const { behavior, minReplicas = 1, maxReplicas } = spec;
  const up = behavior?.scaleUp;
  const down = behavior?.scaleDown;
  const within = (ms: number): number[] =>
    history.recommendations.filter(({ atMs }) => atMs > nowMs - ms).map(({ replicas }) => replicas);
  const downWindowMs =
    down?.stabilizationWindowSeconds === undefined ? defaultDownWindowMs : down.stabilizationWindowSeconds * 1_000;
  const lowest = Math.min(proposed, ...within((up?.stabilizationWindowSeconds ?? 0) * 1_000));
  const highest = Math.max(proposed, ...within(downWindowMs));
  const stable = Math.min(highest, Math.max(lowest, current));
  const stabilized = stabilization(stable, proposed);
  history.recommendations = history.recommendations.filter(({ atMs }) => atMs > nowMs - 3_600_000);
  history.recommendations.push({ replicas: proposed, atMs: nowMs });
  history.changes = history.changes.filter(({ atMs }) => atMs > nowMs - 1_800_000);

  const limit = (replicas: number, reason: string, message: string): LimitedReplicas => ({
    replicas,
    limited: { status: "True", reason, message },
    stabilized,
  });
  if (stable > current) {
    const fastest = Math.max(
      current,
      behavior === undefined ? Math.max(2 * current, 4) : upLimit(up, history, current, nowMs),
    );
    if (stable > Math.min(maxReplicas, fastest))
      return maxReplicas > fastest
        ? limit(fastest, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
        : limit(maxReplicas, "TooManyReplicas", "the desired replica count is more than the maximum replica count");
  } else if (stable < current) {
    const fastest = Math.min(current, behavior === undefined ? 0 : downLimit(down, history, current, nowMs));
    if (stable < Math.max(minReplicas, fastest))
      return minReplicas < fastest
        ? limit(fastest, "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
        : limit(minReplicas, "TooFewReplicas", "the desired replica count is less than the minimum replica count");
  }
  const message = "the desired count is within the acceptable range";
  return { replicas: stable, limited: { status: "False", reason: "DesiredWithinRange", message }, stabilized };
}

function stabilization(stable: number, proposed: number): LimitedReplicas["stabilized"] {
  if (stable > proposed)
    return {
      reason: "ScaleDownStabilized",
      message: "recent recommendations were higher than current one, applying the highest recent recommendation",
    };
  if (stable < proposed)
    return {
      reason: "ScaleUpStabilized",
      message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
    };
  return { reason: "ReadyForNewScale", message: "recommended size matches current size" };
}

type Rules = DeepReadonly<HPAScalingRules> | undefined;

/** Returns the largest number of replicas that the policies allow now. */
function upLimit(rules: Rules, { changes }: ScalingHistory, current: number, nowMs: number): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const base = replicasAt(nowMs - periodSeconds * 1_000, current, changes);
    return type === "Pods" ? base + value : Math.ceil(base * (1 + value / 100));
  });
  if (limits.length === 0) return Number.POSITIVE_INFINITY;
  return rules?.selectPolicy === "Min" ? Math.min(...limits) : Math.max(...limits);
}

/** Returns the smallest number of replicas that the policies allow now. */
function downLimit(rules: Rules, { changes }: ScalingHistory, current: number, nowMs: number): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const base = replicasAt(nowMs - periodSeconds * 1_000, current, changes);
    return type === "Pods" ? base - value : Math.trunc(base * (1 - value / 100));
  });
  if (limits.length === 0) return 0;
  return rules?.selectPolicy === "Min" ? Math.max(...limits) : Math.min(...limits);
}

/** Returns the number of replicas before the changes since a time. */
function replicasAt(timeMs: number, current: number, changes: ScalingHistory["changes"]): number {
  return changes.reduce((replicas, { by, atMs }) => (atMs > timeMs ? replicas - by : replicas), current);
}
