interface Followers {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

const followersOf = new WeakMap<AbortSignal, Followers>();

/**
 * Calls `callback` once when the signal fires; the function it returns takes that back. However many callbacks there are, the
 * signal has one listener: Node warns of a leak at eleven, and a signal may well end more calls than that.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const own = (): void => callback();
  const followers = followersOf.get(signal) ?? createFollowers(signal);
  if (followers.callbacks.size === 0) signal.addEventListener("abort", followers.fire);
  followers.callbacks.add(own);
  return () => {
    if (followers.callbacks.delete(own) && followers.callbacks.size === 0) signal.removeEventListener("abort", followers.fire);
  };
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

/** An AbortController that follows other signals until it is released. */
export interface LinkedAbort {
  /** Fires with the first of the parents' reasons, or with the one given to `abort`. */
  readonly signal: AbortSignal;
  /** Fires the signal. */
  abort(reason?: unknown): void;
  /** Stops listening to the parents. Call it on every exit, success too. */
  release(): void;
}

/**
 * Links a new controller to parents. `AbortSignal.any` is not used: on Node 20 its dependants are kept alive as long
 * as a long-lived parent, a leak for a client that makes one per request.
 */
export function linkAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  let unfollow: (() => void)[] = [];
  const release = (): void => {
    for (const stop of unfollow) stop();
    unfollow = [];
  };
  for (const parent of parents) {
    if (parent === undefined) continue;
    if (parent.aborted) {
      release();
      controller.abort(parent.reason);
      break;
    }
    unfollow.push(
      onAbort(parent, () => {
        release();
        controller.abort(parent.reason);
      }),
    );
  }
  return {
    signal: controller.signal,
    release,
    abort(reason) {
      release();
      controller.abort(reason);
    },
  };
}
