import { sleep } from "../../../internal/clock.js";
import type { Container, LifecycleHandler, Probe } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ContainerRuns } from "./container-runs.js";
import { graceMsOf } from "./grace-period.js";
import type { ContainerOutput, ImageScript, ProbeAttempt } from "./images.js";
import type { PlayerHost } from "./player-host.js";
import { createProber, type ProbeResult, type Prober } from "./prober.js";
import { noInput, runProcess } from "./process.js";
import { isInit, restartPolicyOf } from "./restart-policy.js";

type ProbeType = ProbeAttempt["type"];

/** The part of a container that its lifecycle depends on. */
export interface LifecycleSubject {
  readonly container: DeepReadonly<Container>;
  readonly runs: Pick<ContainerRuns, "restartCount" | "env">;
  readonly signal: AbortSignal | undefined;
  stop(message: string, graceMs: number): void;
  replace(message: string, graceMs: number): void;
}

const probeNames = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;

/** Probes and hooks of one run of a container. */
export class Lifecycle {
  readonly #host: PlayerHost;
  readonly #subject: LifecycleSubject;
  readonly #script: ImageScript;
  readonly #specs: Readonly<Record<ProbeType, DeepReadonly<Probe> | undefined>>;
  readonly #startedMs: number;
  #probers: Map<ProbeType, Prober> | undefined;
  #isReady: boolean;
  #inPostStart = false;
  #stopping = false;
  #ended = false;
  #resumed = false;
  /** True if the container counts as started. */
  started = false;

  constructor(host: PlayerHost, subject: LifecycleSubject, startedMs: number = host.clock.now()) {
    const { startupProbe, readinessProbe, livenessProbe, image = "" } = subject.container;
    this.#host = host;
    this.#subject = subject;
    this.#script = host.script(image);
    this.#specs = { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe };
    this.#startedMs = startedMs;
    this.#isReady = readinessProbe === undefined;
  }

  /** True if the container counts as ready. */
  get ready(): boolean {
    return this.started && this.#isReady;
  }

  /** True while the hook `postStart` runs, until the container is stopped. */
  get inPostStart(): boolean {
    return this.#inPostStart && !this.#stopping;
  }

  /** Runs the hook `postStart` and begins with the probes. */
  begin(): void {
    const hook = this.#subject.container.lifecycle?.postStart;
    if (hook === undefined) {
      this.#afterHook();
      return;
    }
    this.#inPostStart = true;
    void this.#runHook(hook).then((success) => {
      this.#inPostStart = false;
      if (this.#ended || this.#stopping) return;
      if (success) {
        this.#afterHook();
        this.#host.changed();
        return;
      }
      this.#host.event(this.#subject.container, "Warning", "FailedPostStartHook", "PostStartHook failed");
      this.#subject.stop("FailedPostStartHook", graceMsOf(this.#host.pod()));
    });
  }

  /** Resumes after a snapshot: without the hook, and with probes that begin after their period. */
  resume({ started, ready }: { readonly started: boolean; readonly ready: boolean }): void {
    this.#resumed = true;
    this.#isReady = ready;
    if (started) this.#onStarted();
    else this.#afterHook();
  }

  /** Runs the hook `preStop` for at most the grace period, and then calls back. */
  beforeStop(limitMs: number, then: () => void): void {
    const hook = this.#subject.container.lifecycle?.preStop;
    this.#stopping = true;
    // A container that is being stopped needn't be alive, nor start.
    for (const type of ["liveness", "startup"] as const) this.#probers?.get(type)?.stop();
    if (hook === undefined || limitMs <= 0) {
      then();
      return;
    }
    let done = false;
    const end = (): void => {
      if (!done && !this.#ended) then();
      done = true;
    };
    const limit = this.#host.clock.setTimer(end, limitMs);
    void this.#runHook(hook).then((success) => {
      limit.cancel();
      if (!success && !this.#ended)
        this.#host.event(this.#subject.container, "Warning", "FailedPreStopHook", "PreStopHook failed");
      end();
    });
  }

  /** Checks again after results were set from outside. */
  probesChanged(): void {
    for (const prober of this.#probers?.values() ?? []) prober.poke();
  }

  /** Ends the probes. */
  end(): void {
    this.#ended = true;
    for (const prober of this.#probers?.values() ?? []) prober.stop();
  }

  #afterHook(): void {
    if (this.#specs.startup === undefined) this.#onStarted();
    else this.#probe("startup", (success) => (success ? this.#onStarted() : this.#kill("startup")));
  }

  #onStarted(): void {
    this.started = true;
    this.#probe("readiness", (success) => {
      this.#isReady = success;
      this.#host.changed();
    });
    this.#probe("liveness", (success) => {
      if (!success) this.#kill("liveness");
    });
    this.#host.changed();
  }

  /** Ends a container whose probe has failed. Unless it never restarts, it does so whatever its exit code. */
  #kill(type: "startup" | "liveness"): void {
    const { container } = this.#subject;
    const pod = this.#host.pod();
    const seconds = this.#specs[type]?.terminationGracePeriodSeconds;
    const graceMs = seconds === undefined ? graceMsOf(pod) : seconds * 1_000;
    const failure = `${container.name} failed ${type} probe`;
    if (isInit(pod, container)) this.#subject.replace(`Init container ${failure}`, graceMs);
    else if (restartPolicyOf(container, pod.spec!) === "Never") this.#subject.stop(`Container ${failure}`, graceMs);
    else this.#subject.replace(`Container ${failure}, will be restarted`, graceMs);
  }

  #probe(type: ProbeType, onResult: (success: boolean) => void): void {
    const spec = this.#specs[type];
    if (spec === undefined || this.#ended) return;
    const sinceStartMs = this.#host.clock.now() - this.#startedMs;
    const usesScript = this.#script.probe !== undefined || (spec.exec !== undefined && this.#script.exec !== undefined);
    let finished = false;
    const prober = createProber({
      probe: spec,
      clock: this.#host.clock,
      attempt: () => this.#attempt(type),
      delayMs: this.#resumed
        ? (spec.periodSeconds ?? 10) * 1_000
        : Math.max(0, (spec.initialDelaySeconds ?? 0) * 1_000 - sinceStartMs),
      isSteady: () => !usesScript,
      onFailure: (reason) => {
        const note = `${probeNames[type]} probe failed: ${reason}`;
        this.#host.event(this.#subject.container, "Warning", "Unhealthy", note);
      },
      onResult: (success) => {
        // The container ends, or has started for good.
        finished = type === "startup" || (type === "liveness" && !success);
        if (finished) this.#probers?.get(type)?.stop();
        onResult(success);
      },
    });
    if (finished || this.#ended) prober.stop();
    else (this.#probers ??= new Map()).set(type, prober);
  }

  #attempt(type: ProbeType): ProbeResult | Promise<ProbeResult> {
    const override = this.#host.probes.get(type);
    if (override !== undefined) return override;
    const { probe, exec } = this.#script;
    const command = this.#specs[type]?.exec?.command;
    if (probe === undefined) return command === undefined || exec === undefined ? true : this.#run(command);
    const read = (result: boolean | string): ProbeResult => (result === false ? "the probe failed" : result);
    const { clock } = this.#host;
    try {
      const { container } = this.#subject;
      const result = probe({ type, pod: this.#host.pod(), container, runningMs: clock.now() - this.#startedMs });
      return typeof result === "object" ? result.then(read) : read(result);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Runs a command in the container. */
  async #run(command: readonly string[]): Promise<ProbeResult> {
    const { clock } = this.#host;
    const { container, runs, signal } = this.#subject;
    const { restartCount, env = {} } = runs;
    let output = "";
    const decoder = new TextDecoder();
    const collect: ContainerOutput = {
      write: (data) => void (output += typeof data === "string" ? data : decoder.decode(data, { stream: true })),
      ready: Promise.resolve(),
    };
    const streams = { stdout: collect, stderr: collect, ...noInput() };
    const options = { clock, pod: this.#host.pod(), container, args: command, env, restartCount, signal: signal! };
    const code = await runProcess(this.#script.exec!, { ...options, ...streams });
    return code === 0 || output.trim() || `command exited with ${code}`;
  }

  /** Runs a hook until it or its container ends. Resolves with false if it fails. */
  async #runHook({ sleep: pause, exec }: DeepReadonly<LifecycleHandler>): Promise<boolean> {
    if (pause !== undefined)
      await sleep(pause.seconds * 1_000, this.#host.clock, this.#subject.signal).catch(() => undefined);
    if (exec === undefined || this.#script.exec === undefined) return true;
    return (await this.#run(exec.command ?? [])) === true;
  }
}
