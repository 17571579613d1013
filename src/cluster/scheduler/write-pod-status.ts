import { isNotFound } from "../../errors/predicates.js";
import { Pod, type PodCondition } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatTime } from "../../meta/time.js";
import type { ClusterContext } from "../controllers/context.js";

/** Why a pod wasn't scheduled. */
export interface SchedulingFailure {
  /** Reason of the condition. Default `Unschedulable`. */
  readonly reason?: "SchedulerError";
  readonly message: string;
  /** Node that was nominated for the pod. */
  readonly nominated?: string | undefined;
}

/** Writes the results of the scheduler to pods and events. */
export interface StatusWriter {
  /** Records that a pod was assigned. */
  event(pod: DeepReadonly<Pod>, reason: "Scheduled", note: string): void;
  /** Reports that a pod waits until its devices on a node are prepared. */
  waiting(pod: DeepReadonly<Pod>, node: string): void;
  /** Reports the node on which a pod is about to be bound. */
  nominate(pod: DeepReadonly<Pod>, node: string, signal: AbortSignal): Promise<void>;
  /** Reports that a pod wasn't scheduled. */
  unschedulable(pod: DeepReadonly<Pod>, failure: SchedulingFailure, signal: AbortSignal): Promise<void>;
  /** Withdraws the nomination of a node for a pod. */
  denominate(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void>;
  /** Deletes a pod in favour of another one. */
  preempt(victim: DeepReadonly<Pod>, preemptor: DeepReadonly<Pod>, node: string, signal: AbortSignal): Promise<void>;
}

/** Creates the writer of a scheduler. */
export function createStatusWriter(
  { client, clock, schedulerEvents, cache }: ClusterContext,
  scheduler: string,
): StatusWriter {
  const events = schedulerEvents(scheduler);
  const pods = cache(Pod);

  const patchStatus = async (pod: DeepReadonly<Pod>, status: object, signal: AbortSignal): Promise<void> => {
    const { namespace, name, uid } = pod.metadata!;
    const handle = client.resource(Pod).namespace(namespace!).subresource("status");
    try {
      await handle.patch(name!, { type: "strategic", patch: { metadata: { uid }, status } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const writeCondition = async (
    pod: DeepReadonly<Pod>,
    condition: Omit<PodCondition, "lastTransitionTime">,
    more: object,
    signal: AbortSignal,
  ): Promise<void> => {
    const { generation } = pod.metadata!;
    const known = pod.status?.conditions?.find(({ type }) => type === condition.type);
    const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime! : formatTime(clock.now());
    const conditions = [{ ...condition, lastTransitionTime, observedGeneration: generation }];
    await patchStatus(pod, { conditions, ...more }, signal);
  };

  return {
    event: (pod, reason, note) => events.event(pod, { reason, action: "Binding", note }),
    waiting(pod, node) {
      const note = `waiting for binding conditions for device on node ${node}`;
      events.event(pod, { reason: "BindingConditionsPending", action: "Scheduling", note });
    },
    async nominate(pod, node, signal) {
      if (pod.status?.nominatedNodeName !== node) await patchStatus(pod, { nominatedNodeName: node }, signal);
    },
    async unschedulable(given, { reason = "Unschedulable", message, nominated }, signal) {
      const { namespace, name, uid } = given.metadata!;
      const pod = pods.store.get(`${namespace}/${name}`) ?? given;
      if (pod.metadata?.uid !== uid) return;
      events.event(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
      const known = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
      const isSame = known?.status === "False" && known.reason === reason && known.message === message;
      if (isSame && pod.status?.nominatedNodeName === nominated) return;
      const condition = { type: "PodScheduled", status: "False", reason, message };
      await writeCondition(pod, condition, { nominatedNodeName: nominated ?? null }, signal);
    },
    denominate: (pod, signal) => patchStatus(pod, { nominatedNodeName: null }, signal),
    async preempt(victim, preemptor, node, signal) {
      if (victim.metadata?.deletionTimestamp !== undefined) return;
      const { namespace, name, uid } = victim.metadata!;
      const message = `${scheduler}: preempting to accommodate a higher priority pod`;
      const condition = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message };
      await writeCondition(victim, condition, {}, signal);
      try {
        const preconditions = { uid: uid! };
        await client.resource(Pod).namespace(namespace!).delete(name!, { preconditions, signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return;
      }
      events.event(victim, {
        reason: "Preempted",
        action: "Preempting",
        note: `Preempted by pod ${preemptor.metadata!.uid} on node ${node}`,
        related: preemptor,
      });
    },
  };
}
