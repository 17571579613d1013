import { KubestreamError } from "../../errors/kubestream-error.js";
import type { SyncPull } from "../../internal/sync-pull.js";
import type { Change } from "../store/change.js";

/** What becomes of changes that come faster than they are taken. */
export interface BufferOptions {
  /**
   * `unbounded` (default) keeps all of them; `conflate` keeps what is news per object, so that there are never more than
   * objects; `dropOldest` keeps the newest `capacity`; `error` ends the stream when there are more than `capacity`.
   */
  readonly policy?: "unbounded" | "conflate" | "dropOldest" | "error";
  /** Most changes kept by `dropOldest` and `error`. Default 1,000. */
  readonly capacity?: number;
}

/** Buffer between an informer and one slow consumer. */
export interface ChangeBuffer<T> extends Required<SyncPull<Change<T>>> {
  /** Changes that wait. */
  readonly lag: number;
  /** Changes that were dropped. */
  readonly dropped: number;
  /** Takes a change. Throws a `KubestreamError` where the policy is `error` and there is no room. */
  push(change: Change<T>): void;
}

/** Makes a buffer. Throws a `RangeError` for a capacity below 1. */
export function createChangeBuffer<T>({ policy = "unbounded", capacity = 1_000 }: BufferOptions = {}): ChangeBuffer<T> {
  if (!(capacity >= 1)) throw new RangeError(`capacity must be at least 1, not ${capacity}`);
  return policy === "conflate" ? createConflatingBuffer() : createQueueBuffer(policy, capacity);
}

function createQueueBuffer<T>(policy: "unbounded" | "dropOldest" | "error", capacity: number): ChangeBuffer<T> {
  let waiting: Change<T>[] = [];
  let head = 0;
  let dropped = 0;
  const take = (): Change<T> | undefined => {
    if (head >= waiting.length) return undefined;
    const change = waiting[head++];
    if (head > 1_024 && head * 2 > waiting.length) {
      waiting = waiting.slice(head);
      head = 0;
    }
    return change;
  };
  return {
    get lag() {
      return waiting.length - head;
    },
    get dropped() {
      return dropped;
    },
    push(change) {
      if (policy !== "unbounded" && waiting.length - head >= capacity) {
        if (policy === "error") throw new KubestreamError(`a subscriber fell ${capacity} changes behind`);
        take();
        dropped++;
      }
      waiting.push(change);
    },
    take,
  };
}

/** At most one piece of news per object, or two where another object took the name. */
function createConflatingBuffer<T>(): ChangeBuffer<T> {
  const news = new Map<string, readonly Change<T>[]>();
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
      const held = news.get(change.key) ?? [];
      const next = conflate(held, change);
      lag += next.length - held.length;
      dropped += held.length + 1 - next.length;
      if (next.length === 0) news.delete(change.key);
      else news.set(change.key, next);
    },
    take() {
      for (const [key, [first, ...rest]] of news) {
        if (rest.length === 0) news.delete(key);
        else news.set(key, rest);
        lag--;
        return first;
      }
      return undefined;
    },
  };
}

/** What is left to tell of one object after one more change. */
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
      // What was never told to be there need not be told to be gone.
      return last.type === "added" ? before : [...before, next];
  }
}
