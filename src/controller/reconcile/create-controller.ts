import { createInformerFactory, type InformerFactory } from "../../cache/informer/informer-factory.js";
import { sliceBudgetMs } from "../../cache/reflector/reflector.js";
import type { StoreReader } from "../../cache/store/store.js";
import { ClosedError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { onAbort, whenAborted } from "../../internal/abort.js";
import { type Clock, systemClock, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { createYielder } from "../../internal/yielder.js";
import type { Scope } from "../../meta/kind.js";
import { exponentialRateLimiter } from "../queue/rate-limiters.js";
import { type AddOptions, createWorkQueue, type WorkQueue } from "../queue/work-queue.js";
import type { Controller, ControllerMetrics, ControllerOptions, ControllerStatus, RunOptions } from "./controller.js";
import { LeadershipLostError } from "./controller-errors.js";
import { type Log, logToConsole } from "./controller-log.js";
import { enqueueForObject, enqueueForOwner } from "./enqueue.js";
import { createExpectations } from "./expectations.js";
import { type ReconcileRequest, requestKey } from "./reconcile-request.js";
import { createReconciler, type Reconciler } from "./reconciler.js";
import { getKind, kindSource, type Source, type Watchable } from "./source.js";
import { type ControllerSource, monitorSource } from "./source-monitor.js";
import { type StartedSource, waitForSources } from "./wait-for-sources.js";

/** Time to wait for calls after their signals have aborted. */
const lastWaitMs = 5_000;

/**
 * Creates a controller. It sends no request until it is started. Throws a `TypeError` if `owns` is set and the kind of
 * the owner is unknown, and a `RangeError` for invalid numbers.
 *
 * @example
 * ```ts
 * import { createController } from "kubestream/controller";
 * import { ConfigMap, Secret } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { withController } from "kubestream/objects";
 *
 * const client = await connect();
 * const controller = createController({
 *   name: "copy",
 *   for: client.resource(ConfigMap),
 *   owns: [client.resource(Secret)],
 *   async reconcile({ namespace, name }, { object, signal, recordWrite }) {
 *     if (object === undefined) return;
 *     const secret = withController(
 *       { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { ...object.data } } as const,
 *       object,
 *     );
 *     const secrets = client.resource(Secret).namespace(namespace);
 *     recordWrite(await secrets.apply(secret, { fieldManager: "copy", force: true, signal }));
 *   },
 * });
 * await controller.run({ signal: AbortSignal.timeout(60_000) });
 * ```
 */
export function createController<T, S extends Scope = Scope>(options: ControllerOptions<T, S>): Controller {
  const { name, concurrency = 1 } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new RangeError(`controller ${name}: concurrency must be a positive integer, not ${concurrency}`);
  const run = new ControllerRun(options, concurrency);
  return {
    name,
    sources: run.sources,
    done: run.done,
    needsLeadership: options.needsLeadership ?? true,
    get status() {
      return run.status;
    },
    get metrics() {
      return run.metrics;
    },
    start: ({ informers } = {}) => run.start(informers),
    run: (runOptions) => run.run(runOptions),
    stop: ({ drainTimeoutMs } = {}) => run.stop(drainTimeoutMs),
    pause: () => run.queue.pause(),
    resume: () => run.queue.resume(),
    enqueue: (request, add) => run.enqueue(request, add),
    onReconcile: run.reconciler.onReconcile,
    [Symbol.asyncDispose]: () => run.stop(undefined),
  };
}

class ControllerRun<T> {
  readonly sources: readonly ControllerSource[];
  readonly done: Promise<void>;
  readonly queue: WorkQueue<ReconcileRequest>;
  readonly reconciler: Reconciler;
  readonly #options: ControllerOptions<T>;
  readonly #name: string;
  readonly #concurrency: number;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Aborts when no new call may begin. */
  readonly #stopping = new AbortController();
  /** Aborts when running calls must be abandoned. */
  readonly #abandon = new AbortController();
  readonly #started: StartedSource[] = [];
  #state: "idle" | "syncing" | "running" | "stopped" = "idle";
  #waitingFor: readonly string[] = [];
  #failure: { readonly error: unknown } | undefined;
  #handlerErrors = 0;
  #sourceFailures = 0;
  #drainTimeoutMs: number;
  #finish!: (ended: Promise<void>) => void;

  constructor(options: ControllerOptions<T>, concurrency: number) {
    const { name, clock = systemClock, drainTimeoutMs = 30_000 } = options;
    this.#options = options;
    this.#name = name;
    this.#concurrency = concurrency;
    this.#clock = clock;
    this.#log = quietly(options.log ?? logToConsole);
    this.#drainTimeoutMs = drainTimeoutMs;
    this.done = new Promise<void>((resolve) => (this.#finish = resolve));
    this.sources = sourcesOf(options).map((source) =>
      monitorSource(source, {
        clock,
        log: (entry) => this.#log({ ...entry, controller: name }),
        onFailure: () => this.#sourceFailures++,
        onClosed: (error) => this.#fail(error),
      }),
    );
    this.queue = createWorkQueue<ReconcileRequest>({
      keyOf: requestKey,
      rateLimiter: options.rateLimiter ?? exponentialRateLimiter<string>(),
      clock,
    });
    this.reconciler = this.#createReconciler();
  }

  get status(): ControllerStatus {
    if (this.#failure !== undefined) return { type: "failed", error: this.#failure.error };
    const state = this.#state;
    if (state === "idle" || state === "stopped") return { type: state };
    const { active } = this.reconciler;
    if (this.#stopping.signal.aborted) return { type: "stopping", active };
    return state === "syncing" ? { type: "syncing", waitingFor: this.#waitingFor } : { type: "running", active };
  }

  get metrics(): ControllerMetrics {
    return {
      ...this.reconciler.metrics,
      active: this.reconciler.active.length,
      concurrency: this.#concurrency,
      handlerErrors: this.#handlerErrors,
      sourceFailures: this.#sourceFailures,
      queue: this.queue.metrics,
    };
  }

  enqueue(request: ReconcileRequest, options?: AddOptions): void {
    const kind = this.#options.kind ?? getKind(this.#options.for);
    if (request.namespace === undefined && kind?.scope === "Namespaced")
      throw new TypeError(
        `controller ${this.#name}: the request for ${JSON.stringify(request.name)} needs a namespace, because ${kind.kind} is a namespaced kind`,
      );
    this.queue.add(request, options);
  }

  start(informers: InformerFactory | undefined): void {
    if (this.#state !== "idle") throw new ClosedError(`controller ${this.#name} was already started or stopped`);
    this.#state = "syncing";
    this.#finish(this.#runOnce(informers));
  }

  async run({ signal, abandon, informers }: RunOptions): Promise<void> {
    this.start(informers);
    const unfollow = [
      whenAborted(signal, () =>
        this.#beginStop(signal.reason, signal.reason instanceof LeadershipLostError ? 0 : undefined),
      ),
      abandon && whenAborted(abandon, () => this.#beginStop(abandon.reason, 0)),
    ];
    try {
      await this.done;
    } finally {
      for (const stop of unfollow) stop?.();
    }
  }

  async stop(drainTimeoutMs: number | undefined): Promise<void> {
    this.#beginStop(new ClosedError(`controller ${this.#name} was stopped`), drainTimeoutMs);
    // `done` rejects with the controller's failure, which is not an error of `stop`.
    await this.done.catch(() => undefined);
  }

  #createReconciler(): Reconciler {
    const { reconcile, reconcileTimeoutMs, consistencyTimeoutMs = 30_000, kind } = this.#options;
    const expectations = createExpectations(
      () =>
        this.#started.flatMap(({ source, running }) =>
          source.kind && running.informer ? [{ kind: source.kind, informer: running.informer }] : [],
        ),
      consistencyTimeoutMs,
    );
    return createReconciler<T>({
      name: this.#name,
      reconcile,
      queue: this.queue,
      expectations,
      kind: kind ?? getKind(this.#options.for),
      clock: this.#clock,
      log: this.#log,
      ...(reconcileTimeoutMs !== undefined && { reconcileTimeoutMs }),
      store: () => this.#started[0]!.running.informer!.store as StoreReader<T>,
      stopping: this.#stopping.signal,
      abandon: this.#abandon.signal,
    });
  }

  #beginStop(reason: unknown, drainTimeoutMs: number | undefined): void {
    if (drainTimeoutMs !== undefined) this.#drainTimeoutMs = drainTimeoutMs;
    if (!this.#stopping.signal.aborted) this.#stopping.abort(reason);
    if (this.#drainTimeoutMs <= 0) this.#abandon.abort(reason);
    this.queue.shutDown();
    if (this.#state !== "idle") return;
    this.#state = "stopped";
    this.#finish(Promise.resolve());
  }

  /** Ends a running controller with an error. */
  #fail(error: unknown): void {
    if (this.#state !== "running" || this.#stopping.signal.aborted) return;
    this.#failure ??= { error };
    this.#beginStop(error, undefined);
  }

  async #runOnce(given: InformerFactory | undefined): Promise<void> {
    const informers = given ?? createInformerFactory({ clock: this.#clock });
    try {
      await this.#live(informers);
      // Set by a source that ended while the controller was running.
      if (this.#failure !== undefined) throw this.#failure.error;
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      if (!this.#stopping.signal.aborted) this.#stopping.abort(this.#failure?.error);
      this.queue.shutDown();
      await Promise.all(this.#started.map(({ running }) => running.stop()));
      if (given === undefined) await informers.close();
      this.#state = "stopped";
      this.#log({ level: "info", message: "stopped", controller: this.#name });
    }
  }

  /** Lifecycle: start the sources, wait for their caches, work until the stop, drain. */
  async #live(informers: InformerFactory): Promise<void> {
    const { signal } = this.#stopping;
    this.#startSources(informers);
    try {
      await waitForSources(
        `controller ${this.#name}`,
        this.#started,
        { timeoutMs: this.#options.cacheSyncTimeoutMs ?? 120_000, signal, clock: this.#clock },
        (missing) => (this.#waitingFor = missing),
      );
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#state = "running";
    const concurrency = this.#concurrency;
    this.#log({ level: "info", message: `started with concurrency ${concurrency}`, controller: this.#name });
    const workers = Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    await Promise.race([workers, new Promise<void>((resolve) => whenAborted(signal, resolve))]);
    await this.#drain(workers);
  }

  #startSources(informers: InformerFactory): void {
    for (const source of this.sources) {
      const onError = (error: unknown): void => {
        this.#handlerErrors++;
        const message = `a handler or predicate of ${source.description} threw`;
        this.#log({ level: "error", message, controller: this.#name, error });
      };
      const enqueue = (request: ReconcileRequest, add?: AddOptions): void => {
        try {
          this.enqueue(request, add);
        } catch (error) {
          onError(error);
        }
      };
      this.#started.push({ source, running: source.start({ informers, enqueue, onError }) });
    }
    this.#waitingFor = this.sources.map(({ description }) => description);
  }

  async #work(): Promise<void> {
    const { queue, reconciler } = this;
    const { signal } = this.#stopping;
    const yielder = createYielder(this.#clock, sliceBudgetMs);
    try {
      // Requests that are still queued after a stop are found again by the next controller's initial list.
      for (let next = await queue.get(); next !== undefined && !signal.aborted; next = await queue.get()) {
        await reconciler.run(next);
        const rest = yielder.pause();
        if (rest !== undefined) await rest;
      }
    } finally {
      yielder.close();
    }
  }

  /** Waits for the workers to end. Throws an error that names the calls that don't end in time. */
  async #drain(workers: Promise<unknown>): Promise<void> {
    const clock = this.#clock;
    const abandon = this.#abandon;
    let timer: Timer;
    let unfollow: (() => void) | undefined;
    const late = new Promise<"late">((resolve) => {
      const giveUp = (): void => abandon.abort(this.#stopping.signal.reason);
      timer = clock.setTimer(giveUp, this.#drainTimeoutMs);
      const abandoned = (): void => {
        timer.cancel();
        timer = clock.setTimer(() => resolve("late"), lastWaitMs);
      };
      if (this.#drainTimeoutMs <= 0) giveUp();
      if (abandon.signal.aborted) abandoned();
      else unfollow = onAbort(abandon.signal, abandoned);
    });
    const outcome = await Promise.race([workers, late]);
    timer!.cancel();
    unfollow?.();
    if (outcome === "late")
      throw new KubestreamError(
        `controller ${this.#name}: ${this.reconciler.active.map(requestKey).join(", ")} did not stop in time`,
      );
  }
}

function sourcesOf<T>(options: ControllerOptions<T>): Source[] {
  const { name, owns = [], watches = [], predicates } = options;
  const kind = options.kind ?? getKind(options.for);
  const own = kindSource(options.for, enqueueForObject(), {
    ...(predicates && { predicates }),
    ...(options.informer && { informer: options.informer }),
  });
  const owned = owns.map((watchable: Watchable<unknown>) => {
    if (kind === undefined)
      throw new TypeError(
        `controller ${name}: options.kind is required for options.owns when options.for is an informer`,
      );
    return kindSource(watchable, enqueueForOwner(kind));
  });
  return [kind === undefined ? own : { ...own, kind }, ...owned, ...watches];
}
