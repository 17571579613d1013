import { KubestreamError } from "../../errors/kubestream-error.js";
import { Fifo } from "../../internal/streams/fifo.js";
import type { SyncPull } from "../../internal/streams/sync-pull.js";
import type { Change } from "../store/change.js";

/** Options for buffering changes that arrive faster than they are consumed. */
export interface BufferOptions {
  /**
   * Policy when the consumer falls behind. Default `unbounded`.
   *
   * - `unbounded` keeps every change.
   * - `conflate` merges the waiting changes of each object into its net change.
   * - `dropOldest` keeps the newest `capacity` changes.
   * - `error` fails the stream when more than `capacity` changes are waiting.
   */
  readonly policy?: "unbounded" | "conflate" | "dropOldest" | "error" | undefined;
  /** Number of changes that `dropOldest` and `error` keep. Default 1,000. */
  readonly capacity?: number | undefined;
}

/** Buffer between an informer and one slow consumer. */
export interface ChangeBuffer<T> extends Required<SyncPull<Change<T>>> {
  /** Number of buffered changes. */
  readonly lag: number;
  /** Number of changes that were dropped or conflated. */
  readonly dropped: number;
  /** Adds a change. Throws a `KubestreamError` if the policy is `error` and the buffer is full. */
  push(change: Change<T>): void;
}

/** Creates a buffer. Throws a `RangeError` for a capacity below 1. */
export function createChangeBuffer<T>({ policy = "unbounded", capacity = 1_000 }: BufferOptions = {}): ChangeBuffer<T> {
  if (!(capacity >= 1)) throw new RangeError(`capacity must be at least 1, not ${capacity}`);
  return policy === "conflate" ? createConflatingBuffer() : createQueueBuffer(policy, capacity);
}

function createQueueBuffer<T>(policy: "unbounded" | "dropOldest" | "error", capacity: number): ChangeBuffer<T> {
  const waiting = new Fifo<Change<T>>();
  let dropped = 0;
  return {
    get lag() {
      return waiting.length;
    },
    get dropped() {
      return dropped;
    },
    push(change) {
      if (policy !== "unbounded" && waiting.length >= capacity) {
        if (policy === "error")
          throw new KubestreamError(`the change buffer is full: ${capacity} changes are waiting to be consumed`);
        waiting.shift();
        dropped++;
      }
      waiting.push(change);
    },
    take: () => waiting.shift(),
  };
}

/** Creates a buffer that holds one change per object, or two after a delete and re-create. */
function createConflatingBuffer<T>(): ChangeBuffer<T> {
  const pending = new Map<string, readonly Change<T>[]>();
  let lag = 0;
  let dropped = 0;
  return {
    get lag() {
      return lag;
    },
    get dropped() {
      return dropped;
    },
    push(change) {
      const held = pending.get(change.key) ?? [];
      const next = conflate(held, change);
      lag += next.length - held.length;
      dropped += held.length + 1 - next.length;
      if (next.length === 0) pending.delete(change.key);
      else pending.set(change.key, next);
    },
    take() {
      for (const [key, [first, ...rest]] of pending) {
        if (rest.length === 0) pending.delete(key);
        else pending.set(key, rest);
        lag--;
        return first;
      }
      return undefined;
    },
  };
}

/** Merges one more change into the changes that an object already has in the buffer. */
function conflate<T>(held: readonly Change<T>[], next: Change<T>): readonly Change<T>[] {
  const last = held.at(-1);
  if (last === undefined) return [next];
  const before = held.slice(0, -1);
  switch (next.type) {
    case "added":
      return [...held, next];
    case "updated":
      if (last.type === "added") return [...before, { ...last, object: next.object }];
      return last.type === "updated" ? [...before, { ...next, old: last.old }] : [...held, next];
    case "deleted":
      // Added and deleted before delivery: emit nothing.
      return last.type === "added" ? before : [...before, next];
  }
}
