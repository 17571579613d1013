import { Observable } from "rxjs";
import type { ListWatch } from "../client/resource/collection.js";
import type { PagesOptions } from "../client/resource/pages.js";
import { linkAbort } from "../internal/abort.js";
import type { List } from "../meta/list.js";
import type { WatchOptions } from "../meta/options.js";
import type { WatchEvent } from "../meta/watch-event.js";

/**
 * The events of one watch, opened for each subscriber. It completes when the server ends the watch and fails with what
 * ends it otherwise; unsubscribing closes the connection. An informer is what survives both.
 */
export function fromWatch<T>(source: ListWatch<T>, options: WatchOptions = {}): Observable<WatchEvent<T>> {
  return fromIterator((signal) => source.watch({ ...options, signal }), options.signal);
}

/** The pages of one list, asked for one after the other by each subscriber. Unsubscribing ends the request that runs. */
export function fromPages<T>(
  source: { pages(options?: PagesOptions): AsyncIterableIterator<List<T>> },
  options: PagesOptions = {},
): Observable<List<T>> {
  return fromIterator((signal) => source.pages({ ...options, signal }), options.signal);
}

/** RxJS's own `from` leaves an iterator that waits: it neither returns it nor aborts what it waits for. */
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
        // What the subscriber was to be told it was told; a source that fails to return has nothing to add.
        await iterator?.return?.().catch(() => undefined);
      }
    };
    void pull();
  });
}
