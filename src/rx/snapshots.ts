import type { SchedulerLike, Subscription } from "rxjs";
import { asyncScheduler, Observable } from "rxjs";
import type { Informer } from "../cache/informer/informer.js";
import type { StoreQuery } from "../cache/store/store-query.js";
import { compileQuery } from "../cache/store/store-query.js";
import type { DeepReadonly } from "../meta/object.js";

/** Options for `snapshots`. */
export interface SnapshotOptions {
  /** Filter for the objects. Default: all objects. */
  readonly query?: StoreQuery | undefined;
  /** Minimum time between two snapshots in milliseconds. Default 0: one per turn of the scheduler. */
  readonly intervalMs?: number | undefined;
  /** Scheduler on which snapshots are emitted. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Emits the contents of an informer's store: once it is synced, then after changes. All changes within one interval
 * produce one snapshot. Subscribing starts the informer; the stream completes when the informer is closed. Throws a
 * `TypeError` for invalid selectors.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { snapshots } from "kubestream/rx";
 *
 * const client = await connect();
 * snapshots(createInformer(client.resource(Pod)), { query: { namespace: "web" }, intervalMs: 1_000 }).subscribe((pods) =>
 *   console.log(`${pods.length} pods in web`),
 * );
 * ```
 */
export function snapshots<T>(informer: Informer<T>, options: SnapshotOptions = {}): Observable<DeepReadonly<T>[]> {
  const { query, intervalMs = 0, scheduler = asyncScheduler } = options;
  if (query !== undefined) compileQuery(query);
  return new Observable((subscriber) => {
    // Not added to the subscriber, which would keep every scheduled subscription until its end.
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
