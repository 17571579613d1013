import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { type ExternalStore, selectStore } from "../stores/external-store.js";

/** Options for the hooks that select a part of a snapshot. */
export interface SelectOptions<R> {
  /** Compares the selected part with the previous one. Default `Object.is`; `shallowEqual` suits new arrays and objects. */
  readonly isEqual?: ((a: R, b: R) => boolean) | undefined;
}

/**
 * Returns the snapshot of an external store, or the part that `select` returns, and renders again when it changes.
 * `select` may be a new function in each rendering.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { useLiveStores, useStore } from "kubestream/react";
 *
 * // Renders again only when the number of pods changes.
 * export function PodCount(): number {
 *   return useStore(useLiveStores().collection(Pod, { namespace: "web" }), ({ items }) => items.length);
 * }
 * ```
 */
export function useStore<S>(store: ExternalStore<S>): S;
/** Returns the part of the snapshot that `select` returns, and renders again when that part changes. */
export function useStore<S, R>(store: ExternalStore<S>, select: (snapshot: S) => R, options?: SelectOptions<R>): R;
export function useStore<S, R>(
  store: ExternalStore<S>,
  select: (snapshot: S) => R = (snapshot) => snapshot as unknown as R,
  { isEqual = Object.is }: SelectOptions<R> = {},
): R {
  const shown = useRef<{ readonly value: R } | undefined>(undefined);
  const selected = useMemo(() => {
    // A new `select` must not cause a new value if it returns an equal one.
    const steady = (value: R): R =>
      shown.current !== undefined && isEqual(shown.current.value, value) ? shown.current.value : value;
    return selectStore(store, (snapshot) => steady(select(snapshot)), isEqual);
  }, [store, select, isEqual]);
  // Subscribed to the whole store, whose `subscribe` stays the same when `select` is a new function. React compares the
  // selected values itself.
  const value = useSyncExternalStore(store.subscribe, selected.getSnapshot, selected.getServerSnapshot);
  useEffect(() => {
    shown.current = { value };
  }, [value]);
  return value;
}
