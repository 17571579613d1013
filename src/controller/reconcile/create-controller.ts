import { createInformerFactory, type InformerFactory } from "../../cache/informer/informer-factory.js";
import { sliceBudgetMs } from "../../cache/reflector/reflector.js";
import type { StoreReader } from "../../cache/store/store.js";
import { ClosedError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { whenAborted } from "../../internal/abort.js";
import { type Clock, systemClock } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { createYielder } from "../../internal/yielder.js";
import type { Scope } from "../../meta/kind.js";
import { exponentialRateLimiter } from "../queue/rate-limiters.js";
import { createWorkQueue, type WorkQueue } from "../queue/work-queue.js";
import type {
  Controller,
  ControllerMetrics,
  ControllerOptions,
  ControllerStatus,
  RunOptions,
  SourceRegistration,
} from "./controller.js";
import { LeadershipLostError } from "./controller-errors.js";
import { type Log, logToConsole } from "./controller-log.js";
import { ControllerSources } from "./controller-sources.js";
import { drainWorkers } from "./drain-workers.js";
import { createExpectations } from "./expectations.js";
import { getKind } from "./kind-source.js";
import { type EnqueueOptions, type ReconcileRequest, requestKey } from "./reconcile-request.js";
import { type EnqueueCause, ReconcileTracing } from "./reconcile-tracing.js";
import { createReconciler, type Reconciler } from "./reconciler.js";
import type { Source } from "./source.js";
import { sourcesOf } from "./sources-of.js";

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
    get sources() {
      return run.sources.all;
    },
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
    addSource: (source) => run.addSource(source),
    pause: () => run.queue.pause(),
    resume: () => run.queue.resume(),
    enqueue: (request, add) => run.enqueue(request, add),
    onReconcile: run.reconciler.onReconcile,
    [Symbol.asyncDispose]: () => run.stop(undefined),
  };
}

class ControllerRun<T> {
  readonly sources: ControllerSources;
  readonly done: Promise<void>;
  readonly queue: WorkQueue<ReconcileRequest>;
  readonly reconciler: Reconciler;
  readonly #options: ControllerOptions<T>;
  readonly #name: string;
  readonly #concurrency: number;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tracing: ReconcileTracing | undefined;
  /** Aborts when no new call may begin. */
  readonly #stopping = new AbortController();
  /** Aborts when running calls must be abandoned. */
  readonly #abandon = new AbortController();
  #state: "idle" | "syncing" | "running" | "stopped" = "idle";
  #failure: { readonly error: unknown } | undefined;
  #drainTimeoutMs: number;
  #finish!: (ended: Promise<void>) => void;

  constructor(options: ControllerOptions<T>, concurrency: number) {
    const { name, clock = systemClock, drainTimeoutMs = 30_000 } = options;
    this.#options = options;
    this.#name = name;
    this.#concurrency = concurrency;
    this.#clock = clock;
    this.#log = quietly(options.log ?? logToConsole);
    this.#tracing = options.tracer && new ReconcileTracing(options.tracer, name);
    this.#drainTimeoutMs = drainTimeoutMs;
    this.done = new Promise<void>((resolve) => (this.#finish = resolve));
    this.sources = new ControllerSources(sourcesOf(options), {
      name,
      clock,
      log: this.#log,
      enqueue: (request, add, cause) => this.#enqueue(request, add, cause),
      onClosed: (error) => this.#fail(error),
    });
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
    return state === "syncing" ? { type: "syncing", waitingFor: this.sources.missing } : { type: "running", active };
  }

  get metrics(): ControllerMetrics {
    return {
      ...this.reconciler.metrics,
      active: this.reconciler.active.length,
      concurrency: this.#concurrency,
      handlerErrors: this.sources.handlerErrors,
      sourceFailures: this.sources.failures,
      queue: this.queue.metrics,
    };
  }

  enqueue(request: ReconcileRequest, options?: EnqueueOptions): void {
    this.#enqueue(request, options, "caller");
  }

  #enqueue(request: ReconcileRequest, { delayMs = 0, ...add }: EnqueueOptions = {}, cause?: EnqueueCause): void {
    const kind = this.#options.kind ?? getKind(this.#options.for);
    if (request.namespace === undefined && kind?.scope === "Namespaced")
      throw new TypeError(
        `controller ${this.#name}: the request for ${JSON.stringify(request.name)} needs a namespace, because ${kind.kind} is a namespaced kind`,
      );
    if (cause !== undefined) this.#tracing?.enqueued(request, cause);
    if (delayMs === 0) this.queue.add(request, add);
    else this.queue.addAfter(request, delayMs, add);
  }

  addSource(source: Source): SourceRegistration {
    if (this.#stopping.signal.aborted) throw new ClosedError(`controller ${this.#name} was stopped`);
    return this.sources.add(source);
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
    const expectations = createExpectations(() => this.sources.informers, consistencyTimeoutMs);
    return createReconciler<T>({
      name: this.#name,
      reconcile,
      queue: this.queue,
      expectations,
      kind: kind ?? getKind(this.#options.for),
      clock: this.#clock,
      log: this.#log,
      tracing: this.#tracing,
      ...(reconcileTimeoutMs !== undefined && { reconcileTimeoutMs }),
      store: () => this.sources.ownStore as StoreReader<T>,
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
      try {
        await this.sources.stop();
      } finally {
        if (given === undefined) await informers.close();
        this.#state = "stopped";
        this.#log({ level: "info", message: "stopped", controller: this.#name });
      }
    }
  }

  /** Lifecycle: start the sources, wait for their caches, work until the stop, drain. */
  async #live(informers: InformerFactory): Promise<void> {
    const { signal } = this.#stopping;
    this.sources.start(informers);
    try {
      await this.sources.synced(this.#options.cacheSyncTimeoutMs ?? 120_000, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#state = "running";
    const concurrency = this.#concurrency;
    this.#log({ level: "info", message: `started with concurrency ${concurrency}`, controller: this.#name });
    const workers = Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    await Promise.race([workers, new Promise<void>((resolve) => whenAborted(signal, resolve))]);
    const parts = { clock: this.#clock, drainTimeoutMs: this.#drainTimeoutMs, abandon: this.#abandon };
    if (await drainWorkers(workers, { ...parts, reason: signal.reason })) return;
    const late = this.reconciler.active.map(requestKey).join(", ");
    throw new KubestreamError(`controller ${this.#name}: ${late} did not stop in time`);
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
}
