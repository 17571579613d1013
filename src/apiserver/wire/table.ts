import type { ListMeta } from "../../meta/list.js";
import type { TableColumnDefinition } from "../../meta/table.js";
import { badRequest, failure } from "../errors/status.js";
import type { Printer } from "../kinds/shared/strategy.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource } from "../registry/resources.js";
import type { ListParts } from "./list-pieces.js";
import { mapItems, wholeList } from "./list-pieces.js";
import type { WireContext } from "./services.js";

/** Content of a Table's rows in addition to their cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

const nameColumn: TableColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  priority: 0,
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.",
};

const defaultPrinter: Printer = {
  columns: [
    nameColumn,
    {
      name: "Created At",
      type: "date",
      format: "",
      priority: 0,
      description: "CreationTimestamp is a timestamp representing the server time when this object was created.",
    },
  ],
  cells: (object) => [object.metadata?.name ?? "", object.metadata?.creationTimestamp ?? "0001-01-01T00:00:00Z"],
};

/** Parses `includeObject`. Throws 400. */
export function includeObjectOf(context: WireContext): IncludeObject {
  const text = context.query.get("includeObject") ?? "";
  if (text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/**
 * Returns an object's metadata as an object of its own. Throws 406 if a list is requested, and 500 for a custom
 * resource.
 */
export function metadataOf(resource: ServedResource, object: ApiObject, kind: string, version: string): object {
  if (kind === "PartialObjectMetadataList") throw resource.notAList();
  return partial(resource, object, `meta.k8s.io/${version}`);
}

function partial({ strategy }: ServedResource, { metadata = {} }: ApiObject, apiVersion: string): object {
  const { annotations, ...rest } = metadata;
  const own = strategy.metadata?.internalAnnotations ?? [];
  if (annotations === undefined || !own.some((name) => Object.hasOwn(annotations, name)))
    return { kind: "PartialObjectMetadata", apiVersion, metadata };
  const shown = Object.entries(annotations).filter(([name]) => !own.includes(name));
  return {
    kind: "PartialObjectMetadata",
    apiVersion,
    metadata: { ...rest, ...(shown.length === 0 ? {} : { annotations: Object.fromEntries(shown) }) },
  };
}

/** Returns the metadata of a list's objects, each with its type. Throws 406 if a single object is requested. */
export function metadataList(
  resource: ServedResource,
  objects: Iterable<ApiObject>,
  metadata: ListMeta,
  { kind, version }: { readonly kind: string; readonly version: string },
): ListParts {
  if (kind === "PartialObjectMetadata")
    throw failure(
      406,
      "NotAcceptable",
      `you requested PartialObjectMetadata, but the requested object is a list (${resource.listKind})`,
    );
  const apiVersion = `meta.k8s.io/${version}`;
  return {
    head: { kind: "PartialObjectMetadataList", apiVersion, metadata },
    member: "items",
    items: mapItems(objects, (object) => partial(resource, object, apiVersion)),
    // With no items, Go encodes the nil slice as null.
    empty: null,
  };
}

/** Options for a Table. */
export interface TableOptions {
  readonly metadata: ListMeta;
  /** Version of `meta.k8s.io`. */
  readonly version: string;
  readonly include: IncludeObject;
  readonly nowMs: number;
  /** False to leave out the column definitions. Default: true. */
  readonly columns?: boolean | undefined;
}

/** Converts objects to a Table, row by row. */
export function tableParts(
  resource: ServedResource,
  objects: Iterable<ApiObject>,
  { metadata, version, include, nowMs, columns = true }: TableOptions,
): ListParts {
  const own = resource.strategy.printer;
  const printer = own ?? defaultPrinter;
  const ordered = printer.compare === undefined ? objects : [...objects].sort(printer.compare);
  return {
    head: {
      kind: "Table",
      apiVersion: `meta.k8s.io/${version}`,
      metadata,
      columnDefinitions: columns ? printer.columns : null,
    },
    member: "rows",
    items: mapItems(ordered, (object) => {
      const conditions = printer.conditions?.(object);
      return {
        cells: printer.cells(object, nowMs),
        ...(conditions === undefined ? {} : { conditions }),
        object:
          include === "None"
            ? null
            : include === "Object"
              ? object
              : partial(resource, object, `meta.k8s.io/${version}`),
      };
    }),
    empty: own === undefined ? null : [],
  };
}

/** Converts objects to a Table. */
export function tableOf(resource: ServedResource, objects: readonly ApiObject[], options: TableOptions): object {
  return wholeList(tableParts(resource, objects, options));
}
