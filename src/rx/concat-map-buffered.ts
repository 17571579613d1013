import type { OperatorFunction } from "rxjs";
import { Observable } from "rxjs";
import type { BufferOptions } from "../cache/informer/change-buffer.js";
import { createChangeBuffer } from "../cache/informer/change-buffer.js";
import type { Change } from "../cache/store/change.js";
import { handleRejection } from "../internal/handle-rejection.js";

/** Options for `concatMapBuffered`. */
export interface ConcatMapBufferedOptions extends BufferOptions {
  /** Called with the number of waiting changes and the number of dropped or conflated ones, whenever either changes. */
  readonly onLag?: ((lag: number, dropped: number) => void) | undefined;
}

/**
 * Processes changes one at a time: waits for the promise of each change before it takes the next. Changes that arrive
 * while one is processed are buffered according to `policy`. A rejected promise fails the stream.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { concatMapBuffered, fromInformer } from "kubestream/rx";
 *
 * const client = await connect();
 * const save = async (key: string): Promise<string> => key;
 * fromInformer(createInformer(client.resource(Pod)))
 *   .pipe(concatMapBuffered((change) => save(change.key), { policy: "conflate" }))
 *   .subscribe((key) => console.log("saved", key));
 * ```
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
            handleRejection(options.onLag?.(buffer.lag, buffer.dropped));
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
            handleRejection(options.onLag?.(buffer.lag, buffer.dropped));
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
