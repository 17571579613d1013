import type { Client } from "../../../client/client.js";
import { isNotFound } from "../../../errors/predicates.js";
import { Pod, type PodCondition } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";

/** Options for `disruptPod`. */
export interface DisruptPodOptions {
  readonly client: Client;
  /** Reason and message of the condition `DisruptionTarget`. Default: the pod doesn't get it. */
  readonly disruption?: { readonly reason: string; readonly message: string } | undefined;
  /** True for a pod that no kubelet ends: it becomes `Failed`, and goes at once. */
  readonly force?: boolean | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Deletes a pod after its status got the condition `DisruptionTarget`, the phase `Failed`, or both. Does nothing if it's
 * gone. Rejects with a conflict if another pod has its name.
 */
export async function disruptPod(pod: DeepReadonly<Pod>, options: DisruptPodOptions): Promise<void> {
  const { client, disruption, force = false, nowMs, signal } = options;
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const pods = client.resource(Pod).namespace(namespace);
  try {
    await pods.subresource("status").update(
      name,
      (fresh) => {
        if (fresh.metadata?.uid !== uid) return;
        if (fresh.status?.phase === "Succeeded" || fresh.status?.phase === "Failed") return;
        if (force) fresh.status = { ...fresh.status, phase: "Failed" };
        if (disruption === undefined) return;
        const conditions = fresh.status?.conditions ?? [];
        const known = conditions.find(({ type }) => type === "DisruptionTarget");
        const condition: PodCondition = {
          type: "DisruptionTarget",
          status: "True",
          ...disruption,
          lastTransitionTime: known?.status === "True" ? known.lastTransitionTime! : formatTime(nowMs),
          ...(fresh.metadata.generation !== undefined && { observedGeneration: fresh.metadata.generation }),
        };
        fresh.status = {
          ...fresh.status,
          conditions: [...conditions.filter((each) => each !== known), condition],
        };
      },
      { signal },
    );
    await pods.delete(name, { preconditions: { uid }, ...(force && { gracePeriodSeconds: 0 }), signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
