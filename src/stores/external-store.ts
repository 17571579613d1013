/**
 * A value that changes over time, in the shape of React's `useSyncExternalStore`. Snapshots are immutable, and
 * `getSnapshot` returns the same instance until the next change.
 */
export interface ExternalStore<S> {
  /** Returns the current snapshot. */
  getSnapshot(): S;
  /** Returns the snapshot for server-side rendering and for hydration. */
  getServerSnapshot(): S;
  /** Calls `onChange` after each change until the returned function is called. */
  subscribe(onChange: () => void): () => void;
}

/**
 * Returns a store with a part of another store's snapshot. It notifies only when the part changes: `isEqual` compares
 * the part with the previous one, by default with `Object.is`. `select` must be pure.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { createLiveStores, selectStore } from "kubestream/stores";
 *
 * const stores = createLiveStores(await connect());
 * const pods = stores.collection(Pod, { namespace: "web" });
 * const pending = selectStore(pods, ({ items }) => items.filter((pod) => pod.status?.phase === "Pending").length);
 * const unsubscribe = pending.subscribe(() => console.log(`${pending.getSnapshot()} pods are pending`));
 * setTimeout(unsubscribe, 60_000);
 * ```
 */
export function selectStore<S, R>(
  store: ExternalStore<S>,
  select: (snapshot: S) => R,
  isEqual: (a: R, b: R) => boolean = Object.is,
): ExternalStore<R> {
  const reader = (read: () => S): (() => R) => {
    let last: { readonly from: S; readonly value: R } | undefined;
    return () => {
      const from = read();
      if (last !== undefined && Object.is(last.from, from)) return last.value;
      const value = select(from);
      last = { from, value: last !== undefined && isEqual(last.value, value) ? last.value : value };
      return last.value;
    };
  };
  const getSnapshot = reader(() => store.getSnapshot());
  return {
    getSnapshot,
    getServerSnapshot: reader(() => store.getServerSnapshot()),
    subscribe(onChange) {
      let seen = getSnapshot();
      return store.subscribe(() => {
        const next = getSnapshot();
        if (Object.is(seen, next)) return;
        seen = next;
        onChange();
      });
    },
  };
}

/**
 * Compares two values one level deep: arrays by their elements, plain objects by their properties, others with
 * `Object.is`. Use it as `isEqual` for selectors that return a new array or object each time.
 */
export function shallowEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && Object.is(left[name], right[name]))
  );
}
