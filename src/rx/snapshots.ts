import type { SchedulerLike, Subscription } from "rxjs";
import { asyncScheduler, Observable } from "rxjs";
import type { Informer } from "../cache/informer/informer.js";
import type { StoreQuery } from "../cache/store/store-query.js";
import { compileQuery } from "../cache/store/store-query.js";
import type { DeepReadonly } from "../meta/object.js";

/** Options of `snapshots`. */
export interface SnapshotOptions {
  /** Only the objects that match. Default: all. */
  readonly query?: StoreQuery;
  /** Least milliseconds between two snapshots. Default 0: one per turn of the scheduler. */
  readonly intervalMs?: number;
  /** Where snapshots are made. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * The contents of an informer's store, first when it is synced and then after changes; any number of changes in one
 * interval make one snapshot. Subscribing starts the informer; it completes when that is closed. Throws a `TypeError` for
 * selectors that are none.
 */
export function snapshots<T>(informer: Informer<T>, options: SnapshotOptions = {}): Observable<DeepReadonly<T>[]> {
  const { query, intervalMs = 0, scheduler = asyncScheduler } = options;
  if (query !== undefined) compileQuery(query);
  return new Observable((subscriber) => {
    // Not added to the subscriber one by one: it would keep them all until its end.
    let scheduled: Subscription | undefined;
    let taken = true;
    const schedule = (): void => {
      if (!taken || !informer.hasSynced) return;
      taken = false;
      scheduled = scheduler.schedule(() => {
        taken = true;
        subscriber.next(informer.store.list(query));
      }, intervalMs);
    };
    subscriber.add(() => {
      if (!taken) scheduled?.unsubscribe();
    });
    const statuses = informer.onStatus((status) => {
      if (status.type === "synced") schedule();
      if (status.type === "closed") subscriber.complete();
    });
    subscriber.add(() => statuses.remove());
    if (informer.status.type === "closed") {
      subscriber.complete();
      return;
    }
    const registration = informer.addHandler(schedule, { replay: false });
    subscriber.add(() => registration.remove());
    schedule();
  });
}
