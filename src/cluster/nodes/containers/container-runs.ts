import type { Clock } from "../../../internal/clock.js";
import type { Container, ContainerStateTerminated } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { ContainerConsole } from "./console.js";
import { ContainerLog } from "./container-log.js";

/** A run that begins. */
export interface NewRun {
  readonly container: DeepReadonly<Container>;
  /** Environment; `undefined` if the container doesn't read it. */
  readonly env: Readonly<Record<string, string>> | undefined;
  /** True if the restart is counted already. */
  readonly counted: boolean;
  /** Returns the ID of the run after that many restarts. */
  newId(restartCount: number): string;
}

/** Runs of a container in a snapshot. */
export interface SavedRuns {
  readonly id: string;
  readonly last: ContainerStateTerminated | undefined;
  readonly restartCount: number;
  readonly log: ContainerLog;
  readonly previousLog: ContainerLog | undefined;
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** Current or last run of a container, and what is left of the one before it. */
export class ContainerRuns {
  readonly #clock: Clock;
  /** ID of the current or last run; `""` before the first one. */
  id = "";
  /** State in which the run before the current one ended. */
  last: ContainerStateTerminated | undefined;
  /** Number of restarts. */
  restartCount = 0;
  /** Log of the current or last run, and of the run before it. */
  log: ContainerLog;
  previousLog: ContainerLog | undefined;
  /** Streams of the current run. */
  console: ContainerConsole;
  /** Environment of the current run; `undefined` if the container doesn't read it. */
  env: Readonly<Record<string, string>> | undefined;

  constructor(clock: Clock, container: DeepReadonly<Container>) {
    this.#clock = clock;
    this.log = new ContainerLog(clock);
    this.console = new ContainerConsole(container, this.log);
  }

  /** Begins a run. Each but the first counts as a restart. */
  begin({ container, env, counted, newId }: NewRun): void {
    if (this.id !== "" || this.last !== undefined) {
      if (!counted) this.restartCount++;
      this.previousLog = this.log;
      this.log = new ContainerLog(this.#clock);
      this.console = new ContainerConsole(container, this.log);
    }
    this.id = newId(this.restartCount);
    this.env = env;
  }

  /** Returns the state for a snapshot. */
  save(): SavedRuns {
    const { id, last, restartCount, previousLog, env } = this;
    return { id, last, restartCount, log: this.log.copy({ now: () => 0 }), previousLog, env };
  }

  /** Resumes from the state of a snapshot. */
  resume(saved: SavedRuns, container: DeepReadonly<Container>): void {
    this.id = saved.id;
    this.last = saved.last;
    this.restartCount = saved.restartCount;
    this.previousLog = saved.previousLog;
    this.env = saved.env;
    this.log = saved.log.copy(this.#clock);
    this.console = new ContainerConsole(container, this.log);
  }
}
