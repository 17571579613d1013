import type { StoreReader } from "../../cache/store/store.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { isConflict } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import { type Abortable, linkAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import { getApiVersion, type Kind } from "../../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import { createDurationCounter, reconcileBuckets } from "../queue/duration-stats.js";
import type { WorkItem } from "../queue/queued-items.js";
import type { WorkQueue } from "../queue/work-queue.js";
import type {
  ControllerMetrics,
  ControllerOptions,
  ReconcileContext,
  ReconcileOutcome,
  ReconcileResult,
} from "./controller.js";
import { TerminalError } from "./controller-errors.js";
import type { Log } from "./controller-log.js";
import type { Expectations } from "./expectations.js";
import { type ReconcileRequest, requestKey } from "./reconcile-request.js";
import type { ReconcileSpan, ReconcileTracing } from "./reconcile-tracing.js";

/** Dependencies of `createReconciler`. */
export interface ReconcilerParts<T> extends Pick<ControllerOptions<T>, "name" | "reconcile" | "reconcileTimeoutMs"> {
  /** Queue that requests come from and return to. */
  readonly queue: WorkQueue<ReconcileRequest>;
  /** Writes of earlier calls. */
  readonly expectations: Expectations;
  /** Cache of the controller's own kind. */
  readonly store: () => StoreReader<T>;
  /** The controller's own kind, if known. */
  readonly kind: Kind | undefined;
  /** Aborts when no new call may begin. */
  readonly stopping: AbortSignal;
  /** Aborts when running calls must be abandoned. */
  readonly abandon: AbortSignal;
  /** Receives log entries. */
  readonly log: Log;
  /** Traces the calls. */
  readonly tracing: ReconcileTracing | undefined;
  /** Source of time. */
  readonly clock: Clock;
}

/** Calls a reconcile function and handles its outcome. */
export interface Reconciler {
  /** Requests that are being reconciled. */
  readonly active: readonly ReconcileRequest[];
  /** Counters. */
  readonly metrics: Pick<ControllerMetrics, "reconciles" | "conflicts" | "reconcileTime">;
  /** Processes one request of the queue. Never rejects. */
  run(work: WorkItem<ReconcileRequest>): Promise<void>;
  /** Calls a handler with each outcome. */
  onReconcile(handler: (outcome: ReconcileOutcome) => void): { remove(): void };
}

/** Creates a reconciler. */
export function createReconciler<T>(parts: ReconcilerParts<T>): Reconciler {
  const calls = new ReconcileCalls(parts);
  return {
    get active() {
      return [...calls.active];
    },
    get metrics() {
      return calls.metrics;
    },
    run: (work) => calls.run(work),
    onReconcile: (handler) => calls.onReconcile(handler),
  };
}

type Ended = { readonly result: ReconcileResult } | { readonly error: unknown };

/** A running call of the reconcile function. */
interface RunningCall {
  readonly request: ReconcileRequest;
  readonly reconcileId: string;
  readonly priority: number;
  timedOut: boolean;
  span: ReconcileSpan | undefined;
}

class ReconcileCalls<T> {
  readonly active = new Set<ReconcileRequest>();
  readonly #parts: ReconcilerParts<T>;
  readonly #reconciles: Record<ReconcileOutcome["result"], number> = {
    success: 0,
    requeueAfter: 0,
    error: 0,
    timeout: 0,
    terminal: 0,
    aborted: 0,
  };
  readonly #reconcileTime = createDurationCounter(reconcileBuckets);
  readonly #handlers = new Set<(outcome: ReconcileOutcome) => unknown>();
  #conflicts = 0;

  constructor(parts: ReconcilerParts<T>) {
    this.#parts = parts;
  }

  get metrics(): Reconciler["metrics"] {
    return {
      reconciles: { ...this.#reconciles },
      conflicts: this.#conflicts,
      reconcileTime: this.#reconcileTime.read(),
    };
  }

  onReconcile(handler: (outcome: ReconcileOutcome) => void): { remove(): void } {
    const own = (outcome: ReconcileOutcome): void => handler(outcome);
    this.#handlers.add(own);
    return { remove: () => void this.#handlers.delete(own) };
  }

  async run({ item: request, priority }: WorkItem<ReconcileRequest>): Promise<void> {
    const { tracing } = this.#parts;
    const reconcileId = crypto.randomUUID();
    const call: RunningCall = { request, reconcileId, priority, timedOut: false, span: undefined };
    if (tracing === undefined) await this.#run(call);
    else
      await tracing.run(call, (span) => {
        call.span = span;
        return this.#run(call);
      });
  }

  async #run(call: RunningCall): Promise<void> {
    const { clock, queue } = this.#parts;
    const { request, reconcileId, priority } = call;
    const startedAt = clock.monotonic();
    this.active.add(request);
    let ended: Ended;
    try {
      ended = { result: await this.#call(call) };
    } catch (error) {
      ended = { error };
    }
    const durationMs = clock.monotonic() - startedAt;
    const outcome = { request, reconcileId, priority, durationMs, ...this.#settle(call, ended) };
    call.span?.end(outcome);
    this.active.delete(request);
    queue.done(request);
    this.#report(outcome);
  }

  async #call(call: RunningCall): Promise<ReconcileResult> {
    const { reconcile, reconcileTimeoutMs: timeoutMs, clock, abandon, name } = this.#parts;
    const { request } = call;
    const link = linkAbort(abandon);
    let timer: Timer | undefined;
    try {
      // Mostly, the event of a write is what triggers the next call, so there is nothing to wait for.
      if (!this.#parts.expectations.areShown(requestKey(request))) await this.#waitForWrites(request);
      // The time limit starts here: the wait above has its own.
      if (timeoutMs !== undefined)
        timer = clock.setTimer(() => {
          call.timedOut = true;
          link.abort(
            new KubestreamError(`reconcile of ${name} ${requestKey(request)}: timed out after ${timeoutMs} ms`),
          );
        }, timeoutMs);
      const result = (await reconcile(request, this.#contextOf(call, link))) ?? {};
      const { requeueAfterMs = 0 } = result;
      if (typeof requeueAfterMs !== "number" || !(requeueAfterMs >= 0))
        throw new TypeError(`reconcile returned an invalid requeueAfterMs: ${String(requeueAfterMs)}`);
      return result;
    } finally {
      timer?.cancel();
      link.release();
    }
  }

  /** Waits until the caches show the writes of earlier calls. */
  async #waitForWrites(request: ReconcileRequest): Promise<void> {
    const link = linkAbort(this.#parts.stopping);
    try {
      await this.#parts.expectations.wait(requestKey(request), link.signal);
    } finally {
      link.release();
    }
  }

  #contextOf({ request, reconcileId, span }: RunningCall, link: Abortable): ReconcileContext<T> {
    const { queue, expectations, kind, log, name } = this.#parts;
    const key = requestKey(request);
    const store = this.#parts.store();
    return {
      object: withTypeMeta(store.get(key), kind),
      store,
      // A link creates its signal when it's read.
      get signal() {
        return link.signal;
      },
      reconcileId,
      failures: queue.numRequeues(request),
      traceparent: span?.traceparent,
      log: (level, message, fields) =>
        log({ level, message, controller: name, request, reconcileId, ...(fields && { fields }) }),
      recordWrite: (...objects) => expectations.record(key, objects),
    };
  }

  /** Requeues the request if necessary. Returns the outcome of the call. */
  #settle(
    { request, priority, timedOut }: RunningCall,
    ended: Ended,
  ): Pick<ReconcileOutcome, "result" | "error" | "requeueAfterMs"> {
    const { queue, abandon, stopping } = this.#parts;
    if ("result" in ended) {
      queue.forget(request);
      const { requeueAfterMs = 0 } = ended.result;
      if (requeueAfterMs === 0) return { result: "success" };
      queue.addAfter(request, requeueAfterMs, { priority: ended.result.priority ?? priority });
      return { result: "requeueAfter", requeueAfterMs };
    }
    const { error } = ended;
    if (error instanceof TerminalError) {
      queue.forget(request);
      return { result: "terminal", error };
    }
    if (abandon.aborted || (stopping.aborted && error === stopping.reason)) return { result: "aborted", error };
    if (isConflict(error)) this.#conflicts++;
    // Honors a server's Retry-After.
    const minDelayMs = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    const requeueAfterMs = queue.addRateLimited(request, { priority, minDelayMs });
    return { result: timedOut ? "timeout" : "error", error, requeueAfterMs };
  }

  #report(outcome: ReconcileOutcome): void {
    const { log, name } = this.#parts;
    const { request, reconcileId, result, error, requeueAfterMs } = outcome;
    this.#reconciles[result]++;
    this.#reconcileTime.add(outcome.durationMs);
    const about = { controller: name, request, reconcileId };
    if (result === "error" || result === "timeout")
      log({
        level: isConflict(error) ? "debug" : "error",
        message: `reconcile failed, retrying in ${requeueAfterMs!} ms`,
        error,
        ...about,
      });
    else if (result === "terminal")
      log({ level: "error", message: "reconcile failed with a terminal error", error, ...about });
    else log({ level: "debug", message: `reconcile: ${result}`, ...about });
    const onThrown = (thrown: unknown): void =>
      log({ level: "error", message: "an onReconcile handler threw", error: thrown, ...about });
    for (const handler of this.#handlers) {
      try {
        handleRejection(handler(outcome), onThrown);
      } catch (thrown) {
        onThrown(thrown);
      }
    }
  }
}

/** Items of lists lack apiVersion and kind, which owner references and events need. */
function withTypeMeta<T>(object: DeepReadonly<T> | undefined, kind: Kind | undefined): DeepReadonly<T> | undefined {
  if (object === undefined || kind === undefined) return object;
  const { apiVersion, kind: name } = object as KubernetesObject;
  return apiVersion !== undefined && name !== undefined
    ? object
    : { apiVersion: getApiVersion(kind), kind: kind.kind, ...object };
}
