import type { StoreReader } from "../../cache/store/store.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { isConflict } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import { linkAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { getApiVersion, type Kind } from "../../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import { createDurationCounter } from "../queue/duration-stats.js";
import type { WorkItem, WorkQueue } from "../queue/work-queue.js";
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

/** What calls of a reconcile are made with. */
export interface ReconcilerParts<T> extends Pick<ControllerOptions<T>, "name" | "reconcile" | "reconcileTimeoutMs"> {
  /** Where requests come from and go back to. */
  readonly queue: WorkQueue<ReconcileRequest>;
  /** What earlier calls wrote. */
  readonly expectations: Expectations;
  /** The cache of the controller's own kind. */
  readonly store: () => StoreReader<T>;
  /** That kind, where it is known. */
  readonly kind: Kind | undefined;
  /** Fires when nothing new is to be begun. */
  readonly stopping: AbortSignal;
  /** Fires when running calls are to be given up. */
  readonly abandon: AbortSignal;
  /** Takes what there is to say. */
  readonly log: Log;
  /** Where time comes from. */
  readonly clock: Clock;
}

/** Calls a reconcile and does what its outcome asks for. */
export interface Reconciler {
  /** Calls that run. */
  readonly active: readonly ReconcileRequest[];
  /** What was done. */
  readonly metrics: Pick<ControllerMetrics, "reconciles" | "conflicts" | "reconcileTime">;
  /** One call, from the queue to the queue. Never rejects. */
  run(work: WorkItem<ReconcileRequest>): Promise<void>;
  /** Calls a handler with each outcome. */
  onReconcile(handler: (outcome: ReconcileOutcome) => void): { remove(): void };
}

/** Makes a reconciler. */
export function createReconciler<T>(parts: ReconcilerParts<T>): Reconciler {
  const { name, queue, expectations, clock, stopping, abandon, log } = parts;
  const active = new Set<ReconcileRequest>();
  const reconciles: Record<ReconcileOutcome["result"], number> = {
    success: 0,
    requeueAfter: 0,
    error: 0,
    timeout: 0,
    terminal: 0,
    aborted: 0,
  };
  const reconcileTime = createDurationCounter();
  const handlers = new Set<(outcome: ReconcileOutcome) => void>();
  let conflicts = 0;

  const contextOf = (request: ReconcileRequest, reconcileId: string, signal: AbortSignal): ReconcileContext<T> => {
    const key = requestKey(request);
    const store = parts.store();
    return {
      object: withTypeMeta(store.get(key), parts.kind),
      store,
      signal,
      reconcileId,
      failures: queue.numRequeues(request),
      log: (level, message, fields) =>
        log({ level, message, controller: name, request, reconcileId, ...(fields && { fields }) }),
      recordWrite: (...objects) => expectations.note(key, objects),
    };
  };

  const call = async (
    request: ReconcileRequest,
    reconcileId: string,
    signal: AbortSignal,
    onBegin: () => void,
  ): Promise<ReconcileResult> => {
    const link = linkAbort(stopping);
    try {
      await expectations.meet(requestKey(request), link.signal);
    } finally {
      link.release();
    }
    onBegin();
    const result = (await parts.reconcile(request, contextOf(request, reconcileId, signal))) ?? {};
    const { requeueAfterMs = 0 } = result;
    if (typeof requeueAfterMs !== "number" || !(requeueAfterMs >= 0))
      throw new TypeError(`a reconcile asked to be called again after ${String(requeueAfterMs)} ms`);
    return result;
  };

  /** Puts the request back where it is to come again, and says how it went. */
  const settle = (
    request: ReconcileRequest,
    priority: number,
    ended: { result: ReconcileResult } | { error: unknown },
    timedOut: boolean,
  ): Pick<ReconcileOutcome, "result" | "error" | "requeueAfterMs"> => {
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
    if (isConflict(error)) conflicts++;
    // A server that says when to come again is not asked before.
    const minDelayMs = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    const requeueAfterMs = queue.addRateLimited(request, { priority, minDelayMs });
    return { result: timedOut ? "timeout" : "error", error, requeueAfterMs };
  };

  const report = (outcome: ReconcileOutcome): void => {
    reconciles[outcome.result]++;
    reconcileTime.add(outcome.durationMs);
    const { request, reconcileId, result, error, requeueAfterMs } = outcome;
    const about = { controller: name, request, reconcileId };
    if (result === "error" || result === "timeout")
      log({
        level: isConflict(error) ? "debug" : "error",
        message: `reconcile failed, again in ${requeueAfterMs!} ms`,
        error,
        ...about,
      });
    else if (result === "terminal") log({ level: "error", message: "reconcile failed for good", error, ...about });
    else log({ level: "debug", message: `reconcile: ${result}`, ...about });
    for (const handler of handlers) {
      try {
        handler(outcome);
      } catch (thrown) {
        log({ level: "error", message: "a handler of outcomes failed", error: thrown, ...about });
      }
    }
  };

  return {
    get active() {
      return [...active];
    },
    get metrics() {
      return { reconciles: { ...reconciles }, conflicts, reconcileTime: reconcileTime.read() };
    },
    async run({ item: request, priority }) {
      const { reconcileTimeoutMs } = parts;
      const reconcileId = crypto.randomUUID();
      const link = linkAbort(abandon);
      let timedOut = false;
      let timer: Timer | undefined;
      // Its time is its own: what it waits for before is limited by itself.
      const onBegin = (): void => {
        if (reconcileTimeoutMs !== undefined)
          timer = clock.setTimer(() => {
            timedOut = true;
            link.abort(
              new KubestreamError(`reconcile of ${name} ${requestKey(request)}: not within ${reconcileTimeoutMs} ms`),
            );
          }, reconcileTimeoutMs);
      };
      const startedAt = clock.monotonic();
      active.add(request);
      let ended: { result: ReconcileResult } | { error: unknown };
      try {
        ended = { result: await call(request, reconcileId, link.signal, onBegin) };
      } catch (error) {
        ended = { error };
      }
      timer?.cancel();
      link.release();
      const outcome = {
        request,
        reconcileId,
        priority,
        durationMs: clock.monotonic() - startedAt,
        ...settle(request, priority, ended, timedOut),
      };
      active.delete(request);
      queue.done(request);
      report(outcome);
    },
    onReconcile(handler) {
      const own = (outcome: ReconcileOutcome): void => handler(outcome);
      handlers.add(own);
      return { remove: () => void handlers.delete(own) };
    },
  };
}

/** Items of lists lack apiVersion and kind, which owner references and events need. */
function withTypeMeta<T>(object: DeepReadonly<T> | undefined, kind: Kind | undefined): DeepReadonly<T> | undefined {
  if (object === undefined || kind === undefined) return object;
  const { apiVersion, kind: name } = object as KubernetesObject;
  return apiVersion !== undefined && name !== undefined
    ? object
    : { apiVersion: getApiVersion(kind), kind: kind.kind, ...object };
}
