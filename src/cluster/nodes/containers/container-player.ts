import type { Container, ContainerStateTerminated } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import { BackOff, backOffTexts } from "./back-off.js";
import { type Creation, createContainer, createContainerLater } from "./container-creation.js";
import {
  type Ending,
  type Phase,
  type ReportedState,
  type Running,
  reportedState,
  type SavedContainer,
  type Starting,
  terminatedState,
  unknownState,
} from "./container-phase.js";
import { ContainerRuns } from "./container-runs.js";
import { ImagePuller } from "./image-puller.js";
import type { PlayerHost } from "./player-host.js";
import type { ContainerView } from "./pod-plan.js";
import { isInit, isSidecar } from "./restart-policy.js";
import { RunningContainer } from "./running-container.js";
import { TimerSet } from "./timer-set.js";

/** Time after which a kubelet notices that a container has ended. */
export const noticeMs = 1_000;

/** Plays one container of a pod. */
export class ContainerPlayer {
  container: DeepReadonly<Container>;
  /** Current run and the one before it. */
  readonly runs: ContainerRuns;
  readonly #host: PlayerHost;
  #crashes = new BackOff();
  #puller: ImagePuller;
  #timers: TimerSet | undefined;
  #phase: Exclude<Phase, Running> | RunningContainer = { is: "new" };
  #restarting = false;

  constructor(host: PlayerHost, container: DeepReadonly<Container>) {
    this.#host = host;
    this.container = container;
    this.runs = new ContainerRuns(host.clock, container);
    this.#puller = this.#newPuller();
  }

  get view(): ContainerView {
    const phase = this.#phase;
    if (phase.is === "running") return { is: "running", started: phase.lifecycle.started };
    return phase.is === "exited" ? { is: "exited", exitCode: phase.terminated.exitCode } : { is: phase.is };
  }

  /** State for the pod's status; `undefined` before the first start. */
  get state(): ReportedState | undefined {
    return this.#inPostStart ? { waiting: { reason: this.#host.defaultWaiting() } } : reportedState(this.#phase);
  }

  /**
   * True while the container is created, its hook `postStart` runs, or it is stopped, which a kubelet does for one after
   * the other.
   */
  get holdsUpOthers(): boolean {
    const phase = this.#phase;
    if (phase.is === "running") return phase.stopping || phase.lifecycle.inPostStart;
    return phase.is === "starting" && phase.waiting.message === undefined;
  }

  get #inPostStart(): boolean {
    return this.#phase.is === "running" && this.#phase.lifecycle.inPostStart;
  }

  /** State in which the run before the current one ended. */
  get lastTerminated(): ContainerStateTerminated | undefined {
    const phase = this.#phase;
    return phase.is === "exited" && phase.waiting !== undefined ? phase.terminated : this.runs.last;
  }

  get id(): string {
    return this.#inPostStart ? "" : this.runs.id;
  }

  get started(): boolean {
    return this.#phase.is === "running" && this.#phase.lifecycle.started;
  }

  get ready(): boolean {
    return this.#phase.is === "running" && this.#phase.lifecycle.ready;
  }

  /** Milliseconds since the start of the running process; `undefined` if the container doesn't run. */
  get runningMs(): number | undefined {
    const phase = this.#phase;
    return phase.is === "running" ? this.#host.clock.now() - phase.startedMs : undefined;
  }

  /** True for a running container that is being stopped. */
  get stopping(): boolean {
    return this.#phase.is === "running" && this.#phase.stopping;
  }

  /** Signal of the running process; `undefined` if the container doesn't run. */
  get signal(): AbortSignal | undefined {
    return this.#phase.is === "running" ? this.#phase.signal : undefined;
  }

  /** Takes over a container that ran before its node failed. With `afresh`, it starts whatever its end. */
  restore(restartCount: number, terminated: ContainerStateTerminated, afresh: boolean): void {
    this.runs.restartCount = restartCount;
    if (afresh) this.runs.last = terminated;
    else this.#phase = { is: "exited", terminated };
  }

  /** Returns the state for a snapshot. */
  save(): SavedContainer {
    const phase = this.#phase;
    return {
      container: this.container,
      phase: phase.is === "running" ? { is: "running", startedMs: phase.startedMs } : { ...phase },
      ready: this.ready,
      started: this.started,
      restarting: this.#restarting,
      crashes: this.#crashes.save(),
      ...this.runs.save(),
    };
  }

  /** Resumes from the state of a snapshot. A process that was running starts again, a pull and a probe begin again. */
  resume(saved: SavedContainer): void {
    const { clock } = this.#host;
    const { phase } = saved;
    this.#crashes = new BackOff(saved.crashes);
    this.runs.resume(saved, this.container);
    if (phase.is === "new") {
      this.#phase = { ...phase };
    } else if (phase.is === "starting") {
      this.#create({ ...phase });
    } else if (phase.is === "running") {
      this.#phase = new RunningContainer(this.#host, this, phase.startedMs);
      this.#phase.resume(saved);
    } else if (phase.is === "exited") {
      this.#phase = { ...phase };
      this.runs.console.end();
      if (!saved.restarting) return;
      this.#restarting = true;
      const failedMs = Date.parse(phase.terminated.finishedAt ?? formatTime(clock.now()));
      const remaining = this.#crashes.remaining(failedMs, clock.now());
      this.#after(() => this.#restart(), phase.waiting === undefined ? noticeMs : Math.max(1, remaining));
    }
  }

  /** Takes over a new version of the container. With another image, it starts again and without a back-off. */
  update(container: DeepReadonly<Container>, graceMs: number): void {
    const isOther = container.image !== this.container.image;
    this.container = container;
    if (!isOther) return;
    this.#puller = this.#newPuller();
    this.#crashes = new BackOff();
    const phase = this.#phase;
    if (phase.is === "running") this.#replaceChanged(graceMs);
    else if (phase.is === "starting" || (phase.is === "exited" && phase.waiting !== undefined)) {
      this.#cancelTimers();
      if (phase.is === "exited") this.runs.last = phase.terminated;
      this.#create();
    }
  }

  /** Replaces a running container whose image has changed, but not an init container, which runs to its end. */
  #replaceChanged(graceMs: number): void {
    const change = `${this.container.name} definition changed`;
    if (!isInit(this.#host.pod(), this.container)) this.replace(`Container ${change}, will be restarted`, graceMs);
    else if (isSidecar(this.container)) this.replace(`Init container ${change}`, graceMs);
  }

  /** Stops a running container and starts it again, whatever its restart policy. */
  replace(message: string, graceMs: number): void {
    const phase = this.#phase;
    if (phase.is !== "running") return;
    phase.replacing = true;
    phase.stop(message, graceMs, false);
  }

  /** Starts the container, after a back-off if it has ended before. */
  start(): void {
    const phase = this.#phase;
    if (phase.is === "new") this.#create({ counted: phase.waiting !== undefined });
    if (phase.is !== "exited" || this.#restarting) return;
    this.#restarting = true;
    this.#after(() => this.#restart(), noticeMs);
  }

  /**
   * Stops the container. It's killed if it still runs at the end of the grace period. With `held`, its hook `preStop` runs
   * at once, but the container gets its signal only after `release`, or at the end of the grace period.
   */
  stop(message: string, graceMs: number, held = false): void {
    const phase = this.#phase;
    if (phase.is === "starting") this.#neverStarted();
    else if (phase.is === "exited") {
      this.#cancelTimers();
      delete phase.waiting;
    } else if (phase.is === "running") {
      phase.replacing = false;
      phase.stop(message, graceMs, held);
    }
  }

  /** Lets a container that is being stopped get its signal. */
  release(): void {
    if (this.#phase.is === "running") this.#phase.release();
  }

  /** Ends a running container. */
  end({ exitCode, reason, message, signal }: Ending): void {
    const phase = this.#phase;
    if (phase.is !== "running") return;
    phase.close("the container has ended");
    const showsLog = exitCode !== 0 && this.container.terminationMessagePolicy === "FallbackToLogsOnError";
    const text = message ?? (showsLog ? this.runs.log.tail() : undefined);
    this.runs.console.end();
    const nowMs = this.#host.clock.now();
    const ending = { exitCode, reason, signal, message: text };
    const terminated = terminatedState(ending, { startedMs: phase.startedMs, nowMs, containerID: this.runs.id });
    this.#phase = { is: "exited", terminated };
    if (phase.replacing) this.#startAgain(terminated, this.runs.last);
    this.#host.changed();
  }

  /** Ends everything without a trace, as when the machine fails. */
  discard(): void {
    this.#cancelTimers();
    if (this.#phase.is === "running") this.#phase.close("the node has failed");
    this.#phase = { is: "new" };
    this.runs.console.end();
  }

  /** Starts probes again whose results may have changed. */
  probesChanged(): void {
    if (this.#phase.is === "running") this.#phase.lifecycle.probesChanged();
  }

  #neverStarted(): void {
    this.#cancelTimers();
    this.#phase = { is: "exited", terminated: { ...unknownState } };
  }

  /** Restarts a container that has ended, as soon as its back-off allows. */
  #restart(): void {
    const phase = this.#phase;
    if (phase.is !== "exited") return;
    const remaining = this.#startAgain(phase.terminated, phase.terminated);
    if (remaining <= 0) {
      this.#host.changed();
      return;
    }
    const { message, note } = backOffTexts(this.#host.pod(), this.container.name, this.#crashes.delayMs);
    phase.waiting = { reason: "CrashLoopBackOff", message };
    this.#host.event(this.container, "Warning", "BackOff", note);
    this.#after(() => this.#restart(), remaining);
    this.#host.changed();
  }

  /**
   * Starts a container that has ended, unless it has to wait for its back-off since an end: its own, or, if it was ended to
   * be replaced, the one before. Returns the milliseconds that it has to wait.
   */
  #startAgain(terminated: ContainerStateTerminated, since: ContainerStateTerminated | undefined): number {
    const now = this.#host.clock.now();
    if (since?.finishedAt != null) {
      const failedMs = Date.parse(since.finishedAt);
      const remaining = this.#crashes.remaining(failedMs, now);
      if (remaining > 0) return remaining;
      this.#crashes.attempt(failedMs, now);
    }
    this.#restarting = false;
    this.runs.last = terminated;
    this.#create();
    return 0;
  }

  #create(start: Partial<Starting> = {}): void {
    const phase: Starting = { is: "starting", waiting: { reason: this.#host.defaultWaiting() }, ...start };
    this.#phase = phase;
    const creation: Creation = {
      host: this.#host,
      puller: this.#puller,
      container: () => this.container,
      isCurrent: () => this.#phase === phase,
      wait: (waiting) => {
        phase.waiting = waiting;
        this.#host.changed();
      },
      after: (callback, ms) => this.#after(callback, ms),
      launch: (env) => this.#launch(env),
    };
    // One that has failed before a snapshot waits a while.
    if (phase.waiting.message === undefined) createContainer(creation);
    else createContainerLater(creation);
  }

  #launch(env: Readonly<Record<string, string>> | undefined): void {
    this.runs.begin({
      container: this.container,
      env,
      counted: this.#phase.is === "starting" && this.#phase.counted === true,
      newId: (restartCount) => this.#host.newContainerId(this.container, restartCount),
    });
    const running = new RunningContainer(this.#host, this);
    this.#phase = running;
    this.#host.event(this.container, "Normal", "Created", "Container created");
    this.#host.event(this.container, "Normal", "Started", "Container started");
    running.begin();
    this.#host.changed();
  }

  #newPuller(): ImagePuller {
    return new ImagePuller(this.#host, this.container, (callback, ms) => this.#after(callback, ms));
  }

  #after(callback: () => void, ms: number): void {
    (this.#timers ??= new TimerSet(this.#host.clock)).after(callback, ms);
  }

  #cancelTimers(): void {
    this.#timers?.cancel();
    this.#restarting = false;
  }
}
