import { linkAbort } from "../../../internal/abort.js";
import type { Ending, Running } from "./container-phase.js";
import type { ContainerRuns } from "./container-runs.js";
import { ContainerStop } from "./container-stop.js";
import { findProcess } from "./default-process.js";
import { Lifecycle, type LifecycleSubject } from "./lifecycle.js";
import type { PlayerHost } from "./player-host.js";
import { commandLine, runProcess } from "./process.js";
import { TimerSet } from "./timer-set.js";

/** The part of a container that its run depends on. */
export interface RunningSubject extends LifecycleSubject {
  readonly runs: ContainerRuns;
  /** Ends the container. */
  end(ending: Ending): void;
}

/** One run of a container: its process, its probes and hooks, and its stop. */
export class RunningContainer implements Running {
  readonly is = "running";
  readonly startedMs: number;
  readonly lifecycle: Lifecycle;
  /** True while the container ends so that it starts again, whatever its restart policy. */
  replacing = false;
  readonly #host: PlayerHost;
  readonly #subject: RunningSubject;
  readonly #process = linkAbort();
  #stop: ContainerStop | undefined;
  /** Timers of the stop. */
  #timers: TimerSet | undefined;
  #closed = false;

  constructor(host: PlayerHost, subject: RunningSubject, startedMs: number = host.clock.now()) {
    this.#host = host;
    this.#subject = subject;
    this.startedMs = startedMs;
    this.lifecycle = new Lifecycle(host, subject, startedMs);
  }

  /** Signal of the process. */
  get signal(): AbortSignal {
    return this.#process.signal;
  }

  /** True once the stop has begun. */
  get stopping(): boolean {
    return this.#stop !== undefined;
  }

  /** Begins with the hook `postStart`, the probes and the process. */
  begin(): void {
    this.lifecycle.begin();
    this.#play();
  }

  /** Resumes after a snapshot: the process starts again, without the hook. */
  resume(saved: { readonly started: boolean; readonly ready: boolean }): void {
    this.lifecycle.resume(saved);
    this.#play();
  }

  /**
   * Stops the process. It's killed if it still runs at the end of the grace period. With `held`, the hook `preStop` runs at
   * once, but the process gets its signal only after `release`, or at the end of the grace period.
   */
  stop(message: string, graceMs: number, held: boolean): void {
    if (this.#stop !== undefined) {
      this.#stop.shorten(graceMs, held);
      return;
    }
    this.#host.event(this.#subject.container, "Normal", "Killing", message);
    const timers = new TimerSet(this.#host.clock);
    this.#timers = timers;
    const parts = {
      now: () => this.#host.clock.now(),
      beforeStop: (limitMs: number, then: () => void) => this.lifecycle.beforeStop(limitMs, then),
      signal: () => this.#signal(),
      kill: () => this.#subject.end({ exitCode: 137 }),
      after: (callback: () => void, ms: number) => timers.after(callback, ms),
    };
    this.#stop = new ContainerStop(parts, graceMs, held);
    this.#stop.begin();
  }

  /** Lets a process that is being stopped get its signal. */
  release(): void {
    this.#stop?.release();
  }

  /** Ends the process, its probes and its stop. */
  close(reason: string): void {
    this.#closed = true;
    this.#timers?.cancel();
    this.lifecycle.end();
    this.#process.abort(new Error(reason));
  }

  #signal(): boolean {
    this.#process.abort(new Error("the container is being stopped"));
    const hasProcess = findProcess(this.#host, this.#subject.container) !== undefined;
    if (!hasProcess) this.#subject.end({ exitCode: 0 });
    return hasProcess;
  }

  #play(): void {
    const { container, runs } = this.#subject;
    const run = findProcess(this.#host, container);
    if (run === undefined || this.#closed) return;
    const { env = {}, restartCount, console } = runs;
    const args = commandLine(container, env);
    const options = { clock: this.#host.clock, pod: this.#host.pod(), container, args, env, restartCount };
    const { signal } = this.#process;
    void runProcess(run, { ...options, signal, ...console.streams() }).then((exitCode) => {
      if (!this.#closed) this.#subject.end({ exitCode });
    });
  }
}
