import { createInformerFactory, type InformerFactory } from "../../cache/informer/informer-factory.js";
import { ClosedError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { linkAbort, whenAborted } from "../../internal/abort.js";
import { type Clock, systemClock, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { createLeaderElector } from "../leader-election/create-leader-elector.js";
import type { LeaderElector, Leadership } from "../leader-election/leader-elector.js";
import type { Controller } from "../reconcile/controller.js";
import { type Log, logToConsole } from "../reconcile/controller-log.js";
import { type StartedSource, waitForSources } from "../reconcile/wait-for-sources.js";
import { reportHealth } from "./health-report.js";
import type { HealthCheck, Manager, ManagerOptions, ManagerStatus, Runnable } from "./manager.js";
import { type RunGroupOptions, runGroup } from "./run-group.js";

/** Time to wait for runnables after the signal to abandon their work. */
const lastWaitMs = 6_000;

/**
 * Creates a manager. It sends no request until it is started. Throws the errors of `createLeaderElector`, and a
 * `TypeError` if two controllers have the same name.
 *
 * @example
 * ```ts
 * import { createController, createManager } from "kubestream/controller";
 * import { Lease } from "kubestream/kinds/coordination/v1";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const sync = createController({ name: "sync", for: client.resource(ConfigMap), reconcile: () => undefined });
 * const manager = createManager({
 *   controllers: [sync],
 *   leaderElection: { leases: client.resource(Lease).namespace("default"), name: "my-operator" },
 * });
 * const stop = new AbortController();
 * process.once("SIGTERM", () => stop.abort());
 * await manager.run({ signal: stop.signal });
 * ```
 */
export function createManager(options: ManagerOptions): Manager {
  const run = new ManagerRun(options);
  const start = (): void => run.start();
  const stop = (): Promise<void> => run.stop();
  return {
    elector: run.elector,
    controllers: options.controllers ?? [],
    get informers() {
      return run.informers;
    },
    done: run.done,
    get status() {
      return run.status;
    },
    start,
    run: ({ signal }) => run.run(signal),
    stop,
    health: (health) =>
      reportHealth(
        { ...(run.elector && { election: () => run.elector!.check() }), ...options.healthChecks },
        options.clock ?? systemClock,
        health,
      ),
    readiness: (health) =>
      reportHealth({ ...run.readyChecks, ...options.readyChecks }, options.clock ?? systemClock, health),
    [Symbol.asyncDispose]: stop,
  };
}

/** Checks that the controllers have different names: metrics and readiness checks are labelled with them. */
function checkNames(controllers: readonly Controller[]): void {
  const names = new Set<string>();
  for (const { name } of controllers) {
    if (names.has(name)) throw new TypeError(`createManager: two controllers are named ${JSON.stringify(name)}`);
    names.add(name);
  }
}

class ManagerRun {
  readonly elector: LeaderElector | undefined;
  readonly done: Promise<void>;
  informers: InformerFactory | undefined;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #drainTimeoutMs: number;
  /** Runnables that need leadership, those that stop last, and the others. */
  readonly #leaderRunnables: readonly Runnable[];
  readonly #lastRunnables: readonly Runnable[];
  readonly #otherRunnables: readonly Runnable[];
  readonly #stopping = new AbortController();
  readonly #stoppingLeader = new AbortController();
  readonly #abandon = new AbortController();
  readonly #active = new Set<Runnable>();
  #warm: StartedSource[] = [];
  #state: "idle" | "syncing" | "standby" | "running" | "stopped" = "idle";
  #failure: { readonly error: unknown } | undefined;
  #finish!: (ended: Promise<void>) => void;

  constructor(options: ManagerOptions) {
    const { controllers = [], runnables = [], drainTimeoutMs = 30_000, clock = systemClock, leaderElection } = options;
    checkNames(controllers);
    const all: readonly Runnable[] = [...controllers, ...runnables];
    this.#options = options;
    this.informers = options.informers;
    this.#clock = clock;
    this.#log = quietly(options.log ?? logToConsole);
    this.#drainTimeoutMs = drainTimeoutMs;
    this.#lastRunnables = all.filter(({ stopsLast }) => stopsLast === true);
    const early = all.filter(({ stopsLast }) => stopsLast !== true);
    this.#leaderRunnables = early.filter(({ needsLeadership }) => needsLeadership !== false);
    this.#otherRunnables = early.filter(({ needsLeadership }) => needsLeadership === false);
    this.done = new Promise<void>((resolve) => (this.#finish = resolve));
    this.elector =
      leaderElection &&
      createLeaderElector({
        log: this.#log,
        clock,
        drainTimeoutMs: drainTimeoutMs + lastWaitMs,
        ...leaderElection,
        onStartedLeading: (leadership) => this.#runLeader(leadership),
      });
  }

  get status(): ManagerStatus {
    if (this.#failure !== undefined) return { type: "failed", error: this.#failure.error };
    if (this.#state === "idle" || this.#state === "stopped") return { type: this.#state };
    return { type: this.#stopping.signal.aborted ? "stopping" : this.#state };
  }

  /** Readiness checks of the manager itself and of its controllers. */
  get readyChecks(): Readonly<Record<string, HealthCheck>> {
    const checks: Record<string, HealthCheck> = {
      manager: () => {
        const { type } = this.status;
        return type === "standby" || type === "running" ? undefined : `the manager is ${type}`;
      },
    };
    const { controllers = [], runnables = [], sourceGraceMs = 60_000 } = this.#options;
    for (const runnable of runnables)
      if (runnable.check !== undefined) checks[runnable.name] = () => runnable.check?.();
    for (const controller of controllers)
      checks[`controller ${controller.name}`] = () =>
        this.#state === "running" && controller.status.type !== "running"
          ? `the controller is ${controller.status.type}`
          : describeOutage(controller, sourceGraceMs);
    return checks;
  }

  start(): void {
    if (this.#state !== "idle") throw new ClosedError("the manager was already started or stopped");
    this.#state = "syncing";
    this.#finish(this.#runOnce());
  }

  async run(signal: AbortSignal): Promise<void> {
    this.start();
    const unfollow = whenAborted(signal, () => this.#beginStop(signal.reason));
    try {
      await this.done;
    } finally {
      unfollow();
    }
  }

  async stop(): Promise<void> {
    this.#beginStop(new ClosedError("the manager was stopped"));
    // `done` rejects with the manager's failure, which is not an error of `stop`.
    await this.done.catch(() => undefined);
  }

  #beginStop(reason: unknown): void {
    if (!this.#stopping.signal.aborted) this.#stopping.abort(reason);
    if (this.#state !== "idle") return;
    this.#state = "stopped";
    this.#finish(Promise.resolve());
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stopping.abort(error);
  }

  async #runOnce(): Promise<void> {
    const { informers: given } = this.#options;
    const informers = (this.informers = given ?? createInformerFactory({ clock: this.#clock }));
    const { signal } = this.#stopping;
    try {
      await this.#limitDrain(this.#liveWithLast(informers));
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) this.#failure ??= { error };
    } finally {
      if (!signal.aborted) this.#stopping.abort(this.#failure?.error);
      await Promise.all(this.#warm.map(({ running }) => running.stop()));
      this.#warm = [];
      if (given === undefined) await informers.close();
      this.#state = "stopped";
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Runs what stops last around everything else. */
  async #liveWithLast(informers: InformerFactory): Promise<void> {
    const last = new AbortController();
    const lastRun = this.#runGroup(this.#lastRunnables, { signal: last.signal, abandon: this.#abandon.signal });
    try {
      await this.#live(informers);
    } finally {
      last.abort(this.#stopping.signal.reason);
      await lastRun;
    }
  }

  /** Lifecycle: fill the caches, run what doesn't need leadership, lead, and stop in the opposite order. */
  async #live(informers: InformerFactory): Promise<void> {
    const { signal } = this.#stopping;
    const stoppingLeader = this.#stoppingLeader;
    if ((this.#options.standby ?? "warm") === "warm" || this.elector === undefined) await this.#warmUp(informers);
    this.#state = "standby";
    const othersRun = this.#runGroup(this.#otherRunnables, { signal, abandon: this.#abandon.signal });
    const leaderRun =
      this.elector === undefined
        ? this.#runLeader({ signal: stoppingLeader.signal, lost: this.#abandon.signal })
        : this.elector.run({ signal: stoppingLeader.signal }).catch((error: unknown) => this.#fail(error));
    await new Promise<void>((resolve) => whenAborted(signal, resolve));
    await othersRun;
    stoppingLeader.abort(signal.reason);
    await leaderRun;
  }

  /** Fills the caches of all controllers before they start. */
  async #warmUp(informers: InformerFactory): Promise<void> {
    const { controllers = [], cacheSyncTimeoutMs: timeoutMs = 120_000 } = this.#options;
    for (const source of controllers.flatMap((controller) => controller.sources)) {
      const informer = source.open?.(informers);
      if (informer === undefined) continue;
      informer.start();
      this.#warm.push({
        source,
        running: { informer, synced: (wait) => informer.synced(wait), stop: () => informer.close() },
      });
    }
    await waitForSources("manager", this.#warm, { timeoutMs, signal: this.#stopping.signal, clock: this.#clock });
  }

  async #runLeader({ signal, lost }: Pick<Leadership, "signal" | "lost">): Promise<void> {
    const abandon = linkAbort(this.#abandon.signal, lost);
    this.#state = "running";
    try {
      await this.#runGroup(this.#leaderRunnables, { signal, abandon: abandon.signal });
    } finally {
      abandon.release();
    }
  }

  /** Runs a group. An error of one member stops the manager. */
  #runGroup(group: readonly Runnable[], signals: Pick<RunGroupOptions, "signal" | "abandon">): Promise<void> {
    return runGroup(group, {
      ...signals,
      informers: this.informers!,
      active: this.#active,
      onFailed: (runnable, error) => {
        this.#log({ level: "error", message: `${runnable.name} failed`, error });
        this.#fail(error);
      },
    });
  }

  /** Limits the time from the stop to the end. */
  async #limitDrain(living: Promise<void>): Promise<void> {
    const clock = this.#clock;
    const { signal } = this.#stopping;
    let expire!: () => void;
    const late = new Promise<"late">((resolve) => (expire = () => resolve("late")));
    let timer: Timer | undefined;
    const unfollow = whenAborted(signal, () => {
      timer = clock.setTimer(() => {
        this.#abandon.abort(signal.reason);
        timer = clock.setTimer(expire, lastWaitMs);
      }, this.#drainTimeoutMs);
    });
    try {
      if ((await Promise.race([living, late])) === "late")
        throw new KubestreamError(
          `manager: ${Array.from(this.#active, ({ name }) => name).join(", ")} did not stop in time`,
        );
    } finally {
      timer?.cancel();
      unfollow();
    }
  }
}

/** Describes the first source of a controller that has failed for longer than `graceMs`. */
function describeOutage(controller: Controller, graceMs: number): string | undefined {
  for (const { description, status } of controller.sources) {
    const { outage } = status;
    if (outage === undefined || outage.durationMs < graceMs) continue;
    const why = outage.error instanceof Error ? outage.error.message : String(outage.error);
    return `${description} cannot be watched since ${Math.round(outage.durationMs / 1_000)} s: ${why}`;
  }
  return undefined;
}
