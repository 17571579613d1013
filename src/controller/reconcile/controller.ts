import type { WaitOptions } from "../../cache/informer/informer.js";
import type { InformerFactory, SharedInformerOptions } from "../../cache/informer/informer-factory.js";
import type { StoreReader } from "../../cache/store/store.js";
import type { Clock } from "../../internal/clock.js";
import type { Tracer } from "../../internal/telemetry/tracing.js";
import type { Kind, Scope } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { DurationStats } from "../queue/duration-stats.js";
import type { WorkQueueMetrics } from "../queue/queued-items.js";
import type { RateLimiter } from "../queue/rate-limiters.js";
import type { Log } from "./controller-log.js";
import type { KindSourceOptions } from "./kind-source.js";
import type { Predicate } from "./predicates.js";
import type { EnqueueOptions, ReconcileRequest, RequestOf } from "./reconcile-request.js";
import type { Source, Watchable } from "./source.js";
import type { ControllerSource } from "./source-monitor.js";

/**
 * Result of a reconcile. Return nothing to be called again on the next change only.
 *
 * @example
 * ```ts
 * import type { ReconcileResult } from "kubestream/controller";
 *
 * export function checkBackup(finishedAt: number): ReconcileResult | undefined {
 *   const dueInMs = finishedAt + 3_600_000 - Date.now();
 *   return dueInMs > 0 ? { requeueAfterMs: dueInMs } : undefined;
 * }
 * ```
 */
export interface ReconcileResult {
  /** Delay in milliseconds after which the reconcile is called again. Default: only on the next change. */
  readonly requeueAfterMs?: number | undefined;
  /** Priority of that call. Default: the priority of the current call. */
  readonly priority?: number | undefined;
}

/** Context of a reconcile. */
export interface ReconcileContext<T> {
  /**
   * The object from the cache, with `apiVersion` and `kind` if the kind is known; `undefined` if it was deleted. It is
   * shared, so don't modify it.
   */
  readonly object: DeepReadonly<T> | undefined;
  /** Cache of the controller's own kind. */
  readonly store: StoreReader<T>;
  /**
   * Aborts when the controller abandons this call: leadership was lost, or the time for draining or for this call is
   * over. Pass it to every request.
   */
  readonly signal: AbortSignal;
  /** Id of this call, for logs. */
  readonly reconcileId: string;
  /** Number of consecutive failures of this request before this call. */
  readonly failures: number;
  /** Value for a `traceparent` header that makes other programs' spans children of this call's; absent without a tracer. */
  readonly traceparent?: string | undefined;
  /** Writes to the controller's log, with the request and the id of this call. */
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Records objects that this call wrote, as the server returned them. The next call for this request waits until the
   * caches of their kinds show them. Throws a `TypeError` for an object without apiVersion, kind or resourceVersion.
   */
  recordWrite(...objects: readonly object[]): void;
}

/**
 * Drives the cluster towards the state that an object declares. Never called concurrently for the same request. The
 * request has a namespace if `S`, the scope of the kind, is `Namespaced`.
 */
export type Reconcile<T, S extends Scope = Scope> = (
  request: RequestOf<S>,
  context: ReconcileContext<T>,
) => Promise<ReconcileResult | void> | ReconcileResult | void;

/** Options for `createController`. */
export interface ControllerOptions<T, S extends Scope = Scope> {
  /** Name in logs, metrics and errors. Must be unique among the controllers of a manager. */
  readonly name: string;
  /** Objects to reconcile: a resource handle, or an informer. */
  readonly for: Watchable<T, S>;
  /** Kind of those objects. Required for `owns` if `for` is an informer. Default: the kind of the handle. */
  readonly kind?: Kind<unknown, S> | undefined;
  /**
   * Kinds that this controller creates. A change to one of their objects enqueues its controller owner. Short for
   * `kindSource` with `enqueueForOwner`.
   */
  readonly owns?: readonly Watchable<unknown>[] | undefined;
  /** Additional sources of requests, for example from `kindSource`. */
  readonly watches?: readonly Source[] | undefined;
  /** Filters for changes to the objects of `for`. A change must pass all of them. Default: every change passes. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /** Selectors, indexes and other options for the informer of a handle in `for`. */
  readonly informer?: SharedInformerOptions<T> | undefined;
  /**
   * Makes the custom kind of `for` optional, like the option of `kindSource`: the controller starts without it and
   * reconciles its objects while it is served. When the kind goes, each cached object is reconciled once more as deleted.
   */
  readonly optional?: KindSourceOptions<T>["optional"] | undefined;
  /** The reconcile function. */
  readonly reconcile: Reconcile<T, S>;
  /** Number of reconciles that may run at the same time, each for a different request. Default 1. */
  readonly concurrency?: number | undefined;
  /**
   * Rate limiter for retries after failures, keyed by `namespace/name`. Default: exponential per request, from 5 ms to
   * 1,000 s.
   */
  readonly rateLimiter?: RateLimiter<string> | undefined;
  /**
   * Time limit in milliseconds for one call, after which its signal aborts. The wait described at
   * `consistencyTimeoutMs` doesn't count. Default: no limit.
   */
  readonly reconcileTimeoutMs?: number | undefined;
  /** Time limit in milliseconds for filling the caches, after which the controller fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /**
   * Time in milliseconds that a call waits for the cache to show earlier writes; see `recordWrite`. After that the call
   * fails once and the writes are no longer waited for. Default 30,000.
   */
  readonly consistencyTimeoutMs?: number | undefined;
  /**
   * Time in milliseconds that running calls may take to end after a stop, before their signals abort. Default 30,000.
   */
  readonly drainTimeoutMs?: number | undefined;
  /** True to run only while the manager leads. Default `true`. */
  readonly needsLeadership?: boolean | undefined;
  /** Receives log entries. Default: `logToConsole`, which writes warnings and errors. */
  readonly log?: Log | undefined;
  /**
   * Starts a span for each reconcile, such as a tracer of OpenTelemetry. The span is linked to the changes that enqueued
   * the request and is the parent of spans that the call starts, such as those of its requests with `traceRequests`. Default: no
   * traces.
   */
  readonly tracer?: Tracer | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Outcome of one reconcile. */
export interface ReconcileOutcome {
  /** Request that was reconciled. */
  readonly request: ReconcileRequest;
  /** Id of the call. */
  readonly reconcileId: string;
  /**
   * Result of the call:
   *
   * - `success` and `requeueAfter`: earlier failures are forgotten.
   * - `error` and `timeout`: the request is retried with backoff.
   * - `terminal`: a `TerminalError` was thrown; no retry.
   * - `aborted`: the call was abandoned because the controller is stopping.
   */
  readonly result: "success" | "requeueAfter" | "error" | "timeout" | "terminal" | "aborted";
  /** Error that was thrown. */
  readonly error?: unknown;
  /** Delay in milliseconds after which the request comes again; absent if it doesn't. */
  readonly requeueAfterMs?: number | undefined;
  /** Priority of the request. */
  readonly priority: number;
  /** Duration of the call in milliseconds. */
  readonly durationMs: number;
}

/** Status of a controller. */
export type ControllerStatus =
  /** Not started. */
  | { readonly type: "idle" }
  /** Waiting for caches to be filled. */
  | { readonly type: "syncing"; readonly waitingFor: readonly string[] }
  /** Reconciling. */
  | { readonly type: "running"; readonly active: readonly ReconcileRequest[] }
  /** Stopping: waiting for running calls to end. */
  | { readonly type: "stopping"; readonly active: readonly ReconcileRequest[] }
  /** Stopped. */
  | { readonly type: "stopped" }
  /** Failed. */
  | { readonly type: "failed"; readonly error: unknown };

/** Counters and gauges of a controller, as plain numbers. */
export interface ControllerMetrics {
  /** Reconciles by result. */
  readonly reconciles: Readonly<Record<ReconcileOutcome["result"], number>>;
  /** Errors that were conflicts (409). */
  readonly conflicts: number;
  /** Duration of reconciles. */
  readonly reconcileTime: DurationStats;
  /** Reconciles that are running. */
  readonly active: number;
  /** Maximum number of concurrent reconciles. */
  readonly concurrency: number;
  /** Errors thrown by handlers and predicates of sources. */
  readonly handlerErrors: number;
  /** Failed requests of the sources' informers. */
  readonly sourceFailures: number;
  /** Metrics of the work queue. */
  readonly queue: WorkQueueMetrics;
}

/** A source that was added to a controller. */
export interface SourceRegistration {
  /** The source with its status. For an optional kind, that of its definition. */
  readonly source: ControllerSource;
  /**
   * Resolves when every initial object was delivered. Rejects like the informer's `synced`, and with a
   * `KubestreamError` if the controller hasn't been started.
   */
  synced(options?: WaitOptions): Promise<void>;
  /** Removes the source and stops it. Requests that it enqueued stay in the queue. Resolves when its connection is closed. */
  remove(): Promise<void>;
}

/** Options for `run`. */
export interface RunOptions {
  /**
   * Stops the controller, like `stop`. If its reason is a `LeadershipLostError`, running calls are abandoned
   * immediately.
   */
  readonly signal: AbortSignal;
  /** Abandons running calls: their signals abort immediately instead of after `drainTimeoutMs`. */
  readonly abandon?: AbortSignal | undefined;
  /** Factory for the informers of resource handles. Default: a factory of the controller's own. */
  readonly informers?: InformerFactory | undefined;
}

/** Calls a reconcile function for every object that changed, until the cluster matches the declared state. */
export interface Controller extends AsyncDisposable {
  /** Name of the controller. */
  readonly name: string;
  /** True if a manager runs it only while it leads. */
  readonly needsLeadership: boolean;
  /** Current status. */
  readonly status: ControllerStatus;
  /** Snapshot of the metrics. */
  readonly metrics: ControllerMetrics;
  /**
   * Current sources of requests with their status, starting with the controller's own kind. An optional kind is there
   * with the source of its definition and, while the kind is served, its own.
   */
  readonly sources: readonly ControllerSource[];
  /** Resolves when the controller has stopped; rejects with the error that made it fail. */
  readonly done: Promise<void>;
  /** Starts the controller. Use `run` to control it with a signal. Throws a `ClosedError` if called twice. */
  start(options?: Pick<RunOptions, "informers">): void;
  /** Starts the controller and stops it when the signal aborts. Settles like `done`. */
  run(options: RunOptions): Promise<void>;
  /**
   * Stops the controller: no new calls begin, running ones may end. After `drainTimeoutMs` their signals abort.
   * Resolves when it has stopped.
   */
  stop(options?: Pick<ControllerOptions<unknown>, "drainTimeoutMs">): Promise<void>;
  /**
   * Begins no calls until `resume`. Changes are still watched and enqueued, and running calls end. Useful in tests, and to
   * hold a controller back while something else repairs its objects.
   */
  pause(): void;
  /** Begins calls again after `pause`. */
  resume(): void;
  /**
   * Adds a source of requests, for example from `kindSource`. If the controller runs, the source starts immediately;
   * reconciles go on while its cache is filled. Throws a `ClosedError` after a stop.
   */
  addSource(source: Source): SourceRegistration;
  /**
   * Enqueues a request from outside, for changes that no source sees, or from a reconcile that fails and must run again
   * at a certain time. Throws a `TypeError` for a request without a namespace if the controller's own kind is
   * namespaced, and a `RangeError` if the delay is NaN.
   */
  enqueue(request: ReconcileRequest, options?: EnqueueOptions): void;
  /** Calls `handler` with the outcome of each reconcile. */
  onReconcile(handler: (outcome: ReconcileOutcome) => void): {
    /** Removes the handler. */
    remove(): void;
  };
}
