import { readdirSync, readFileSync } from "node:fs";

/** A schema as the recorded OpenAPI documents have it, `$ref` reduced to the bare definition name. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  default?: unknown;
  enum?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  [key: string]: unknown;
}

/** Names one kind. */
export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** One operation, as far as the recorded documents keep it. */
export interface Operation {
  action?: string;
  gvk?: GroupVersionKind;
  consumes?: string[];
  produces?: string[];
  body?: string;
  returns?: string;
  params: string[];
}

/** One path: its query and path parameters, and an operation for each HTTP method. */
export type PathItem = { params: string[] } & Record<string, Operation | string[]>;

/** One OpenAPI document: that of a group-version. */
export interface Document {
  /** Path in the URL: `api/v1`, `apis/apps/v1`. */
  path: string;
  group: string;
  version: string;
  paths: Record<string, PathItem>;
  /** Names of the definitions the document contains. */
  definitions: string[];
}

/** A subresource in discovery. */
export interface Subresource {
  name: string;
  kind: GroupVersionKind;
  verbs: string[];
}

/** A resource in discovery. */
export interface Resource {
  name: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
  shortNames: string[];
  categories: string[];
  subresources: Subresource[];
}

/** Group-version with its resources. */
export interface GroupVersion {
  group: string;
  version: string;
  resources: Resource[];
}

/** All inputs. */
export interface Model {
  documents: Document[];
  /** In the order of a real server: the core group first, then by group priority, in a group the preferred version first. */
  groupVersions: GroupVersion[];
  definitions: Map<string, Schema>;
}

const proto = new URL("../", import.meta.url);
const PREFIX = "#/components/schemas/";

/** Reads the inputs under proto/. */
export function load(): Model {
  const definitions = new Map<string, Schema>();
  const documents: Document[] = [];
  for (const file of readdirSync(new URL("openapi/", proto)).sort()) {
    const raw = JSON.parse(readFileSync(new URL(`openapi/${file}`, proto), "utf8")) as RawDocument;
    const parts = raw.groupVersion.split("/");
    for (const [name, schema] of Object.entries(raw.schemas)) definitions.set(name, reduce(schema, name));
    documents.push({
      path: raw.groupVersion,
      group: parts.length === 2 ? "" : (parts[1] ?? ""),
      version: parts.at(-1) ?? "",
      paths: raw.paths,
      definitions: Object.keys(raw.schemas).sort(),
    });
  }
  return { documents, groupVersions: loadDiscovery(), definitions };
}

/** The bare name in a reference of the documents. */
export function bareName(ref: string): string {
  return ref.startsWith(PREFIX) ? ref.slice(PREFIX.length) : ref;
}

interface RawDocument {
  groupVersion: string;
  paths: Record<string, PathItem>;
  schemas: Record<string, Schema>;
}

function reduce(schema: Schema, name: string): Schema {
  const result: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$ref") result.$ref = bareName(value as string);
    else if (key === "allOf") {
      // OpenAPI 3.0 allows nothing next to a $ref, so the documents wrap it if the field has a default.
      const all = value as Schema[];
      if (all.length !== 1 || all[0]?.$ref === undefined) throw new Error(`${name}: allOf must wrap one reference`);
      result.$ref = bareName(all[0].$ref);
    } else if (key === "properties") {
      result.properties = Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([property, child]) => [
          property,
          reduce(child, `${name}.${property}`),
        ]),
      );
    } else if (key === "items") result.items = reduce(value as Schema, `${name}[]`);
    else if (key === "additionalProperties" && typeof value === "object") {
      result.additionalProperties = reduce(value as Schema, `${name}{}`);
    } else if (key === "x-kubernetes-group-version-kind") {
      const kinds = value as GroupVersionKind[];
      // DeleteOptions and WatchEvent name the group of the document they stand in; the core one stands for all.
      result[key] = kinds.length > 1 ? kinds.filter((kind) => kind.group === "") : kinds;
    } else result[key] = value;
  }
  return result;
}

interface RawDiscovery {
  items: {
    metadata: { name?: string };
    versions: {
      version: string;
      resources: {
        resource: string;
        responseKind: GroupVersionKind;
        scope: string;
        singularResource: string;
        verbs: string[];
        shortNames?: string[];
        categories?: string[];
        subresources?: { subresource: string; responseKind: GroupVersionKind; verbs: string[] }[];
      }[];
    }[];
  }[];
}

function loadDiscovery(): GroupVersion[] {
  const raw = JSON.parse(readFileSync(new URL("discovery.json", proto), "utf8")) as {
    api: RawDiscovery;
    apis: RawDiscovery;
  };
  return [...raw.api.items, ...raw.apis.items].flatMap((item) =>
    item.versions.map((version): GroupVersion => {
      const group = item.metadata.name ?? "";
      return {
        group,
        version: version.version,
        resources: version.resources.map((resource) => ({
          name: resource.resource,
          singular: resource.singularResource,
          kind: resource.responseKind.kind,
          namespaced: resource.scope === "Namespaced",
          verbs: resource.verbs,
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          subresources: (resource.subresources ?? []).map((subresource) => ({
            name: subresource.subresource,
            kind:
              subresource.responseKind.version === ""
                ? { group, version: version.version, kind: subresource.responseKind.kind }
                : subresource.responseKind,
            verbs: subresource.verbs,
          })),
        })),
      };
    }),
  );
}
