import type { ListMeta } from "../meta/list.js";
import type { TableColumnDefinition } from "../meta/table.js";
import type { RequestContext } from "./core.js";
import type { ServedResource } from "./registry/resources.js";
import type { ApiObject, Printer } from "./registry/strategy.js";
import { badRequest, failure } from "./status.js";

/** What a Table's rows carry besides their cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

const nameColumn: TableColumnDefinition = {
  name: "Name", type: "string", format: "name", priority: 0,
  description: "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.",
};

const defaultPrinter: Printer = {
  columns: [nameColumn, { name: "Created At", type: "date", format: "", priority: 0, description: "CreationTimestamp is a timestamp representing the server time when this object was created." }],
  cells: (object) => [object.metadata?.name ?? "", object.metadata?.creationTimestamp ?? "<unknown>"],
};

/** Reads `includeObject`. Throws 400. */
export function includeObjectOf(context: RequestContext): IncludeObject {
  const text = context.query.get("includeObject") ?? "";
  if (text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest(`Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`);
}

/** The metadata of an object as an object of its own. */
export function metadataOf(object: ApiObject, asked: string, version: string): object {
  if (asked === "PartialObjectMetadataList") throw failure(406, "NotAcceptable", "you requested PartialObjectMetadataList, but the requested object is not a list");
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

/** The metadata of the objects of a list; those of custom resources carry their type each. */
export function metadataList(objects: readonly ApiObject[], metadata: ListMeta, asked: string, version: string, typed: boolean): object {
  if (asked === "PartialObjectMetadata") throw failure(406, "NotAcceptable", "you requested PartialObjectMetadata, but the requested object is a list");
  return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}`, metadata, items: objects.map((object) => (typed ? { metadata: object.metadata } : { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata })) };
}

/** A Table of objects. */
export function tableOf(resource: ServedResource, objects: readonly ApiObject[], metadata: ListMeta, version: string, include: IncludeObject, nowMs: number, columns = true): object {
  const own = resource.strategy.printer;
  const printer = own ?? defaultPrinter;
  const rows = objects.map((object) => {
    const conditions = printer.conditions?.(object);
    return {
      cells: printer.cells(object, nowMs),
      ...(conditions === undefined ? {} : { conditions }),
      object: include === "None" ? null : include === "Object" ? object : { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata },
    };
  });
  return {
    kind: "Table", apiVersion: `meta.k8s.io/${version}`, metadata,
    columnDefinitions: columns ? printer.columns : null,
    rows: rows.length === 0 && own === undefined ? null : rows,
  };
}
