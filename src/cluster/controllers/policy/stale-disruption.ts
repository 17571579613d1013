import type { Client } from "../../../client/client.js";
import { Pod, type PodCondition } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime, parseTime } from "../../../meta/time.js";
import { isActive } from "../shared/pods.js";

/** Time in milliseconds in which a pod with the condition `DisruptionTarget` should be deleted. */
const staleMs = 120_000;

/** Returns true for a pod that a controller wants to delete, but that isn't being deleted. Kubelets take their time. */
export function isDisruptionPending(pod: DeepReadonly<Pod>): boolean {
  const condition = findDisruption(pod);
  return isActive(pod) && condition?.status === "True" && condition.reason !== "TerminationByKubelet";
}

/**
 * Sets the condition `DisruptionTarget` of a pod to `False` if the pod wasn't deleted in time. Returns the milliseconds that
 * are left until then.
 */
export async function resetStaleDisruption(
  client: Client,
  pod: DeepReadonly<Pod>,
  nowMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const since = parseTime(findDisruption(pod)?.lastTransitionTime)?.getTime() ?? 0;
  const remainingMs = since + staleMs - nowMs;
  if (remainingMs > 0) return remainingMs;
  const reset: PodCondition = {
    type: "DisruptionTarget",
    status: "False",
    lastTransitionTime: formatTime(nowMs),
    ...(pod.metadata?.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
  const conditions = pod.status!.conditions!.map((each) => (each.type === reset.type ? reset : each));
  const pods = client.resource(Pod).namespace(pod.metadata!.namespace!);
  await pods.subresource("status").update({ ...pod, status: { ...pod.status, conditions } }, { signal });
  return undefined;
}

function findDisruption({ status }: DeepReadonly<Pod>): DeepReadonly<PodCondition> | undefined {
  return status?.conditions?.find(({ type }) => type === "DisruptionTarget");
}
