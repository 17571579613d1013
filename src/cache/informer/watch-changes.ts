import { ClosedError } from "../../errors/errors.js";
import { onAbort } from "../../internal/abort.js";
import { createIdleIterator } from "../../internal/idle-iterator.js";
import type { Change } from "../store/change.js";
import type { BufferOptions } from "./change-buffer.js";
import { createChangeBuffer } from "./change-buffer.js";
import type { HandlerOptions, Informer } from "./informer.js";

/** Options for `watchChanges`. */
export interface WatchChangesOptions extends HandlerOptions, BufferOptions {
  /** Ends the iteration: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The changes of an informer, one by one. */
export interface ChangeStream<T> extends AsyncIterableIterator<Change<T>>, AsyncDisposable {
  /** Changes that wait to be taken. */
  readonly lag: number;
  /** Changes that were dropped or conflated. */
  readonly dropped: number;
  /** Leaves the informer. */
  return(): Promise<IteratorResult<Change<T>>>;
}

/**
 * The changes of an informer as an async iterable, the present first; single use. It begins at once; leaving the loop
 * leaves the informer. It ends when the informer is closed.
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
    // A replay that overflowed failed before there was anything to remove.
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
