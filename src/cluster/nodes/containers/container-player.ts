import { linkAbort } from "../../../internal/abort.js";
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
import { ContainerStop, type StoppedContainer } from "./container-stop.js";
import { findProcess } from "./default-process.js";
import { ImagePuller } from "./image-puller.js";
import { Lifecycle } from "./lifecycle.js";
import type { PlayerHost } from "./player-host.js";
import type { ContainerView } from "./pod-plan.js";
import { commandLine, runProcess } from "./process.js";
import { isInit, isSidecar } from "./restart-policy.js";
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
  #phase: Phase = { is: "new" };
  #lifecycle: Lifecycle | undefined;
  #restarting = false;
  /** True while the container ends so that it starts again, whatever its restart policy. */
  #replacing = false;
  /** Stop of the running process; `undefined` until it begins. */
  #stopping: ContainerStop | undefined;

  constructor(host: PlayerHost, container: DeepReadonly<Container>) {
    this.#host = host;
    this.container = container;
    this.runs = new ContainerRuns(host.clock, container);
    this.#puller = this.#newPuller();
  }

  get view(): ContainerView {
    const phase = this.#phase;
    if (phase.is === "running") return { is: "running", started: this.#lifecycle?.started === true };
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
    if (phase.is === "running") return this.stopping || this.#inPostStart;
    return phase.is === "starting" && phase.waiting.message === undefined;
  }

  get #inPostStart(): boolean {
    return this.#phase.is === "running" && this.#lifecycle?.inPostStart === true;
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
    return this.#phase.is === "running" && this.#lifecycle?.started === true;
  }

  get ready(): boolean {
    return this.#phase.is === "running" && this.#lifecycle?.ready === true;
  }

  /** Milliseconds since the start of the running process; `undefined` if the container doesn't run. */
  get runningMs(): number | undefined {
    const phase = this.#phase;
    return phase.is === "running" ? this.#host.clock.now() - phase.startedMs : undefined;
  }

  /** True for a running container that is being stopped. */
  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Signal of the running process; `undefined` if the container doesn't run. */
  get signal(): AbortSignal | undefined {
    return this.#phase.is === "running" ? this.#phase.process.signal : undefined;
  }

  /** Takes over a container that ran before its node failed. With `afresh`, it starts whatever its end. */
  restore(restartCount: number, terminated: ContainerStateTerminated, afresh: boolean): void {
    this.runs.restartCount = restartCount;
    if (afresh) this.runs.last = terminated;
    else this.#phase = { is: "exited", terminated };
  }

  /** Returns the state for a snapshot. */
  save(): SavedContainer {
    return {
      container: this.container,
      phase: { ...this.#phase },
      ready: this.#lifecycle?.ready === true,
      started: this.#lifecycle?.started === true,
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
      const running = { ...phase, process: linkAbort() };
      this.#phase = running;
      this.#lifecycle = new Lifecycle(this.#host, this, phase.startedMs);
      this.#lifecycle.resume(saved);
      this.#play(running);
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
    if (this.#phase.is !== "running") return;
    this.#replacing = true;
    this.#stop(message, graceMs, false);
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
    this.#replacing = false;
    this.#stop(message, graceMs, held);
  }

  /** Lets a container that is being stopped get its signal. */
  release(): void {
    this.#stopping?.release();
  }

  #stop(message: string, graceMs: number, held: boolean): void {
    const phase = this.#phase;
    if (phase.is === "starting") this.#neverStarted();
    if (phase.is === "exited") {
      this.#cancelTimers();
      delete phase.waiting;
    }
    if (phase.is !== "running") return;
    if (this.#stopping !== undefined) {
      this.#stopping.shorten(graceMs, held);
      return;
    }
    this.#host.event(this.container, "Normal", "Killing", message);
    const container: StoppedContainer = {
      now: () => this.#host.clock.now(),
      beforeStop: (limitMs, then) => this.#lifecycle!.beforeStop(limitMs, then),
      signal: () => {
        phase.process.abort(new Error("the container is being stopped"));
        const hasProcess = findProcess(this.#host, this.container) !== undefined;
        if (!hasProcess) this.end({ exitCode: 0 });
        return hasProcess;
      },
      kill: () => this.end({ exitCode: 137 }),
      after: (callback, ms) => this.#after(callback, ms),
    };
    this.#stopping = new ContainerStop(container, graceMs, held);
    this.#stopping.begin();
  }

  /** Ends a running container. */
  end({ exitCode, reason, message, signal }: Ending): void {
    const phase = this.#phase;
    if (phase.is !== "running") return;
    this.#cancelTimers();
    this.#lifecycle?.end();
    phase.process.abort(new Error("the container has ended"));
    const showsLog = exitCode !== 0 && this.container.terminationMessagePolicy === "FallbackToLogsOnError";
    const text = message ?? (showsLog ? this.runs.log.tail() : undefined);
    this.runs.console.end();
    const nowMs = this.#host.clock.now();
    const ending = { exitCode, reason, signal, message: text };
    const terminated = terminatedState(ending, { startedMs: phase.startedMs, nowMs, containerID: this.runs.id });
    this.#phase = { is: "exited", terminated };
    if (this.#replacing) {
      this.#replacing = false;
      this.#startAgain(terminated, this.runs.last);
    }
    this.#host.changed();
  }

  /** Ends everything without a trace, as when the machine fails. */
  discard(): void {
    this.#cancelTimers();
    this.#lifecycle?.end();
    if (this.#phase.is === "running") this.#phase.process.abort(new Error("the node has failed"));
    this.#phase = { is: "new" };
    this.runs.console.end();
  }

  /** Starts probes again whose results may have changed. */
  probesChanged(): void {
    this.#lifecycle?.probesChanged();
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
    const phase: Running = { is: "running", startedMs: this.#host.clock.now(), process: linkAbort() };
    this.#phase = phase;
    this.#host.event(this.container, "Normal", "Created", "Container created");
    this.#host.event(this.container, "Normal", "Started", "Container started");
    this.#lifecycle = new Lifecycle(this.#host, this);
    this.#lifecycle.begin();
    this.#play(phase);
    this.#host.changed();
  }

  #play(phase: Running): void {
    const { clock } = this.#host;
    const run = findProcess(this.#host, this.container);
    if (run === undefined || this.#phase !== phase) return;
    const { container } = this;
    const { env = {}, restartCount, console } = this.runs;
    const args = commandLine(container, env);
    const pod = this.#host.pod();
    const { signal } = phase.process;
    const streams = console.streams();
    void runProcess(run, { clock, pod, container, args, env, restartCount, signal, ...streams }).then((exitCode) => {
      if (this.#phase === phase) this.end({ exitCode });
    });
  }

  #newPuller(): ImagePuller {
    return new ImagePuller(this.#host, this.container, (callback, ms) => this.#after(callback, ms));
  }

  #after(callback: () => void, ms: number): void {
    (this.#timers ??= new TimerSet(this.#host.clock)).after(callback, ms);
  }

  #cancelTimers(): void {
    this.#timers?.cancel();
    this.#stopping = undefined;
    this.#restarting = false;
  }
}
