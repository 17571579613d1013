import type { OperatorFunction } from "rxjs";
import { Observable } from "rxjs";
import type { BufferOptions } from "../cache/informer/change-buffer.js";
import { createChangeBuffer } from "../cache/informer/change-buffer.js";
import type { Change } from "../cache/store/change.js";

/** Options for `concatMapBuffered`. */
export interface ConcatMapBufferedOptions extends BufferOptions {
  /** Told how many changes wait and how many were dropped or conflated, whenever that has changed. */
  readonly onLag?: (lag: number, dropped: number) => void;
}

/**
 * Works off changes one at a time: the next is begun when the promise of the one before has resolved. Meanwhile changes
 * are kept as the policy says. A promise that rejects fails the stream.
 */
export function concatMapBuffered<T, V>(
  project: (change: Change<T>) => Promise<V>,
  options: ConcatMapBufferedOptions = {},
): OperatorFunction<Change<T>, V> {
  return (source) =>
    new Observable((subscriber) => {
      const buffer = createChangeBuffer<T>(options);
      let busy = false;
      let ended = false;
      const work = async (): Promise<void> => {
        if (busy) return;
        busy = true;
        try {
          for (let change = buffer.take(); change !== undefined && !subscriber.closed; change = buffer.take()) {
            options.onLag?.(buffer.lag, buffer.dropped);
            subscriber.next(await project(change));
          }
          busy = false;
          if (ended) subscriber.complete();
        } catch (error) {
          subscriber.error(error);
        }
      };
      subscriber.add(
        source.subscribe({
          next(change) {
            try {
              buffer.push(change);
            } catch (error) {
              subscriber.error(error);
              return;
            }
            options.onLag?.(buffer.lag, buffer.dropped);
            void work();
          },
          error: (error) => subscriber.error(error),
          complete() {
            ended = true;
            void work();
          },
        }),
      );
    });
}
