interface Followers {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

const followersOf = new WeakMap<AbortSignal, Followers>();

/**
 * Calls `callback` once when the signal aborts, and returns a function that unsubscribes. All callbacks of a signal
 * share one listener, because Node warns of a leak at eleven listeners and a signal may end more calls than that.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const own = (): void => callback();
  const followers = followersOf.get(signal) ?? createFollowers(signal);
  if (followers.callbacks.size === 0) signal.addEventListener("abort", followers.fire);
  followers.callbacks.add(own);
  return () => {
    if (followers.callbacks.delete(own) && followers.callbacks.size === 0)
      signal.removeEventListener("abort", followers.fire);
  };
}

/** Like `onAbort`, but calls back immediately if the signal has already aborted. */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (!signal.aborted) return onAbort(signal, callback);
  callback();
  return () => undefined;
}

function createFollowers(signal: AbortSignal): Followers {
  const callbacks = new Set<() => void>();
  const followers: Followers = {
    callbacks,
    fire() {
      signal.removeEventListener("abort", followers.fire);
      for (const call of [...callbacks]) if (callbacks.delete(call)) call();
    },
  };
  followersOf.set(signal, followers);
  return followers;
}

/** Source of an abort: an AbortSignal, or a link, which creates its signal only when it's read. */
export interface Abortable {
  /** True once it has aborted. */
  readonly aborted: boolean;
  /** Reason of the abort. */
  readonly reason: unknown;
  /** Calls `callback` once on the abort, and returns a function that unsubscribes. */
  onAbort(callback: () => void): () => void;
  /** The same as an AbortSignal. */
  readonly signal: AbortSignal;
}

/** AbortController that follows other signals until it's released. */
export interface LinkedAbort extends Abortable {
  /** Aborts with the reason of the first parent, or the one passed to `abort`. */
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  abort(reason?: unknown): void;
  /** Stops listening to the parents. Call it on every exit, including success. */
  release(): void;
  /** Index in its group, or -1. Only the group uses it. */
  place: number;
}

/** Set of links to abort together. */
export class AbortGroup {
  readonly #links: LinkedAbort[] = [];

  /** Adds a link. */
  add(link: LinkedAbort): void {
    link.place = this.#links.push(link) - 1;
  }

  /** Removes a link, if it's in the group. */
  delete(link: LinkedAbort): void {
    if (link.place < 0) return;
    // Move the last link into the gap, so that removal takes constant time.
    const last = this.#links.pop()!;
    if (last !== link) {
      this.#links[link.place] = last;
      last.place = link.place;
    }
    link.place = -1;
  }

  /** Aborts and removes all links. */
  abort(reason: unknown): void {
    for (const link of this.#links.splice(0)) {
      link.place = -1;
      link.abort(reason);
    }
  }
}

/** Creates its controller when the signal is read, which most requests never do. */
class Link implements LinkedAbort {
  place = -1;
  aborted = false;
  reason: unknown = undefined;
  #controller: AbortController | undefined;
  #callbacks: (() => void)[] | undefined;
  #unfollow: (() => void)[] | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  follow(parent: AbortSignal): void {
    (this.#unfollow ??= []).push(onAbort(parent, () => this.abort(parent.reason)));
  }

  onAbort(callback: () => void): () => void {
    const own = (): void => callback();
    (this.#callbacks ??= []).push(own);
    return () => {
      const index = this.#callbacks?.indexOf(own) ?? -1;
      if (index >= 0) this.#callbacks!.splice(index, 1);
    };
  }

  abort(reason?: unknown): void {
    this.release();
    if (this.aborted) return;
    this.aborted = true;
    // Like AbortController, which supplies a default reason.
    this.reason = reason === undefined ? AbortSignal.abort().reason : reason;
    this.#controller?.abort(this.reason);
    while (this.#callbacks !== undefined && this.#callbacks.length > 0) this.#callbacks.shift()!();
  }

  release(): void {
    const unfollow = this.#unfollow;
    this.#unfollow = undefined;
    if (unfollow !== undefined) for (const stop of unfollow) stop();
  }
}

/**
 * Links a new controller to parents. It doesn't use `AbortSignal.any`: on Node 20, its dependents live as long as a
 * long-lived parent, which is a leak for a client that creates one per request.
 */
export function linkAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const link = new Link();
  for (const parent of parents) {
    if (parent === undefined) continue;
    if (parent.aborted) {
      link.abort(parent.reason);
      break;
    }
    link.follow(parent);
  }
  return link;
}

/** Wraps a signal as an `Abortable`. */
export function abortableOf(signal: AbortSignal): Abortable {
  return {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.reason as unknown;
    },
    onAbort: (callback) => onAbort(signal, callback),
    signal,
  };
}

/**
 * Waits for a promise until the signal aborts, and rejects with its reason then. The work behind the promise goes on,
 * because other callers may share it.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = whenAborted(signal, () => reject(signal.reason as Error));
    promise.then(
      (value) => {
        leave();
        resolve(value);
      },
      (error: unknown) => {
        leave();
        reject(error);
      },
    );
  });
}
