import type { ListMeta } from "./list.js";
import type { KubernetesObject, ObjectMeta, TypeMeta } from "./object.js";

/** Describes one column of a Table. */
export interface TableColumnDefinition {
  /** Heading. */
  name: string;
  /** OpenAPI type: `string`, `integer`, `number`, `boolean`, `date`. */
  type: string;
  /** OpenAPI format; `name` marks the column that identifies the object. */
  format: string;
  /** What the column shows. */
  description: string;
  /** 0 is always shown, higher numbers only in wide output. */
  priority: number;
}

/** One row of a Table. */
export interface TableRow<T = unknown> {
  /** One cell for each column: string, number, boolean, or null. */
  cells: unknown[];
  /** Remarkable states of the object, as `Completed`. */
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
  /** The object, its metadata only (default), or null, as `includeObject` asked. */
  object: T | null;
}

/**
 * A list or object as the server would print it.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
export interface Table<T = unknown> extends TypeMeta {
  /** As of a list. */
  metadata: ListMeta;
  /** The columns; `null` in all but the first event of a watch. */
  columnDefinitions: TableColumnDefinition[] | null;
  /** The rows. */
  rows: TableRow<T>[] | null;
}

/** An object reduced to its metadata. */
export interface PartialObjectMetadata extends KubernetesObject {
  /** The object's metadata. */
  metadata: ObjectMeta;
}
