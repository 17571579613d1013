import { ProtocolError } from "../../errors/errors.js";
import type { List } from "../../meta/list.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { Table, TableColumnDefinition } from "../../meta/table.js";
import type { Bookmark } from "../../meta/watch-event.js";
import { acceptOf } from "../call/media-types.js";
import type { Query } from "../call/query.js";
import { metadataAccept, toMetadata } from "./metadata-view.js";
import { type TableOptions, tableAccept, toTable } from "./table-view.js";

/** Representation in which a handle requests objects, with conversions for servers that don't support it. */
export interface ObjectView {
  /** Name of the representation. */
  readonly name: "object" | "metadata" | "table";
  /** Returns the `Accept` value, given the media types of the client's codecs. */
  accept(mediaTypes: readonly string[], what: "object" | "list" | "watch"): string;
  /** Additional query parameters. */
  readonly query?: Query;
  /** Converts the response for one object. */
  one(answer: object): object;
  /** Converts one item of a list or watch. Absent if items need no conversion. */
  readonly item?: (item: object) => object;
  /** Converts the response for a list. */
  list(answer: object): List<unknown>;
  /** Reads the object of a BOOKMARK event. */
  bookmark(object: KubernetesObject): Bookmark;
  /** True if lists are tables. */
  readonly table?: boolean;
  /** Returns a stateful view for one watch. */
  readonly forWatch?: () => ObjectView;
}

/** View of whole objects. */
export const objectView: ObjectView = {
  name: "object",
  accept: (mediaTypes) => acceptOf(mediaTypes),
  one: (answer) => answer,
  list: asList,
  bookmark: asBookmark,
};

/** View of metadata only. */
export const metadataView: ObjectView = {
  name: "metadata",
  accept: metadataAccept,
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

/** Returns a view of table rows. */
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
        if (first === undefined) throw new ProtocolError("the server sent a table event without a row");
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
    throw new ProtocolError("the server sent a BOOKMARK event without a resourceVersion");
  return object as Bookmark;
}
