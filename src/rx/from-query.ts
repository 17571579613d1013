import { Observable } from "rxjs";
import type { JoinChange, JoinOptions } from "../cache/combine/join.js";
import { joinInformers } from "../cache/combine/join.js";
import { filterChange } from "../cache/informer/change-filter.js";
import type { HandlerOptions, Informer } from "../cache/informer/informer.js";
import type { Change } from "../cache/store/change.js";
import type { StoreQuery } from "../cache/store/store-query.js";
import { compileQuery } from "../cache/store/store-query.js";
import type { DeepReadonly } from "../meta/object.js";
import { fromInformer } from "./from-informer.js";

/**
 * The changes of the objects that match: what comes to match is `added`, what no longer does is `deleted`. It asks
 * nothing of the server beyond what the informer does. Throws a `TypeError` for selectors that are none.
 */
export function fromQuery<T>(
  informer: Informer<T>,
  query: StoreQuery,
  options: HandlerOptions = {},
): Observable<Change<T>> {
  const { matches } = compileQuery<DeepReadonly<T>>(query);
  return new Observable((subscriber) =>
    fromInformer(informer, options).subscribe({
      next(change) {
        const seen = filterChange(change, matches);
        if (seen !== undefined) subscriber.next(seen);
      },
      error: (error) => subscriber.error(error),
      complete: () => subscriber.complete(),
    }),
  );
}

/** One object by its key, `namespace/name`: as it is when the informer is synced, then each state; `undefined` while there is none. */
export function fromObject<T>(informer: Informer<T>, key: string): Observable<DeepReadonly<T> | undefined> {
  return new Observable((subscriber) => {
    let emitted: { readonly object: DeepReadonly<T> | undefined } | undefined;
    const emit = (): void => {
      if (!informer.hasSynced) return;
      const object = informer.store.get(key);
      if (emitted !== undefined && emitted.object === object) return;
      emitted = { object };
      subscriber.next(object);
    };
    const statuses = informer.onStatus(({ type }) => {
      if (type === "synced") emit();
    });
    subscriber.add(() => statuses.remove());
    subscriber.add(
      fromInformer(informer, { replay: false }).subscribe({
        next(change) {
          if (change.key === key) emit();
        },
        complete: () => subscriber.complete(),
      }),
    );
    emit();
  });
}

/** The objects of one informer, each with those of another that belong to it; see `joinInformers`. It completes when either is closed. */
export function fromJoin<L, R>(
  left: Informer<L>,
  right: Informer<R>,
  options: JoinOptions<L, R>,
): Observable<JoinChange<L, R>> {
  return new Observable((subscriber) => {
    for (const informer of [left, right]) {
      const statuses = informer.onStatus(({ type }) => {
        if (type === "closed") subscriber.complete();
      });
      subscriber.add(() => statuses.remove());
      if (informer.status.type === "closed") {
        subscriber.complete();
        return;
      }
    }
    const join = joinInformers(left, right, options, (change) => subscriber.next(change));
    subscriber.add(() => join.remove());
  });
}
