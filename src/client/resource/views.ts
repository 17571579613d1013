import { ProtocolError } from "../../errors/errors.js";
import type { List } from "../../meta/list.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { Table, TableColumnDefinition } from "../../meta/table.js";
import type { Bookmark } from "../../meta/watch-event.js";
import { acceptOf } from "../call/media-types.js";
import type { Query } from "../call/query.js";
import { metadataAccept, toMetadata } from "./metadata-view.js";
import { type TableOptions, tableAccept, toTable } from "./table-view.js";

/** In what form a handle asks for objects, and how it makes the answers so where the server would not. */
export interface ObjectView {
  /** Sets the forms apart. */
  readonly name: "object" | "metadata" | "table";
  /** Value of `Accept`, given the media types of the client's codecs. */
  accept(mediaTypes: readonly string[], what: "object" | "list" | "watch"): string;
  /** Query parameters that go with it. */
  readonly query?: Query;
  /** Makes the answer for one object. */
  one(answer: object): object;
  /** Makes one item of a list or watch; absent where it stays as it is. */
  readonly item?: (item: object) => object;
  /** Makes the answer for a list. */
  list(answer: object): List<unknown>;
  /** Reads the object of a BOOKMARK event. */
  bookmark(object: KubernetesObject): Bookmark;
  /** True where lists are tables. */
  readonly table?: boolean;
  /** A view with a memory of its own, for one watch. */
  readonly forWatch?: () => ObjectView;
}

/** Whole objects. */
export const objectView: ObjectView = {
  name: "object",
  accept: (mediaTypes) => acceptOf(mediaTypes),
  one: (answer) => answer,
  list: asList,
  bookmark: asBookmark,
};

/** Metadata alone. */
export const metadataView: ObjectView = {
  name: "metadata",
  accept: (mediaTypes, what) => metadataAccept(mediaTypes, what === "list"),
  one: (answer) => ((answer as KubernetesObject).kind === "Status" ? answer : toMetadata(answer)),
  item: toMetadata,
  list(answer) {
    const list = asList(answer);
    return {
      ...list,
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadataList",
      items: list.items.map((item) => toMetadata(item as KubernetesObject)),
    };
  },
  bookmark: asBookmark,
};

/** Rows of a table. */
export function tableView(options: TableOptions): ObjectView {
  const view: ObjectView = {
    name: "table",
    table: true,
    accept: () => tableAccept,
    ...(options.includeObject !== undefined && { query: { includeObject: options.includeObject } }),
    one: (answer) => ((answer as KubernetesObject).kind === "Status" ? answer : toTable(answer)),
    list: (answer) => toTable(answer),
    bookmark: asBookmark,
    forWatch() {
      let columns: readonly TableColumnDefinition[] | undefined;
      const row = (event: object): ReturnType<typeof toTable>["rows"][number] => {
        const table = toTable(event, columns);
        columns ??= table.columnDefinitions;
        const [first] = table.rows;
        if (first === undefined) throw new ProtocolError("a table event without a row");
        return first;
      };
      return { ...view, item: row, bookmark: (object) => asBookmark(rowObject(object)) };
    },
  };
  return view;
}

function rowObject(object: KubernetesObject): KubernetesObject {
  const row = (object as unknown as Table).rows?.[0]?.object as KubernetesObject | undefined;
  return row?.metadata?.resourceVersion === undefined ? object : row;
}

function asList(answer: object): List<unknown> {
  const list = answer as Partial<List<unknown>>;
  list.metadata ??= {};
  list.items ??= [];
  return list as List<unknown>;
}

function asBookmark(object: KubernetesObject): Bookmark {
  if (typeof object.metadata?.resourceVersion !== "string")
    throw new ProtocolError("a BOOKMARK event without a resourceVersion");
  return object as Bookmark;
}
