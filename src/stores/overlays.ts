import { metadataOf } from "../cache/store/object-key.js";
import type { Clock, Timer } from "../internal/clock.js";
import { cloneObject } from "../internal/clone-object.js";
import { compareResourceVersions } from "../meta/resource-version.js";

/** Time for which the result of a write is shown if no informer has received it (ms). */
const settledMs = 10_000;

/** An optimistic change to one object. */
export interface Overlay {
  /** Replaces the change by the server's result, until informers have received it. */
  settle(result: object | undefined): void;
  /** Removes the change: stores show the cached object again. */
  remove(): void;
}

/** The overlays of one collection. */
export interface OverlayView {
  /** Returns the object with its optimistic changes, or the same instance. */
  apply(key: string, object: object): object;
  /** Calls `onChange` with the key of each object whose overlays change. */
  follow(onChange: (key: string) => void): () => void;
}

/** Optimistic changes by resource and object. */
export interface Overlays {
  /** Adds a change to an object. `change` edits its argument or returns another object. */
  add(resource: string, key: string, change: (object: object) => object | undefined): Overlay;
  /** Returns the overlays of one resource: group, version and plural. */
  view(resource: string): OverlayView;
  /** Cancels all timers. */
  end(): void;
}

interface Entry {
  readonly change: (object: object) => object | undefined;
  /** Result of the write; absent while it is pending. */
  result?: object | undefined;
  timer?: Timer | undefined;
}

/** Creates an empty set of overlays. Errors thrown by changes go to `onError`; the object is then shown unchanged. */
export function createOverlays(clock: Clock, onError: (error: unknown) => void): Overlays {
  const entries = new Map<string, Entry[]>();
  const listeners = new Map<string, Set<(key: string) => void>>();
  const idOf = (resource: string, key: string): string => `${resource} ${key}`;

  const change = (entry: Entry, object: object): object => {
    try {
      const copy = cloneObject(object);
      return entry.change(copy) ?? copy;
    } catch (error) {
      onError(error);
      return object;
    }
  };

  const drop = (id: string, entry: Entry): void => {
    entry.timer?.cancel();
    const others = (entries.get(id) ?? []).filter((other) => other !== entry);
    if (others.length === 0) entries.delete(id);
    else entries.set(id, others);
  };

  const add: Overlays["add"] = (resource, key, apply) => {
    const id = idOf(resource, key);
    const entry: Entry = { change: apply };
    const notify = (): void => {
      for (const listener of [...(listeners.get(resource) ?? [])]) listener(key);
    };
    const remove = (): void => {
      drop(id, entry);
      notify();
    };
    entries.set(id, [...(entries.get(id) ?? []), entry]);
    notify();
    return {
      remove,
      settle(result) {
        if (result === undefined || (listeners.get(resource)?.size ?? 0) === 0) {
          remove();
          return;
        }
        entry.result = result;
        entry.timer = clock.setTimer(remove, settledMs);
        notify();
      },
    };
  };

  return {
    add,
    view: (resource) => ({
      apply(key, object) {
        const id = idOf(resource, key);
        let shown = object;
        for (const entry of entries.get(id) ?? []) {
          if (entry.result === undefined) continue;
          if (!isNewer(entry.result, object)) drop(id, entry);
          else if (isNewer(entry.result, shown)) shown = entry.result;
        }
        for (const entry of entries.get(id) ?? []) if (entry.result === undefined) shown = change(entry, shown);
        return shown;
      },
      follow(onChange) {
        const own = listeners.get(resource) ?? new Set();
        listeners.set(resource, own.add(onChange));
        return () => {
          own.delete(onChange);
        };
      },
    }),
    end() {
      for (const list of entries.values()) for (const { timer } of list) timer?.cancel();
      entries.clear();
    },
  };
}

/** Returns true if `a` is a newer state of the same object as `b`. */
function isNewer(a: object | undefined, b: object): boolean {
  const [left, right] = [metadataOf(a ?? {}), metadataOf(b)];
  if (left?.uid !== right?.uid) return false;
  return (compareResourceVersions(left?.resourceVersion ?? "", right?.resourceVersion ?? "") ?? -1) > 0;
}
