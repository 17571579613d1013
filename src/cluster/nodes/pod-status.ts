import type { Container, ContainerStatus, Pod, PodStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatTime } from "../../meta/time.js";
import { type ContainerRole, containerStatus } from "./container-status.js";
import type { ContainerPlayer } from "./containers/container-player.js";
import { isSidecar } from "./containers/restart-policy.js";
import { foreignConditions, podConditions } from "./pod-conditions.js";
import type { Reason } from "./pod-host.js";
import { podPhase } from "./pod-phase.js";
import type { PodResources } from "./pod-resources.js";

/** State of a pod on a node. */
export interface PodState {
  readonly containers: ReadonlyMap<string, ContainerPlayer>;
  readonly resources: Pick<PodResources, "resize" | "podLevel" | "allocated" | "actual">;
  /** Reason with which a container waits that isn't created yet. */
  readonly defaultWaiting: string;
  readonly hostIp: string;
  /** Address of the pod; `undefined` before it has its network. */
  readonly podIp: string | undefined;
  readonly startedMs: number;
  /** True if no container runs or will run. */
  readonly ended: boolean;
  /** Reason and message with which the node has ended the pod. */
  readonly failure: Reason | undefined;
  /** Reason and message of the condition `DisruptionTarget`. */
  readonly disruption: Reason | undefined;
  /** True while all containers are being restarted. */
  readonly restartsAll: boolean;
  readonly nowMs: number;
}

/** Returns the status of a pod on a node. */
export function podStatus(pod: DeepReadonly<Pod>, state: PodState): PodStatus {
  const spec = pod.spec!;
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const { resources } = state;
  const status = (container: DeepReadonly<Container>, role: ContainerRole): ContainerStatus =>
    containerStatus(container, {
      player: state.containers.get(container.name),
      resources,
      defaultWaiting: state.defaultWaiting,
      role,
    });
  const mains = containers.map((container) => status(container, "main")).sort(byName);
  const inits = initContainers.map((container) => status(container, isSidecar(container) ? "sidecar" : "init"));
  const ephemeral = ephemeralContainers
    .map((container) => status(container as DeepReadonly<Container>, "ephemeral"))
    .sort(byName);
  const statuses = new Map([...inits, ...mains].map((each) => [each.name, each]));
  const { failure, disruption, ended, podIp, hostIp, nowMs } = state;
  const old = pod.status ?? {};
  const observed = failure !== undefined && ended ? "Failed" : podPhase(spec, statuses, ended);
  // A pod doesn't leave a final phase, also one that another client wrote. It gets one once no container runs.
  const stays = isFinal(old.phase) || (isFinal(observed) && !ended);
  const phase = stays ? (old.phase ?? "Pending") : observed;
  const reason = phase === "Failed" ? (failure?.reason ?? old.reason) : old.reason;
  const message = phase === "Failed" ? (failure?.message ?? old.message) : old.message;
  return {
    ...(old as PodStatus),
    phase,
    conditions: podConditions(pod, {
      phase,
      statuses,
      // Reported with the final phase, also if the containers end later.
      disruption: ended ? disruption : undefined,
      nowMs,
      hasSandbox: podIp !== undefined && !ended,
      resize: ended ? undefined : resources.resize,
      restartsAll: state.restartsAll,
    }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: old.startTime ?? formatTime(state.startedMs),
    ...(inits.length > 0 && { initContainerStatuses: inits }),
    containerStatuses: mains,
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
    ...resources.podLevel,
    observedGeneration: pod.metadata!.generation!,
  };
}

/**
 * Returns the status of a pod that its node has rejected: without containers, and without the conditions of a kubelet and
 * `PodScheduled`.
 */
export function rejectedStatus(pod: DeepReadonly<Pod>, { reason, message }: Reason, startedMs: number): PodStatus {
  const { conditions: _, ...old } = (pod.status ?? {}) as PodStatus;
  const conditions = foreignConditions(pod);
  return {
    ...old,
    phase: "Failed",
    ...(conditions.length > 0 && { conditions }),
    reason,
    message,
    startTime: old.startTime ?? formatTime(startedMs),
    observedGeneration: pod.metadata!.generation!,
  };
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  return a.name < b.name ? -1 : 1;
}

function isFinal(phase: PodStatus["phase"]): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
