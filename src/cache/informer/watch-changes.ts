import { ClosedError } from "../../errors/errors.js";
import { onAbort } from "../../internal/abort.js";
import { createIdleIterator } from "../../internal/streams/idle-iterator.js";
import type { Change } from "../store/change.js";
import type { BufferOptions } from "./change-buffer.js";
import { createChangeBuffer } from "./change-buffer.js";
import type { HandlerOptions, Informer } from "./informer.js";

/** Options for `watchChanges`. */
export interface WatchChangesOptions extends HandlerOptions, BufferOptions {
  /** Ends the iteration; the iterator throws `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** Async iterator over the changes of an informer. */
export interface ChangeStream<T> extends AsyncIterableIterator<Change<T>>, AsyncDisposable {
  /** Number of buffered changes. */
  readonly lag: number;
  /** Number of changes that were dropped or conflated. */
  readonly dropped: number;
  /** Ends the iteration and unsubscribes from the informer. */
  return(): Promise<IteratorResult<Change<T>>>;
}

/**
 * Returns the changes of an informer as a single-use async iterable, starting with the current objects. It subscribes
 * right away and buffers according to the `policy`; leaving the loop unsubscribes. The iteration ends when the informer
 * is closed.
 *
 * @example
 * ```ts
 * import { createInformer, watchChanges } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * await using informer = createInformer(client.resource(Pod).namespace("web"));
 * for await (const change of watchChanges(informer, { policy: "conflate", signal: AbortSignal.timeout(60_000) })) {
 *   console.log(change.type, change.key);
 * }
 * ```
 */
export function watchChanges<T>(informer: Informer<T>, options: WatchChangesOptions = {}): ChangeStream<T> {
  const { signal } = options;
  const buffer = createChangeBuffer<T>(options);
  let failure: { readonly error: unknown } | undefined;
  let closed = false;
  let wake: (() => void) | undefined;
  const woken = (): void => {
    wake?.();
    wake = undefined;
  };
  const fail = (error: unknown): void => {
    failure ??= { error };
    leave();
    woken();
  };
  const leave = (): void => {
    closing.remove();
    registration?.remove();
    forget?.();
  };

  const closing = informer.onStatus(({ type }) => {
    if (type !== "closed") return;
    closed = true;
    woken();
  });
  let registration: ReturnType<Informer<T>["addHandler"]> | undefined;
  let forget: (() => void) | undefined;
  if (signal?.aborted === true) fail(signal.reason);
  else {
    if (signal !== undefined) forget = onAbort(signal, () => fail(signal.reason));
    try {
      registration = informer.addHandler((change) => {
        if (failure !== undefined) return;
        try {
          buffer.push(change);
          woken();
        } catch (error) {
          fail(error);
        }
      }, options);
    } catch (error) {
      leave();
      if (!(error instanceof ClosedError)) throw error;
      closed = true;
    }
    // If the replay overflowed the buffer, `fail` ran before the registration existed.
    if (failure !== undefined) leave();
  }

  const iterator = createIdleIterator<Change<T>>({
    take: () => (failure === undefined ? buffer.take() : undefined),
    async fill() {
      if (failure === undefined && !closed && buffer.lag === 0) await new Promise<void>((resolve) => (wake = resolve));
      if (failure !== undefined) throw failure.error;
      return !closed || buffer.lag > 0;
    },
    stop() {
      leave();
      woken();
    },
  });
  return Object.defineProperties(iterator, {
    lag: { get: () => buffer.lag, enumerable: true },
    dropped: { get: () => buffer.dropped, enumerable: true },
  }) as unknown as ChangeStream<T>;
}
