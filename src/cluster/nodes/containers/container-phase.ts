import type { Container, ContainerStateTerminated, ContainerStateWaiting } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import type { BackOffState } from "./back-off.js";
import type { SavedRuns } from "./container-runs.js";

/** End of a container's process. */
export interface Ending {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly signal?: number | undefined;
}

/** Stage of a container whose image is pulled and whose process is prepared. */
export interface Starting {
  readonly is: "starting";
  waiting: ContainerStateWaiting;
  /** True if the restart that this start completes is counted already. */
  readonly counted?: boolean;
}

/** Stage of a container with a process. */
export interface Running {
  readonly is: "running";
  readonly startedMs: number;
}

/** Stage in the life of a container. */
export type Phase =
  | { readonly is: "new"; readonly waiting?: ContainerStateWaiting }
  | Starting
  | Running
  | { readonly is: "exited"; readonly terminated: ContainerStateTerminated; waiting?: ContainerStateWaiting };

/** State of a container in the status of its pod. */
export type ReportedState =
  | { waiting: ContainerStateWaiting }
  | { running: { startedAt: string } }
  | { terminated: ContainerStateTerminated };

/** Returns the state for the status of the pod; `undefined` before the first start. */
export function reportedState(phase: Phase): ReportedState | undefined {
  if (phase.is === "running") return { running: { startedAt: formatTime(phase.startedMs) } };
  if (phase.waiting !== undefined) return { waiting: phase.waiting };
  return phase.is === "exited" ? { terminated: phase.terminated } : undefined;
}

/** State of a container that its pod's end has kept from starting. */
export const unknownState: Readonly<ContainerStateTerminated> = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
  startedAt: null!,
  finishedAt: null!,
};

/** State of a container that was removed to restart all containers of its pod. */
export const removedState: Readonly<ContainerStateTerminated> = {
  exitCode: 137,
  reason: "RestartingAllContainers",
  message: "The container is removed because RestartAllContainers in place",
  startedAt: null!,
  finishedAt: null!,
};

/** Returns the state of a container that has ended. */
export function terminatedState(
  { exitCode, reason, message, signal }: Ending,
  { startedMs, nowMs, containerID }: { startedMs: number; nowMs: number; containerID: string },
): ContainerStateTerminated {
  return {
    exitCode,
    ...(signal !== undefined && { signal }),
    reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
    ...(message !== undefined && { message }),
    startedAt: formatTime(startedMs),
    finishedAt: formatTime(nowMs),
    containerID,
  };
}

/** State of a container in a snapshot. */
export interface SavedContainer extends SavedRuns {
  readonly container: DeepReadonly<Container>;
  readonly phase: Phase;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restarting: boolean;
  readonly crashes: BackOffState;
}
