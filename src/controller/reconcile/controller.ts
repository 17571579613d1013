import type { InformerFactory, SharedInformerOptions } from "../../cache/informer/informer-factory.js";
import type { StoreReader } from "../../cache/store/store.js";
import type { Clock } from "../../internal/clock.js";
import type { Kind } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { DurationStats } from "../queue/duration-stats.js";
import type { RateLimiter } from "../queue/rate-limiters.js";
import type { AddOptions, WorkQueueMetrics } from "../queue/work-queue.js";
import type { Log } from "./controller-log.js";
import type { Predicate } from "./predicates.js";
import type { ReconcileRequest } from "./reconcile-request.js";
import type { Source, Watchable } from "./source.js";

/** What a reconcile wishes for afterwards. Nothing: to be called at the next change. */
export interface ReconcileResult {
  /** Call again after so many milliseconds, whatever happens. Default: only at the next change. */
  readonly requeueAfterMs?: number;
  /** Priority of that call. Default: the one that this call had. */
  readonly priority?: number;
}

/** What a reconcile is given besides its request. */
export interface ReconcileContext<T> {
  /** The object as the cache has it, with `apiVersion` and `kind` where the kind is known; absent if it is gone. It is shared: do not change it. */
  readonly object: DeepReadonly<T> | undefined;
  /** The cache of the controller's own kind. */
  readonly store: StoreReader<T>;
  /** Fires when the controller gives up on this call: leadership is lost, the time for draining or for this call is over. Hand it on to every request. */
  readonly signal: AbortSignal;
  /** Identity of this call, for logs. */
  readonly reconcileId: string;
  /** How often this request failed in a row before this call. */
  readonly failures: number;
  /** Says something to the controller's log, with request and identity. */
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Notes objects as the server answered them to writes of this call: the next call for this request waits until the
   * caches of their kinds show them. Throws a `TypeError` for what has no apiVersion, kind or resourceVersion.
   */
  recordWrite(...objects: readonly object[]): void;
}

/** Makes the world be as an object wants it. It is never called twice at a time for one request. */
export type Reconcile<T> = (
  request: ReconcileRequest,
  context: ReconcileContext<T>,
) => Promise<ReconcileResult | void> | ReconcileResult | void;

/** Options of `createController`. */
export interface ControllerOptions<T> {
  /** Name in logs, metrics and errors. */
  readonly name: string;
  /** The objects that are reconciled: a resource handle, or an informer of them. */
  readonly for: Watchable<T>;
  /** Kind of those objects, which `owns` needs where `for` is an informer. Default: the handle's. */
  readonly kind?: Kind;
  /** Objects that they own as controllers; a change of one concerns its owner. `kindSource` with `enqueueForOwner` says it with more words. */
  readonly owns?: readonly Watchable<unknown>[];
  /** Whatever else concerns them: made by `kindSource`, or of your own. */
  readonly watches?: readonly Source[];
  /** Changes of the objects under `for` that one of these does not let through are left out. Default: all count. */
  readonly predicates?: readonly Predicate<T>[];
  /** Selectors, indexes and the rest for the informer that is made of a handle under `for`. */
  readonly informer?: SharedInformerOptions<T>;
  /** Makes the world be as an object wants it. */
  readonly reconcile: Reconcile<T>;
  /** Calls at a time, of different requests. Default 1. */
  readonly concurrency?: number;
  /** How long failures wait, by `namespace/name`. Default: for each request alone, from 5 ms doubling to 1,000 s. */
  readonly rateLimiter?: RateLimiter<string>;
  /** How long one call may take in milliseconds before its signal fires; what it waits for before, see `consistencyTimeoutMs`, does not count. Default: for ever. */
  readonly reconcileTimeoutMs?: number;
  /** How long the caches may take to be filled in milliseconds, before the controller fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number;
  /** How long a call waits for what an earlier one wrote, in milliseconds. It then fails once, and no longer waits for it. Default 30,000. */
  readonly consistencyTimeoutMs?: number;
  /** How long running calls may take to end in milliseconds after a stop, before their signals fire. Default 30,000. */
  readonly drainTimeoutMs?: number;
  /** Whether a manager runs it only while it leads. Default `true`. */
  readonly needsLeadership?: boolean;
  /** Takes what there is to say. Default: warnings and errors go to the console. */
  readonly log?: Log;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** How one call of a reconcile ended. */
export interface ReconcileOutcome {
  /** What was reconciled. */
  readonly request: ReconcileRequest;
  /** Identity of the call. */
  readonly reconcileId: string;
  /**
   * `success` and `requeueAfter` forget earlier failures, `error` and `timeout` come again with back-off, `terminal` does not come
   * again, `aborted` was given up because the controller stops.
   */
  readonly result: "success" | "requeueAfter" | "error" | "timeout" | "terminal" | "aborted";
  /** What was thrown. */
  readonly error?: unknown;
  /** Milliseconds after which the request comes again whatever happens; absent if it does not. */
  readonly requeueAfterMs?: number;
  /** Priority that the request had. */
  readonly priority: number;
  /** How long the call took in milliseconds. */
  readonly durationMs: number;
}

/** What a controller is doing. */
export type ControllerStatus =
  /** It was not started. */
  | { readonly type: "idle" }
  /** It waits for caches. */
  | { readonly type: "syncing"; readonly waitingFor: readonly string[] }
  /** It reconciles. */
  | { readonly type: "running"; readonly active: readonly ReconcileRequest[] }
  /** It was told to stop and waits for calls to end. */
  | { readonly type: "stopping"; readonly active: readonly ReconcileRequest[] }
  /** It has stopped. */
  | { readonly type: "stopped" }
  /** It has failed. */
  | { readonly type: "failed"; readonly error: unknown };

/** What a controller has done, as plain numbers. */
export interface ControllerMetrics {
  /** Calls of the reconcile, by how they ended. */
  readonly reconciles: Readonly<Record<ReconcileOutcome["result"], number>>;
  /** Those among the errors that were conflicts. */
  readonly conflicts: number;
  /** How long calls took. */
  readonly reconcileTime: DurationStats;
  /** Calls that run. */
  readonly active: number;
  /** Calls that may run at a time. */
  readonly concurrency: number;
  /** What handlers and predicates of sources threw. */
  readonly handlerErrors: number;
  /** The queue. */
  readonly queue: WorkQueueMetrics;
}

/** Options of `run`. */
export interface RunOptions {
  /** Ends it as `stop` does, and gives running calls up at once where the reason is a `LeadershipLostError`. */
  readonly signal: AbortSignal;
  /** Gives running calls up: their signals fire at once, and not after `drainTimeoutMs`. */
  readonly abandon?: AbortSignal;
  /** Where informers of resource handles come from. Default: the controller's own. */
  readonly informers?: InformerFactory;
}

/** Calls a reconcile for every object that something happened to, until the world is as it should be. */
export interface Controller extends AsyncDisposable {
  /** Its name. */
  readonly name: string;
  /** Whether a manager runs it only while it leads. */
  readonly needsLeadership: boolean;
  /** What it is doing. */
  readonly status: ControllerStatus;
  /** What it has done. */
  readonly metrics: ControllerMetrics;
  /** What it watches: first its own kind. */
  readonly sources: readonly Source[];
  /** Resolves when it has stopped; rejects with what made it fail. */
  readonly done: Promise<void>;
  /** Starts it; `run` is the same with a signal. Throws a `ClosedError` the second time. */
  start(options?: Pick<RunOptions, "informers">): void;
  /** Starts it, and stops it when the signal fires. Resolves and rejects as `done`. */
  run(options: RunOptions): Promise<void>;
  /** Hands out nothing more and lets running calls end; after `drainTimeoutMs` their signals fire. Resolves when it has stopped. */
  stop(options?: Pick<ControllerOptions<unknown>, "drainTimeoutMs">): Promise<void>;
  /** Asks for a reconcile, for reasons that no source sees. */
  enqueue(request: ReconcileRequest, options?: AddOptions): void;
  /** Calls a handler with the outcome of each call. */
  onReconcile(handler: (outcome: ReconcileOutcome) => void): {
    /** Removes the handler. */
    remove(): void;
  };
}
