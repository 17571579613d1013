import { useEffect, useState } from "react";
import { createLiveTable, type LiveTable, type TableSnapshot } from "../stores/live-table.js";
import type { LiveQuery, LiveTarget } from "../stores/live-target.js";
import type { TableView } from "../stores/table-view.js";
import { useLiveStores } from "./provider.js";
import { useStore } from "./use-store.js";

/** Options for `useTable`. A `filter` function must stay the same between renderings (`useCallback`). */
export interface UseTableOptions extends LiveQuery, TableView {}

/**
 * Returns a window of a live table with the server's columns, sorted and filtered. A change of the query shows another
 * table; a change of the view updates the current one.
 *
 * @example
 * ```ts
 * import { createElement, type ReactElement } from "react";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { useTable } from "kubestream/react";
 *
 * export function Pods({ search }: { search: string }): ReactElement {
 *   const { rows, matching } = useTable(Pod, { namespace: "web", filter: search, sortBy: { column: "Age" }, limit: 50 });
 *   const lines = rows.map(({ cells, metadata }) => createElement("li", { key: metadata.uid }, cells.join(" ")));
 *   return createElement("ul", null, ...lines, `${matching} pods`);
 * }
 * ```
 */
export function useTable(target: LiveTarget<unknown>, options: UseTableOptions = {}): TableSnapshot {
  const stores = useLiveStores();
  const { namespace, labelSelector, fieldSelector, sortBy, filter, offset, limit } = options;
  const identity: readonly unknown[] = [stores, target, namespace, labelSelector, fieldSelector];
  const create = (): { readonly identity: readonly unknown[]; readonly table: LiveTable } => ({
    identity,
    table: createLiveTable(
      stores,
      target,
      { namespace, labelSelector, fieldSelector },
      { sortBy, filter, offset, limit },
    ),
  });
  const [held, hold] = useState(create);
  let current = held;
  if (identity.some((part, index) => part !== held.identity[index])) hold((current = create()));
  const { table } = current;
  const { column, descending } = sortBy ?? {};
  useEffect(() => {
    table.setView({ sortBy: column === undefined ? undefined : { column, descending }, filter, offset, limit });
  }, [table, column, descending, filter, offset, limit]);
  return useStore(table);
}
