import { Observable } from "rxjs";
import type { ListWatch } from "../client/resource/collection.js";
import type { PagesOptions } from "../client/resource/pages.js";
import { linkAbort } from "../internal/abort.js";
import type { List } from "../meta/list.js";
import type { WatchOptions } from "../meta/options.js";
import type { WatchEvent } from "../meta/watch-event.js";

/**
 * Emits the events of one watch, opened for each subscriber. It completes when the server ends the watch and fails on
 * any other end; unsubscribing closes the connection. Use `fromInformer` for a stream that survives both.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { fromWatch } from "kubestream/rx";
 *
 * const client = await connect();
 * const subscription = fromWatch(client.resource(Pod).namespace("web"), { timeoutSeconds: 60 }).subscribe({
 *   next: (event) => console.log(event.type),
 *   error: (error) => console.error(error),
 * });
 * setTimeout(() => subscription.unsubscribe(), 10_000);
 * ```
 */
export function fromWatch<T>(source: ListWatch<T>, options: WatchOptions = {}): Observable<WatchEvent<T>> {
  return fromIterator((signal) => source.watch({ ...options, signal }), options.signal);
}

/**
 * Emits the pages of one list, requested one after the other for each subscriber. Unsubscribing aborts the current
 * request.
 */
export function fromPages<T>(
  source: { pages(options?: PagesOptions): AsyncIterableIterator<List<T>> },
  options: PagesOptions = {},
): Observable<List<T>> {
  return fromIterator((signal) => source.pages({ ...options, signal }), options.signal);
}

/** Like RxJS's `from`, which however neither returns a pending iterator nor aborts its request on unsubscribe. */
function fromIterator<V>(
  open: (signal: AbortSignal) => AsyncIterator<V>,
  parent: AbortSignal | undefined,
): Observable<V> {
  return new Observable((subscriber) => {
    const link = linkAbort(parent);
    subscriber.add(() => link.abort());
    const pull = async (): Promise<void> => {
      let iterator: AsyncIterator<V> | undefined;
      try {
        iterator = open(link.signal);
        while (!subscriber.closed) {
          const result = await iterator.next();
          if (result.done === true) break;
          subscriber.next(result.value);
        }
        subscriber.complete();
      } catch (error) {
        subscriber.error(error);
      } finally {
        link.abort();
        // The subscriber has all its values by now; a failing `return` adds nothing.
        await iterator?.return?.().catch(() => undefined);
      }
    };
    void pull();
  });
}
