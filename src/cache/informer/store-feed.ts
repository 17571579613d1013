import type { Clock } from "../../internal/clock.js";
import { createYielder } from "../../internal/yielder.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import { sliceBudgetMs } from "../reflector/reflector.js";
import type { ReflectorEvent } from "../reflector/reflector-event.js";
import type { Change, ChangeCause } from "../store/change.js";
import { metadataOf, objectKey } from "../store/object-key.js";
import type { Store } from "../store/store.js";
import type { MutableMetrics } from "./informer-metrics.js";
import type { StatusChannel } from "./status-channel.js";
import type { Subscribers } from "./subscribers.js";
import type { Waiters } from "./waiters.js";

/** Dependencies of `createStoreFeed`. */
export interface StoreFeedParts<T, R> {
  readonly store: Store<R>;
  readonly subscribers: Subscribers<R>;
  readonly statuses: StatusChannel;
  readonly metrics: MutableMetrics;
  readonly clock: Clock;
  /** Waits for the first complete list. */
  readonly synced: Waiters<undefined>;
  /** Waits for resource versions. */
  readonly versions: Waiters<string>;
  /** Converts an object to its stored form; `undefined` to skip it. */
  readonly retain: (object: T) => R | undefined;
}

/** Applies a reflector's events to a store and dispatches the changes to the subscribers. */
export interface StoreFeed<T, R> {
  /** True once a list has completed. */
  readonly hasSynced: boolean;
  /**
   * Applies one event. Returns a promise while handlers lag behind. A list is discarded if the signal aborts before it
   * is applied.
   */
  handle(event: ReflectorEvent<T>, signal: AbortSignal): Promise<void> | undefined;
  /** Shows a store that was kept from an earlier run, as if it had been listed. */
  restore(objects: Map<string, R>, version: string, signal: AbortSignal): Promise<void>;
}

/** Creates a feed into a store. */
export function createStoreFeed<T, R>(parts: StoreFeedParts<T, R>): StoreFeed<T, R> {
  const { store, subscribers, statuses, metrics, clock, synced, versions, retain } = parts;
  let staged = new Map<string, R>();
  let hasSynced = false;

  const showVersion = (version: string): void => {
    store.setResourceVersion(version);
    if (versions.size > 0) versions.settle((wanted) => (compareResourceVersions(version, wanted) ?? -1) >= 0);
  };

  /** Only a list may move the version backwards, after the server lost history; a late event may not. */
  const advanceVersion = (version: string | undefined): void => {
    if (version === undefined || version === "") return;
    if ((compareResourceVersions(version, store.resourceVersion ?? "") ?? 1) > 0) showVersion(version);
  };

  const stage = (objects: readonly T[]): void => {
    for (const object of objects) {
      const key = objectKey(object);
      const kept = key === "" ? undefined : retain(object);
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
    // Handlers that are added during `synced` replay the new contents from the store, so they don't get these changes.
    const before = subscribers.current;
    prepared.commit();
    hasSynced = true;
    showVersion(version);
    statuses.set({ type: "synced", resourceVersion: version, size: store.size });
    subscribers.dispatch(prepared.changes, before);
    synced.settle(() => true);
    await subscribers.drained();
  };

  const change = (type: "apply" | "delete", object: T): readonly Change<R>[] => {
    const key = objectKey(object);
    if (key === "") {
      metrics.objectsDropped++;
      return [];
    }
    const kept = retain(object);
    if (type === "delete") return store.remove(key, kept, "live");
    // An object that can no longer be stored must not stay visible in its old state.
    return kept === undefined ? store.remove(key, undefined, "live") : store.put(key, kept, "live");
  };

  return {
    get hasSynced() {
      return hasSynced;
    },
    restore(objects, version, signal) {
      staged = objects;
      return replace(version, signal);
    },
    handle(event, signal) {
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
        case "delete":
          subscribers.dispatch(change(event.type, event.object));
          advanceVersion(metadataOf(event.object)?.resourceVersion);
          return subscribers.drained();
      }
    },
  };
}
