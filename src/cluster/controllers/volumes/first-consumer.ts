import type { PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import { claimNames } from "../shared/claim-names.js";

/** Time in milliseconds that the scheduler has before a claim reports that it waits for a pod. Most pods need less. */
const schedulingMs = 15_000;

/**
 * Returns the event of a claim whose volume depends on the node of its first pod, or the time after which it is known
 * whether the pod has a node.
 */
export function consumerOf(
  { metadata }: DeepReadonly<PersistentVolumeClaim>,
  pods: readonly DeepReadonly<Pod>[],
  nowMs: number,
): { readonly reason: string; readonly note: string } | { readonly requeueAfterMs: number } {
  const waiting = pods.filter((pod) => isUnscheduled(pod) && claimNames(pod).includes(metadata!.name!));
  if (waiting.length === 0)
    return { reason: "WaitForFirstConsumer", note: "waiting for first consumer to be created before binding" };
  const created = waiting.map((pod) => parseTime(pod.metadata?.creationTimestamp)?.getTime() ?? 0);
  const waitMs = Math.min(...created) + schedulingMs - nowMs;
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const names = waiting.map((pod) => pod.metadata!.name!).join(",");
  return {
    reason: "WaitForPodScheduled",
    note: `waiting for pod${waiting.length > 1 ? "s" : ""} ${names} to be scheduled`,
  };
}

/** Returns true for a pod without a node. */
export function isUnscheduled({ spec }: DeepReadonly<Pod>): boolean {
  return spec?.nodeName === undefined;
}
