import { Pod } from "kubestream/kinds/core/v1";
import { useTable } from "kubestream/react";
import { type ReactElement, useState } from "react";
import { formatAge, useNow } from "./age.js";
import { type ListProps, isSelected, selectionOf } from "./app.js";

const pageSize = 50;

/** Pods with the columns that `kubectl get pods` shows, kept live by a watch of tables. */
export function Pods({ scope, search, selected, onSelect }: ListProps): ReactElement {
  const [sortBy, setSortBy] = useState({ column: "Name", descending: false });
  const [page, setPage] = useState({ scope, search, offset: 0 });
  // Another search or namespace starts on its first page.
  const offset = page.scope === scope && page.search === search ? page.offset : 0;
  const setOffset = (next: number): void => setPage({ scope, search, offset: next });
  const table = useTable(Pod, { ...scope, filter: search, sortBy, offset, limit: pageSize });
  const nowMs = useNow();
  const columns = table.columns.map(({ name, priority }, index) => ({ name, priority, index })).filter(({ priority }) => priority === 0);
  const sort = (column: string): void =>
    setSortBy({ column, descending: sortBy.column === column && !sortBy.descending });
  return (
    <section aria-labelledby="pods">
      <h2 id="pods">
        Pods <small>{table.matching === table.total ? table.total : `${table.matching} of ${table.total}`}</small>
      </h2>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Namespace</th>
              {columns.map(({ name }) => (
                <th key={name} scope="col" aria-sort={sortBy.column === name ? (sortBy.descending ? "descending" : "ascending") : "none"}>
                  <button type="button" onClick={() => sort(name)}>
                    {name}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map(({ cells, metadata }) => (
              <tr key={metadata.uid} className={isSelected(selected, "Pod", { metadata }) ? "current" : ""}>
                <td>{metadata.namespace}</td>
                {columns.map(({ name, index }) => (
                  <td key={name} className={name === "Status" ? `phase ${String(cells[index])}` : ""}>
                    {name === "Name" ? (
                      <button type="button" className="name" onClick={() => onSelect(selectionOf("Pod", { metadata }))}>
                        {String(cells[index])}
                      </button>
                    ) : name === "Age" ? (
                      formatAge(metadata.creationTimestamp, nowMs)
                    ) : (
                      String(cells[index])
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.matching > pageSize && (
        <p className="pager">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - pageSize))}>
            Back
          </button>
          {offset + 1}–{Math.min(offset + pageSize, table.matching)}
          <button type="button" disabled={offset + pageSize >= table.matching} onClick={() => setOffset(offset + pageSize)}>
            More
          </button>
        </p>
      )}
    </section>
  );
}
