import type { ListWatch } from "../../client/resource/collection.js";
import { ClosedError } from "../../errors/errors.js";
import { linkAbort } from "../../internal/abort.js";
import type { Timer } from "../../internal/clock.js";
import { systemClock } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { createYielder } from "../../internal/yielder.js";
import { compareResourceVersions, isComparableResourceVersion } from "../../meta/resource-version.js";
import { runReflector, sliceBudgetMs } from "../reflector/reflector.js";
import { reflectorConfig } from "../reflector/reflector-config.js";
import type { ReflectorEvent } from "../reflector/reflector-event.js";
import { initialReflectorState } from "../reflector/reflector-state.js";
import { streamingMemory } from "../reflector/streaming-memory.js";
import type { Change, ChangeCause } from "../store/change.js";
import { metadataOf, objectKey } from "../store/object-key.js";
import { createStore } from "../store/store.js";
import { deepFreeze, isDevelopment } from "./freeze.js";
import type { Informer, InformerOptions } from "./informer.js";
import { countStep, createMetrics } from "./informer-metrics.js";
import type { InformerStatus } from "./informer-status.js";
import { statusOf } from "./informer-status.js";
import { compileShard } from "./shard.js";
import type { Subscriber } from "./subscriber.js";
import { createSubscriber } from "./subscriber.js";
import { stripManagedFields } from "./transform.js";
import { createWaiters } from "./waiters.js";

/** Refusals in a row after which whoever waits for the first list is told. */
const refusalsToReject = 2;

/** Hardly anybody reads them, and to parse them takes as long as all the rest; a transform may do anything with them. */
function managedFieldsFor<T, R>({ transform }: InformerOptions<T, R>): "keep" | "drop" | "lazy" {
  if (transform === undefined) return "lazy";
  return (transform as unknown) === stripManagedFields ? "drop" : "keep";
}

/** Makes an informer of a collection: a resource handle, or anything that lists and watches. Nothing is sent before it starts. Throws a `RangeError` for numbers that make no sense. */
export function createInformer<T, R = T>(source: ListWatch<T>, options: InformerOptions<T, R> = {}): Informer<R> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const { resyncMs = 0 } = options;
  if (!(resyncMs >= 0)) throw new RangeError(`resyncMs must be at least 0, not ${resyncMs}`);
  const shard = options.shard === undefined ? undefined : compileShard(options.shard);
  const previous = (namespace: string | undefined, name: string): object | undefined =>
    store.get(namespace === undefined ? name : `${namespace}/${name}`) as object | undefined;
  const config = reflectorConfig({
    ...options,
    ...(shard === undefined ? {} : { shardSelector: shard.shardSelector }),
    decode: {
      managedFields: managedFieldsFor(options),
      ...options.decode,
      ...(options.shareStructure === true && options.transform === undefined ? { previous } : {}),
    },
  });
  const freeze = options.freeze ?? (isDevelopment() && options.decode?.lazy !== true);
  const streaming = streamingMemory(source, clock);
  const metrics = createMetrics();
  const synced = createWaiters<undefined>(clock);
  const versions = createWaiters<string>(clock);
  let subscribers: readonly Subscriber<R>[] = [];
  let statusHandlers: readonly ((status: InformerStatus) => void)[] = [];
  let state = initialReflectorState;
  let status: InformerStatus = { type: "idle" };
  let staged = new Map<string, R>();
  let hasSynced = false;
  let lastError: unknown;
  let pinned = false;
  let closed = false;
  let running: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  let stopping: Promise<void> = Promise.resolve();

  const report = quietly(options.onError);
  const onHandlerError = (error: unknown): void => {
    metrics.handlerErrors++;
    report(error);
  };
  const store = createStore<R>(onHandlerError);
  for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) store.addIndex(name, valuesOf);

  /** What the store keeps of an object; nothing for what it is not to keep. */
  const retained = (object: T): R | undefined => {
    if (shard?.matches(object) === false) return undefined;
    try {
      const kept = options.transform === undefined ? (object as unknown as R) : options.transform(object);
      return freeze ? deepFreeze(kept) : kept;
    } catch (error) {
      metrics.objectsDropped++;
      report(error);
      return undefined;
    }
  };

  const dispatch = (changes: readonly Change<R>[], to = subscribers): void => {
    if (changes.length > 0) for (const subscriber of to) subscriber.deliver(changes);
  };

  /** Nothing while handlers keep up; else what the reflector waits for, so that nothing piles up. */
  const drained = (): Promise<void> | undefined => {
    let pending: Promise<void>[] | undefined;
    for (const subscriber of subscribers) {
      const rest = subscriber.drained();
      if (rest !== undefined) (pending ??= []).push(rest);
    }
    return pending === undefined ? undefined : Promise.all(pending).then(() => undefined);
  };

  const setStatus = (next: InformerStatus): void => {
    status = next;
    for (const handler of statusHandlers) {
      try {
        handler(next);
      } catch (error) {
        onHandlerError(error);
      }
    }
  };

  const showVersion = (version: string): void => {
    store.setResourceVersion(version);
    if (versions.size > 0) versions.settle((wanted) => (compareResourceVersions(version, wanted) ?? -1) >= 0);
  };

  /** Only a list may show a server that went back; an event that comes late does not. */
  const advanceVersion = (version: string | undefined): void => {
    if (
      version !== undefined &&
      version !== "" &&
      (compareResourceVersions(version, store.resourceVersion ?? "") ?? 1) > 0
    )
      showVersion(version);
  };

  const stage = (objects: readonly T[]): void => {
    for (const object of objects) {
      const key = objectKey(object);
      const kept = key === "" ? undefined : retained(object);
      if (kept !== undefined) staged.set(key, kept);
      else if (key === "") metrics.objectsDropped++;
    }
  };

  const replace = async (version: string, signal: AbortSignal): Promise<void> => {
    const yielder = createYielder(clock, sliceBudgetMs);
    const cause: ChangeCause = hasSynced ? "relist" : "list";
    const prepared = await store.prepareReplace(staged, cause, () => yielder.pause());
    yielder.close();
    if (signal.aborted) return;
    staged = new Map();
    // Who comes while the status is told has all of this from the store.
    const before = subscribers;
    prepared.commit();
    hasSynced = true;
    showVersion(version);
    setStatus({ type: "synced", resourceVersion: version, size: store.size });
    dispatch(prepared.changes, before);
    synced.settle(() => true);
    await drained();
  };

  const handle = (event: ReflectorEvent<T>, signal: AbortSignal): Promise<void> | undefined => {
    switch (event.type) {
      case "init":
        staged = new Map();
        return undefined;
      case "initApply":
        stage(event.objects);
        return undefined;
      case "initDelete":
        staged.delete(objectKey(event.object));
        return undefined;
      case "initDone":
        return replace(event.resourceVersion, signal);
      case "bookmark":
        advanceVersion(event.resourceVersion);
        return undefined;
      case "apply":
      case "delete": {
        const key = objectKey(event.object);
        const kept = key === "" ? undefined : retained(event.object);
        if (key === "") metrics.objectsDropped++;
        else if (event.type === "delete") dispatch(store.remove(key, kept, "live"));
        else if (kept !== undefined) dispatch(store.put(key, kept, "live"));
        // What cannot be kept as it is now is not to be shown as it was.
        else dispatch(store.remove(key, undefined, "live"));
        advanceVersion(metadataOf(event.object)?.resourceVersion);
        return drained();
      }
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    await runReflector(source, {
      config,
      clock,
      random,
      signal,
      state: { ...state, noStreamingUntil: Math.max(state.noStreamingUntil, streaming.until) },
      sink: {
        handle: (event) => handle(event, signal),
        stepped(input, before, transition, monotonic) {
          state = transition.state;
          countStep(metrics, input, before, transition, clock.now(), monotonic);
          // Not before a list has shown that it was the stream that the server had no answer to.
          if (
            before.phase === "listing" &&
            transition.events.at(-1)?.type === "initDone" &&
            state.noStreamingUntil > monotonic
          )
            streaming.avoid(state.noStreamingUntil);
          if (input.type === "failed") lastError = input.error;
          else if (state.failure !== undefined && state.failure !== before.failure) lastError = state.failure.error;
          if (transition.action === undefined && state.phase === before.phase && input.type !== "slice") return;
          setStatus(statusOf(state));
          if (status.type === "refused" && status.attempt >= refusalsToReject) synced.reject(status.error);
        },
      },
    });
  };

  const start = (): void => {
    if (closed) throw new ClosedError(`informer of ${source.description}: it was closed`);
    if (running !== undefined) return;
    const abort = new AbortController();
    const disarm = armResync(abort.signal);
    const done = stopping
      .then(() => run(abort.signal))
      .catch(onHandlerError)
      .finally(disarm);
    running = { abort, done };
  };

  const stop = (): Promise<void> => {
    const stopped = running;
    running = undefined;
    if (stopped === undefined) return stopping;
    stopped.abort.abort(new ClosedError(`informer of ${source.description}: it was stopped`));
    stopping = stopped.done;
    return stopping;
  };

  const armResync = (signal: AbortSignal): (() => void) => {
    if (resyncMs === 0) return () => undefined;
    let timer: Timer;
    const tick = (): void => {
      if (signal.aborted) return;
      dispatch(
        Array.from(store.keys(), (key): Change<R> => {
          const object = store.get(key)!;
          return { type: "updated", key, object, old: object, cause: "resync", initial: false };
        }),
      );
      timer = clock.setTimer(tick, resyncMs);
    };
    timer = clock.setTimer(tick, resyncMs);
    return () => timer.cancel();
  };

  /** Ends the run when nobody is left to run for. */
  const stopIfLeft = (): void => {
    if (subscribers.length > 0 || pinned || closed || synced.size > 0 || versions.size > 0 || running === undefined)
      return;
    void stop();
    setStatus({ type: "idle" });
  };

  const whenStarted = (): void => {
    if (closed) throw new ClosedError(`informer of ${source.description}: it was closed`);
    if (running === undefined) informer.start();
  };

  const informer: Informer<R> = {
    description: source.description,
    store,
    get status(): InformerStatus {
      return status.type === "watching" || status.type === "streaming" ? statusOf(state) : status;
    },
    get hasSynced() {
      return hasSynced;
    },
    get lastError() {
      return lastError;
    },
    get metrics() {
      const { listStartedAt: _, ...counted } = metrics;
      const lag = subscribers.reduce((most, subscriber) => Math.max(most, subscriber.lag), 0);
      return {
        ...counted,
        events: { ...metrics.events },
        failures: { ...metrics.failures },
        size: store.size,
        handlers: subscribers.length,
        lag,
      };
    },
    start() {
      start();
      pinned = true;
    },
    async synced(wait = {}) {
      if (hasSynced && !closed) return;
      whenStarted();
      await synced.wait(undefined, wait, `sync ${source.description}`, () => lastError).finally(stopIfLeft);
    },
    async waitForResourceVersion(version, wait = {}) {
      if (!isComparableResourceVersion(version))
        throw new RangeError(`resourceVersion ${JSON.stringify(version)} cannot be ordered`);
      const shown = store.resourceVersion;
      if (shown !== undefined && (compareResourceVersions(shown, version) ?? -1) >= 0) return;
      whenStarted();
      const before = lastError;
      // What failed and was overcome before says nothing of this wait.
      const failed = (): unknown => (state.failure !== undefined || lastError !== before ? lastError : undefined);
      await versions
        .wait(version, wait, `wait for version ${version} of ${source.description}`, failed)
        .finally(stopIfLeft);
    },
    addHandler(handler, { replay = true } = {}) {
      if (closed) throw new ClosedError(`informer of ${source.description}: it was closed`);
      const subscriber = createSubscriber(handler, clock, onHandlerError);
      const left = new AbortController();
      // First it is one of the subscribers: what its own replay brings about reaches it after the replay.
      subscribers = [...subscribers, subscriber];
      if (replay && store.size > 0) {
        subscriber.deliver(
          Array.from(
            store.keys(),
            (key): Change<R> => ({ type: "added", key, object: store.get(key)!, cause: "list", initial: true }),
          ),
        );
      }
      start();
      return {
        get lag() {
          return subscriber.lag;
        },
        async synced(wait = {}) {
          left.signal.throwIfAborted();
          const link = linkAbort(left.signal, wait.signal);
          try {
            await informer.synced({ ...wait, signal: link.signal });
            await subscriber.drained();
          } finally {
            link.release();
          }
          left.signal.throwIfAborted();
        },
        remove() {
          if (!subscribers.includes(subscriber)) return;
          subscribers = subscribers.filter((other) => other !== subscriber);
          subscriber.remove();
          left.abort(new ClosedError(`informer of ${source.description}: the handler was removed`));
          stopIfLeft();
        },
      };
    },
    onStatus(handler) {
      const own = (next: InformerStatus): void => handler(next);
      statusHandlers = [...statusHandlers, own];
      return {
        remove() {
          statusHandlers = statusHandlers.filter((other) => other !== own);
        },
      };
    },
    async close() {
      if (!closed) {
        closed = true;
        for (const subscriber of subscribers) subscriber.remove();
        subscribers = [];
        const error = new ClosedError(`informer of ${source.description}: it was closed`);
        synced.reject(error);
        versions.reject(error);
        void stop();
        setStatus({ type: "closed" });
      }
      await stopping;
    },
    [Symbol.asyncDispose]: () => informer.close(),
  };
  return informer;
}
