import type { ListMeta } from "../../meta/list.js";
import type { KubernetesObject, ObjectMeta } from "../../meta/object.js";
import type { PartialObjectMetadata, Table, TableColumnDefinition, TableRow } from "../../meta/table.js";

/** Options for `asTable`. */
export interface TableOptions {
  /** Part of the object that each row carries. Default `Metadata`. */
  readonly includeObject?: "Metadata" | "Object" | undefined;
}

/** A table row that can be cached like an object because it carries the object's metadata. */
export interface TableItem<O = PartialObjectMetadata> extends TableRow<O> {
  /** Metadata of the object. */
  readonly metadata: ObjectMeta;
  /** Column definitions; the same for all rows of a list or watch. */
  readonly columns: readonly TableColumnDefinition[];
}

/**
 * A Table whose columns and rows are always present. Because it has `items`, it can also be used as a list of its rows.
 */
export interface ObjectTable<O = PartialObjectMetadata> extends Table<O> {
  /** Version of the collection and the token for the next page. */
  metadata: ListMeta;
  /** Column definitions. */
  columnDefinitions: TableColumnDefinition[];
  /** Rows. */
  rows: TableItem<O>[];
  /** The same rows again, under the name that lists use. */
  items: TableItem<O>[];
}

/**
 * Returns the cell of a row in the column with this name, ignoring case; `undefined` if the table lacks the column.
 *
 * @example
 * ```ts
 * import { getCell } from "kubestream";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const table = await client.resource(Pod).namespace("web").asTable().list();
 * for (const row of table.items) console.log(row.metadata.name, getCell(row, "Ready"), getCell(row, "Status"));
 * ```
 */
export function getCell(
  row: { readonly cells: readonly unknown[]; readonly columns: readonly { readonly name: string }[] },
  heading: string,
): unknown {
  const wanted = heading.toLowerCase();
  const at = row.columns.findIndex((column) => column.name.toLowerCase() === wanted);
  return at < 0 ? undefined : row.cells[at];
}

/** `Accept` value for tables. A server without table support falls back to plain objects. */
export const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.9";

/** Converts any response to a table. `columns` are those from the first event of a watch, which later events omit. */
export function toTable(answer: object, columns?: readonly TableColumnDefinition[]): ObjectTable<unknown> {
  const table = isTable(answer) ? answer : printed(answer);
  const definitions = table.columnDefinitions ?? [...(columns ?? [])];
  const rows = (table.rows ?? []).map((row) =>
    Object.assign(row, { metadata: metadataOf(row.object), columns: definitions }),
  );
  return Object.assign(table, { columnDefinitions: definitions, rows, items: rows });
}

function isTable(answer: object): answer is Table {
  return (answer as KubernetesObject).kind === "Table";
}

function metadataOf(object: unknown): ObjectMeta {
  return (object as KubernetesObject | null)?.metadata ?? {};
}

/**
 * Builds a table from plain objects for a server without table support. The columns are the API server's defaults: name
 * and creation time.
 */
function printed(answer: object): Table {
  const list = answer as { items?: KubernetesObject[]; metadata?: ListMeta };
  const objects = Array.isArray(list.items) ? list.items : [answer as KubernetesObject];
  const metadata = Array.isArray(list.items)
    ? (list.metadata ?? {})
    : {
        ...(objects[0]?.metadata?.resourceVersion !== undefined && {
          resourceVersion: objects[0].metadata.resourceVersion,
        }),
      };
  return {
    apiVersion: "meta.k8s.io/v1",
    kind: "Table",
    metadata,
    columnDefinitions: [
      { name: "Name", type: "string", format: "name", description: "Name of the object", priority: 0 },
      { name: "Created At", type: "date", format: "", description: "When the object was created", priority: 0 },
    ],
    rows: objects.map((object) => ({
      cells: [object.metadata?.name ?? "", object.metadata?.creationTimestamp ?? null],
      object,
    })),
  };
}
