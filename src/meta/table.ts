import type { ListMeta } from "./list.js";
import type { KubernetesObject, ObjectMeta, TypeMeta } from "./object.js";

/** Definition of a Table's column. */
export interface TableColumnDefinition {
  /** Heading. */
  name: string;
  /** OpenAPI type: `string`, `integer`, `number`, `boolean`, `date`. */
  type: string;
  /** OpenAPI format. `name` marks the column that identifies the object. */
  format: string;
  /** Description of the column. */
  description: string;
  /** Priority: columns with 0 are always shown, others only in wide output. */
  priority: number;
}

/** One row of a Table. */
export interface TableRow<T = unknown> {
  /** One cell per column: a string, number, boolean or null. */
  cells: unknown[];
  /** Notable states of the object, such as `Completed`. */
  conditions?:
    | { type: string; status: string; reason?: string | undefined; message?: string | undefined }[]
    | undefined;
  /** The object, its metadata (default) or null, depending on `includeObject`. */
  object: T | null;
}

/**
 * A list or object in the columns that the server prints for it.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
export interface Table<T = unknown> extends TypeMeta {
  /** List metadata. */
  metadata: ListMeta;
  /** Column definitions. Watches send them only with the first event and `null` afterwards. */
  columnDefinitions: TableColumnDefinition[] | null;
  /** Rows. */
  rows: TableRow<T>[] | null;
}

/** An object reduced to its metadata. */
export interface PartialObjectMetadata extends KubernetesObject {
  /** Metadata of the object. */
  metadata: ObjectMeta;
}
