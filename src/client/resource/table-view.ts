import type { ListMeta } from "../../meta/list.js";
import type { KubernetesObject, ObjectMeta } from "../../meta/object.js";
import type { PartialObjectMetadata, Table, TableColumnDefinition, TableRow } from "../../meta/table.js";

/** Options for `asTable`. */
export interface TableOptions {
  /** The object's metadata (default) or all of it. */
  readonly includeObject?: "Metadata" | "Object";
}

/** A row that can be kept like an object: it has the metadata of the object it shows. */
export interface TableItem<O = PartialObjectMetadata> extends TableRow<O> {
  /** The object's metadata. */
  readonly metadata: ObjectMeta;
  /** The columns, the same for all rows of a list or watch. */
  readonly columns: readonly TableColumnDefinition[];
}

/** A Table of which columns and rows are surely there; it can be taken for a list of its rows. */
export interface ObjectTable<O = PartialObjectMetadata> extends Table<O> {
  /** Version of the collection and how to go on. */
  metadata: ListMeta;
  /** The columns. */
  columnDefinitions: TableColumnDefinition[];
  /** The rows. */
  rows: TableItem<O>[];
  /** The rows once more. */
  items: TableItem<O>[];
}

/** Returns the cell of a row in the column with this name, ignoring case; `undefined` if there is no such column. */
export function getCell(
  row: { readonly cells: readonly unknown[]; readonly columns: readonly { readonly name: string }[] },
  heading: string,
): unknown {
  const wanted = heading.toLowerCase();
  const at = row.columns.findIndex((column) => column.name.toLowerCase() === wanted);
  return at < 0 ? undefined : row.cells[at];
}

/** What a server is told in `Accept`: it falls back to plain objects where it has no tables. */
export const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.9";

/** Makes the answer of a server a table, whatever it was. `columns` are those of the first event of a watch. */
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

/** For a server that sends plain objects: name and creation time, as the API server prints what it knows no columns of. */
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
