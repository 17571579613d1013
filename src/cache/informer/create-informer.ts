import type { ListerWatcher } from "../../client/resource/collection.js";
import { deepFreeze } from "../../codec/freeze.js";
import { ClosedError } from "../../errors/errors.js";
import { isPermanent } from "../../errors/predicates.js";
import { linkAbort, onAbort } from "../../internal/abort.js";
import { systemClock } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { compareResourceVersions, isComparableResourceVersion } from "../../meta/resource-version.js";
import type { SnapshotKeeper } from "../persist/persistence.js";
import { AdaptiveSource } from "../reflector/adaptive-source.js";
import type { ReflectorStep } from "../reflector/reflector.js";
import type { Change, ChangeHandler } from "../store/change.js";
import type { Store, StoreReader } from "../store/store.js";
import { createStore } from "../store/store.js";
import type { HandlerOptions, HandlerRegistration, Informer, InformerOptions, WaitOptions } from "./informer.js";
import { informerConfig } from "./informer-config.js";
import type { MutableMetrics } from "./informer-metrics.js";
import { countStep, createMetrics, readMetrics } from "./informer-metrics.js";
import type { InformerRun } from "./informer-run.js";
import { createInformerRun } from "./informer-run.js";
import type { InformerStatus } from "./informer-status.js";
import { statusOf } from "./informer-status.js";
import { armResync, resyncChanges } from "./resync.js";
import { createRetain, freezes } from "./retain.js";
import type { StatusChannel } from "./status-channel.js";
import { createStatusChannel } from "./status-channel.js";
import type { StoreFeed } from "./store-feed.js";
import { createStoreFeed } from "./store-feed.js";
import type { Subscribers } from "./subscribers.js";
import { createSubscribers } from "./subscribers.js";
import type { Waiters } from "./waiters.js";
import { createWaiters } from "./waiters.js";

/** Consecutive refusals after which waits for the first list reject. */
const refusalsToReject = 2;

/** The parts of one informer. */
interface Parts<T, R> {
  readonly description: string;
  readonly store: Store<R>;
  readonly subscribers: Subscribers<R>;
  readonly statuses: StatusChannel;
  readonly metrics: MutableMetrics;
  readonly synced: Waiters<undefined>;
  readonly versions: Waiters<string>;
  readonly feed: StoreFeed<T, R>;
  readonly run: InformerRun;
  readonly adaptive: AdaptiveSource<T>;
  /** Returns the last error of a handler, an index function or the transform. */
  readonly callbackError: () => unknown;
}

/**
 * Creates an informer for a collection: a resource handle or any other `ListerWatcher`. It sends no request until it is
 * started by `addHandler`, `start`, `synced` or `waitForResourceVersion`. Throws a `RangeError` for invalid numbers.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const informer = createInformer(client.resource(Pod).namespace("web"), { labelSelector: "app=shop" });
 * informer.addHandler((change) => console.log(change.type, change.key));
 * await informer.synced({ timeoutMs: 30_000 });
 * console.log(informer.store.get("web/shop-0")?.status?.phase);
 * await informer.close();
 * ```
 */
export function createInformer<T, R = T>(source: ListerWatcher<T>, options: InformerOptions<T, R> = {}): Informer<R> {
  const parts = createParts(source, options, (error) => finish(error));
  const { description, store, subscribers, statuses, synced, versions, feed, run } = parts;
  let pinned = false;
  let closed: ClosedError | undefined;

  /** Closes the informer for good. `error` is set if a permanent error ended it, such as a closed client. */
  const finish = (error?: unknown): void => {
    if (closed !== undefined) return;
    const why = error instanceof Error ? `: ${error.message}` : "";
    closed = new ClosedError(`informer of ${description} is closed${why}`, error === undefined ? {} : { cause: error });
    subscribers.clear();
    synced.reject(closed);
    versions.reject(closed);
    void run.stop();
    statuses.set({ type: "closed", ...(error !== undefined && { error }) });
  };

  const throwIfClosed = (): void => {
    if (source.closedSignal?.aborted === true) finish(source.closedSignal.reason);
    if (closed !== undefined) throw closed;
  };

  const start = (): void => {
    throwIfClosed();
    run.start();
  };

  /** Starts the informer for a wait. If the wait started it, it then runs until `close`. */
  const startToWait = (): void => {
    if (run.isRunning && closed === undefined) return;
    start();
    pinned = true;
  };

  /** Stops the run when no handler, wait or `start` needs it. */
  const stopIfUnused = (): void => {
    if (closed !== undefined || pinned || !run.isRunning) return;
    if (subscribers.current.length > 0 || synced.size > 0 || versions.size > 0) return;
    void run.stop();
    statuses.set({ type: "idle" });
  };

  const informer: Informer<R> = {
    description,
    store,
    get status(): InformerStatus {
      const status = statuses.current;
      return status.type === "watching" || status.type === "streaming" ? statusOf(run.state) : status;
    },
    get hasSynced() {
      return feed.hasSynced;
    },
    get lastError() {
      return run.lastError ?? parts.callbackError();
    },
    get metrics() {
      return readMetrics(parts.metrics, {
        size: store.size,
        handlers: subscribers.current.length,
        lag: subscribers.lag,
        encoding: parts.adaptive.encoding,
      });
    },
    start() {
      start();
      pinned = true;
    },
    async synced(wait = {}) {
      if (feed.hasSynced && closed === undefined) return;
      startToWait();
      await synced.wait(undefined, wait, `sync ${description}`, () => run.lastError).finally(stopIfUnused);
    },
    async waitForResourceVersion(version, wait = {}) {
      if (!isComparableResourceVersion(version))
        throw new RangeError(
          `resourceVersion ${JSON.stringify(version)} cannot be compared: it is not a decimal number`,
        );
      const shown = store.resourceVersion;
      if (shown !== undefined && (compareResourceVersions(shown, version) ?? -1) >= 0) return;
      startToWait();
      await waitForVersion(parts, version, wait).finally(stopIfUnused);
    },
    addHandler(handler, handlerOptions = {}) {
      throwIfClosed();
      return addHandler(informer, parts, handler, { ...handlerOptions, onAdded: start, onRemoved: stopIfUnused });
    },
    onStatus: statuses.onStatus,
    async close() {
      finish();
      // `stop` returns the promise of the last run if none is active.
      await run.stop();
    },
    [Symbol.asyncDispose]: () => informer.close(),
  };
  return informer;
}

/** Creates the parts. `onClosed` is called while the informer runs if its client is closed. */
function createParts<T, R>(
  source: ListerWatcher<T>,
  options: InformerOptions<T, R>,
  onClosed: (error: unknown) => void,
): Parts<T, R> {
  const clock = options.clock ?? systemClock;
  const { resyncMs = 0, indexes = {} } = options;
  if (!(resyncMs >= 0)) throw new RangeError(`resyncMs must be at least 0, not ${resyncMs}`);
  const metrics = createMetrics();
  const observer = quietly(options.onError);
  let callbackError: unknown;
  const report = (error: unknown): void => {
    callbackError = error;
    observer(error);
  };
  const onError = (error: unknown): void => {
    metrics.handlerErrors++;
    report(error);
  };
  const store = createStore<R>(onError);
  const config = informerConfig(options, store);
  for (const [name, valuesOf] of Object.entries(indexes)) store.addIndex(name, valuesOf);
  const subscribers = createSubscribers<R>(clock, onError);
  const statuses = createStatusChannel(onError);
  const synced = createWaiters<undefined>(clock);
  const versions = createWaiters<string>(clock);
  const retain = createRetain(options, metrics, report);
  const feed = createStoreFeed<T, R>({ store, subscribers, statuses, metrics, clock, synced, versions, retain });
  const adaptive = new AdaptiveSource(source, clock, options.transform === undefined ? options.bulkEncoding : false);
  const kept = options.persistence?.open<R>(source, options, clock);
  const run = createInformerRun<T>({
    source,
    adaptive,
    config,
    clock,
    random: options.random ?? Math.random,
    restore: kept && ((signal) => restoreStore(kept, feed, freezes(options), signal)),
    onBegin(signal) {
      const stopSaving = kept?.follow(store);
      const disarm = armResync(resyncMs, clock, signal, () => subscribers.dispatch(resyncChanges(store)));
      const { closedSignal } = source;
      const unfollow = closedSignal && onAbort(closedSignal, () => onClosed(closedSignal.reason));
      return () => {
        disarm();
        unfollow?.();
        return stopSaving?.();
      };
    },
    handle: feed.handle,
    onStep(step) {
      countStep(metrics, step, clock.now());
      if (step.input.type === "failed" && isPermanent(step.input.error)) {
        onClosed(step.input.error);
        return;
      }
      showStep(step, statuses, synced);
    },
    onError,
  });
  const { description } = source;
  const callbackErrorOf = (): unknown => callbackError;
  return {
    description,
    store,
    subscribers,
    statuses,
    metrics,
    synced,
    versions,
    feed,
    run,
    adaptive,
    callbackError: callbackErrorOf,
  };
}

/** Shows a kept store. Returns its version; `undefined` without one. */
async function restoreStore<T, R>(
  kept: SnapshotKeeper<R>,
  feed: StoreFeed<T, R>,
  freeze: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await kept.load(signal);
  if (found === undefined || signal.aborted) return undefined;
  if (freeze) for (const object of found.objects.values()) deepFreeze(object);
  await feed.restore(found.objects, found.resourceVersion, signal);
  return found.resourceVersion;
}

/** Publishes the status after a step that changed it, and rejects the waits for the first list when refusals repeat. */
function showStep<T>(step: ReflectorStep<T>, statuses: StatusChannel, synced: Waiters<undefined>): void {
  const { input, before, transition } = step;
  const { state, action } = transition;
  const { type } = statuses.current;
  const failing = type === "backingOff" || type === "refused";
  // Until the server answers the request after a pause, the failure lasts.
  if (failing && before.phase === "waiting") return;
  const answered = input.type === "slice" || (failing && (input.type === "initial" || input.type === "event"));
  if (action === undefined && state.phase === before.phase && !answered) return;
  const status = statusOf(state);
  statuses.set(status);
  const isRejected = status.type === "refused" || (status.type === "backingOff" && status.kind === "unsupported");
  if (isRejected && status.attempt >= refusalsToReject) synced.reject(status.error);
}

function waitForVersion<T, R>(parts: Parts<T, R>, version: string, wait: WaitOptions): Promise<void> {
  const { description, versions, run } = parts;
  const before = run.lastError;
  // A failure that was overcome before this wait doesn't explain its timeout.
  const lastError = (): unknown =>
    run.state.phase === "waiting" || run.lastError !== before ? run.lastError : undefined;
  return versions.wait(version, wait, `wait for version ${version} of ${description}`, lastError);
}

function addHandler<T, R>(
  informer: Informer<R>,
  { description, store, subscribers }: Parts<T, R>,
  handler: ChangeHandler<R>,
  options: HandlerOptions & { readonly onAdded: () => void; readonly onRemoved: () => void },
): HandlerRegistration {
  const { replay = true, onAdded, onRemoved } = options;
  // Added before the replay, so that changes which the replay causes reach the handler after it.
  const subscriber = subscribers.add(handler);
  const removed = new AbortController();
  if (replay && store.size > 0) subscriber.deliver(replayChanges(store));
  onAdded();
  return {
    get lag() {
      return subscriber.lag;
    },
    async synced(wait = {}) {
      removed.signal.throwIfAborted();
      const link = linkAbort(removed.signal, wait.signal);
      try {
        await informer.synced({ ...wait, signal: link.signal });
        await subscriber.drained();
      } finally {
        link.release();
      }
      removed.signal.throwIfAborted();
    },
    remove() {
      if (!subscribers.remove(subscriber)) return;
      removed.abort(new ClosedError(`the handler was removed from the informer of ${description}`));
      onRemoved();
    },
  };
}

function replayChanges<R>(store: StoreReader<R>): Change<R>[] {
  return Array.from(
    store.keys(),
    (key): Change<R> => ({ type: "added", key, object: store.get(key)!, cause: "list", initial: true }),
  );
}
