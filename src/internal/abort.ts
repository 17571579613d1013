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
    if (followers.callbacks.delete(own) && followers.callbacks.size === 0)
      signal.removeEventListener("abort", followers.fire);
  };
}

/** As `onAbort`, but calls at once for a signal that has fired. */
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

/** What can end something: an AbortSignal, or a link, whose signal costs nothing until somebody asks for it. */
export interface Abortable {
  /** Whether it has fired. */
  readonly aborted: boolean;
  /** Why it has fired. */
  readonly reason: unknown;
  /** Calls `callback` once when it fires; the function it returns takes that back. */
  onAbort(callback: () => void): () => void;
  /** The same as an AbortSignal. */
  readonly signal: AbortSignal;
}

/** An AbortController that follows other signals until it is released. */
export interface LinkedAbort extends Abortable {
  /** Fires with the first of the parents' reasons, or with the one given to `abort`. */
  readonly signal: AbortSignal;
  /** Fires the signal. */
  abort(reason?: unknown): void;
  /** Stops listening to the parents. Call it on every exit, success too. */
  release(): void;
  /** Where in its group it stands; -1 for none. For the group alone. */
  place: number;
}

/** Links that can be ended together. */
export class AbortGroup {
  readonly #links: LinkedAbort[] = [];

  /** Puts a link in. */
  add(link: LinkedAbort): void {
    link.place = this.#links.push(link) - 1;
  }

  /** Takes it out again; one that is not in stays out. */
  delete(link: LinkedAbort): void {
    if (link.place < 0) return;
    // The last one takes its place, so that nothing is moved or counted.
    const last = this.#links.pop()!;
    if (last !== link) {
      this.#links[link.place] = last;
      last.place = link.place;
    }
    link.place = -1;
  }

  /** Ends all that are in, and takes them out. */
  abort(reason: unknown): void {
    for (const link of this.#links.splice(0)) {
      link.place = -1;
      link.abort(reason);
    }
  }
}

/** A link: its controller is made when the signal is asked for, which for most requests nobody does. */
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
    // As a controller does it, which also says why where nobody did.
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
 * Links a new controller to parents. `AbortSignal.any` is not used: on Node 20 its dependants are kept alive as long
 * as a long-lived parent, a leak for a client that makes one per request.
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

/** A signal as what can end something. */
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
