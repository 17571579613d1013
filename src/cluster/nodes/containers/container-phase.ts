import type { LinkedAbort } from "../../../internal/abort.js";
import type { Container, ContainerStateTerminated, ContainerStateWaiting } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { BackOffState } from "./back-off.js";
import type { ContainerLog } from "./container-log.js";

/** End of a container's process. */
export interface Ending {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly signal?: number | undefined;
}

/** Stage in the life of a container. */
export type Phase =
  | { readonly is: "new" }
  | { readonly is: "starting"; waiting: ContainerStateWaiting }
  | { readonly is: "running"; readonly startedMs: number; readonly process: LinkedAbort; stopping: boolean }
  | { readonly is: "exited"; readonly terminated: ContainerStateTerminated; waiting?: ContainerStateWaiting };

/** State of a container in a snapshot. */
export interface SavedContainer {
  readonly container: DeepReadonly<Container>;
  readonly phase: Phase;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restarting: boolean;
  readonly crashes: BackOffState;
  readonly id: string;
  readonly last: ContainerStateTerminated | undefined;
  readonly restartCount: number;
  readonly log: ContainerLog;
  readonly previousLog: ContainerLog | undefined;
  readonly env: Readonly<Record<string, string>>;
}
