import { createInformerFactory, type InformerFactory } from "../../cache/informer/informer-factory.js";
import { sliceBudgetMs } from "../../cache/reflector/reflector.js";
import type { StoreReader } from "../../cache/store/store.js";
import { ClosedError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { onAbort, whenAborted } from "../../internal/abort.js";
import { systemClock, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { createYielder } from "../../internal/yielder.js";
import { exponentialRateLimiter } from "../queue/rate-limiters.js";
import { createWorkQueue } from "../queue/work-queue.js";
import type { Controller, ControllerOptions, ControllerStatus } from "./controller.js";
import { LeadershipLostError } from "./controller-errors.js";
import { logToConsole } from "./controller-log.js";
import { enqueueForObject, enqueueForOwner } from "./enqueue.js";
import { createExpectations } from "./expectations.js";
import { type ReconcileRequest, requestKey } from "./reconcile-request.js";
import { createReconciler } from "./reconciler.js";
import { getKind, kindSource, type Source, type Watchable } from "./source.js";
import { type StartedSource, waitForSources } from "./wait-for-sources.js";

/** How long calls whose signal has fired are still waited for. */
const lastWaitMs = 5_000;

/**
 * Makes a controller. Nothing is sent before it starts. Throws a `TypeError` where `owns` is given and the kind of the owners is
 * not known, and a `RangeError` for numbers that are none.
 */
export function createController<T>(options: ControllerOptions<T>): Controller {
  const {
    name,
    concurrency = 1,
    cacheSyncTimeoutMs = 120_000,
    consistencyTimeoutMs = 30_000,
    clock = systemClock,
  } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new RangeError(`controller ${name}: no concurrency of ${concurrency}`);
  const log = quietly(options.log ?? logToConsole);
  const kind = options.kind ?? getKind(options.for);
  const sources = sourcesOf(options);
  const queue = createWorkQueue<ReconcileRequest>({
    keyOf: requestKey,
    rateLimiter: options.rateLimiter ?? exponentialRateLimiter<string>(),
    clock,
  });
  const stopping = new AbortController();
  const abandon = new AbortController();
  const expectations = createExpectations(
    () =>
      started.flatMap(({ source, running }) =>
        source.kind && running.informer ? [{ kind: source.kind, informer: running.informer }] : [],
      ),
    consistencyTimeoutMs,
  );
  const reconciler = createReconciler<T>({
    name,
    reconcile: options.reconcile,
    queue,
    expectations,
    kind,
    clock,
    log,
    ...(options.reconcileTimeoutMs !== undefined && { reconcileTimeoutMs: options.reconcileTimeoutMs }),
    store: () => started[0]!.running.informer!.store as StoreReader<T>,
    stopping: stopping.signal,
    abandon: abandon.signal,
  });
  const started: StartedSource[] = [];
  let state: "idle" | "syncing" | "running" | "stopped" = "idle";
  let waitingFor: readonly string[] = [];
  let failure: { readonly error: unknown } | undefined;
  let handlerErrors = 0;
  let drainTimeoutMs = options.drainTimeoutMs ?? 30_000;
  let finish!: (ended: Promise<void>) => void;
  const done = new Promise<void>((resolve) => (finish = resolve));

  const work = async (): Promise<void> => {
    const yielder = createYielder(clock, sliceBudgetMs);
    try {
      // What is still in the queue after a stop is found again by whoever comes next.
      for (let next = await queue.get(); next !== undefined && !stopping.signal.aborted; next = await queue.get()) {
        await reconciler.run(next);
        const rest = yielder.pause();
        if (rest !== undefined) await rest;
      }
    } finally {
      yielder.close();
    }
  };

  /** Waits for workers that are told to end; what does not end in time is named. */
  const drain = async (workers: Promise<unknown>): Promise<void> => {
    let timer: Timer;
    let unfollow: (() => void) | undefined;
    const late = new Promise<"late">((resolve) => {
      const giveUp = (): void => abandon.abort(stopping.signal.reason);
      timer = clock.setTimer(giveUp, drainTimeoutMs);
      const abandoned = (): void => {
        timer.cancel();
        timer = clock.setTimer(() => resolve("late"), lastWaitMs);
      };
      if (drainTimeoutMs <= 0) giveUp();
      if (abandon.signal.aborted) abandoned();
      else unfollow = onAbort(abandon.signal, abandoned);
    });
    const outcome = await Promise.race([workers, late]);
    timer!.cancel();
    unfollow?.();
    if (outcome === "late")
      throw new KubestreamError(
        `controller ${name}: ${reconciler.active.map(requestKey).join(", ")} did not end after the signal`,
      );
  };

  const live = async (informers: InformerFactory): Promise<void> => {
    for (const source of sources) {
      const onError = (error: unknown): void => {
        handlerErrors++;
        log({ level: "error", message: `a handler of ${source.description} failed`, controller: name, error });
      };
      started.push({ source, running: source.start({ informers, enqueue: queue.add, onError }) });
    }
    waitingFor = sources.map(({ description }) => description);
    try {
      await waitForSources(
        `controller ${name}`,
        started,
        { timeoutMs: cacheSyncTimeoutMs, signal: stopping.signal, clock },
        (missing) => (waitingFor = missing),
      );
    } catch (error) {
      if (stopping.signal.aborted) return;
      throw error;
    }
    state = "running";
    log({ level: "info", message: `started with ${concurrency} at a time`, controller: name });
    const workers = Promise.all(Array.from({ length: concurrency }, work));
    await Promise.race([workers, new Promise<void>((resolve) => whenAborted(stopping.signal, resolve))]);
    await drain(workers);
  };

  const runOnce = async (given: InformerFactory | undefined): Promise<void> => {
    const informers = given ?? createInformerFactory({ clock });
    try {
      await live(informers);
    } catch (error) {
      failure = { error };
      throw error;
    } finally {
      if (!stopping.signal.aborted) stopping.abort(failure?.error);
      queue.shutDown();
      await Promise.all(started.map(({ running }) => running.stop()));
      if (given === undefined) await informers.close();
      state = "stopped";
      log({ level: "info", message: "stopped", controller: name });
    }
  };

  const beginStop = (reason: unknown, timeoutMs: number | undefined): void => {
    if (timeoutMs !== undefined) drainTimeoutMs = timeoutMs;
    if (!stopping.signal.aborted) stopping.abort(reason);
    if (drainTimeoutMs <= 0) abandon.abort(reason);
    queue.shutDown();
    if (state !== "idle") return;
    state = "stopped";
    finish(Promise.resolve());
  };

  const controller: Controller = {
    name,
    sources,
    done,
    needsLeadership: options.needsLeadership ?? true,
    get status(): ControllerStatus {
      if (failure !== undefined) return { type: "failed", error: failure.error };
      if (state === "idle" || state === "stopped") return { type: state };
      if (stopping.signal.aborted) return { type: "stopping", active: reconciler.active };
      return state === "syncing" ? { type: "syncing", waitingFor } : { type: "running", active: reconciler.active };
    },
    get metrics() {
      return {
        ...reconciler.metrics,
        active: reconciler.active.length,
        concurrency,
        handlerErrors,
        queue: queue.metrics,
      };
    },
    start({ informers } = {}) {
      if (state !== "idle") throw new ClosedError(`controller ${name}: it was started or stopped before`);
      state = "syncing";
      finish(runOnce(informers));
    },
    async run({ signal, abandon: giveUp, informers }) {
      controller.start(informers && { informers });
      const unfollow = [
        whenAborted(signal, () =>
          beginStop(signal.reason, signal.reason instanceof LeadershipLostError ? 0 : undefined),
        ),
        giveUp && whenAborted(giveUp, () => beginStop(giveUp.reason, 0)),
      ];
      try {
        await done;
      } finally {
        for (const stop of unfollow) stop?.();
      }
    },
    async stop(stop = {}) {
      beginStop(new ClosedError(`controller ${name}: it was stopped`), stop.drainTimeoutMs);
      // What made it fail is told by `done`.
      await done.catch(() => undefined);
    },
    enqueue: (request, add) => queue.add(request, add),
    onReconcile: reconciler.onReconcile,
    [Symbol.asyncDispose]: () => controller.stop(),
  };
  return controller;
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
        `controller ${name}: "owns" needs the kind of the owners, which an informer does not tell: give it as "kind"`,
      );
    return kindSource(watchable, enqueueForOwner(kind));
  });
  return [kind === undefined ? own : { ...own, kind }, ...owned, ...watches];
}
