import { definition } from "../../gen/openapi/definitions.js";
import type { PathItem, PathOperation } from "../../gen/openapi/paths.js";
import { words } from "../internal/words.js";
import type { ResourceTable } from "../registry/resource-table.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Schema } from "../schema/schema.js";
import type { Descriptions } from "./descriptions.js";
import { describe, described } from "./descriptions.js";
import { operationNames, successResponses } from "./openapi-operations.js";
import type { OpenApiSource } from "./openapi-source.js";

/** A complete OpenAPI v3 document as JSON data. */
export type OpenApiDocument = Record<string, unknown>;

const prefix = "#/components/schemas/";
const integers = new Set([
  "limit",
  "timeoutSeconds",
  "gracePeriodSeconds",
  "sinceSeconds",
  "tailLines",
  "limitBytes",
  "ports",
]);
const booleans = new Set(
  words(
    "stdin stdout stderr tty follow insecureSkipTLSVerifyBackend previous timestamps allowWatchBookmarks",
    "watch sendInitialEvents force orphanDependents ignoreStoreReadErrorWithClusterBreakingPotential",
  ),
);
const inPath = new Set(["name", "namespace"]);
const tailPath = "{path}";

/** Returns the names of all documents, such as `api/v1` and `apis/apps/v1`. */
export function openApiDocumentNames(resources: ResourceTable, { documentNames }: OpenApiSource): string[] {
  const names = documentNames.filter((name) => isServed(resources, name));
  for (const group of resources.groups()) {
    if (resources.isBuiltin(group.group)) continue;
    for (const version of group.versions) names.push(`apis/${group.group}/${version}`);
  }
  return names.sort();
}

/** False for the document of a built-in group or version that is switched off. */
function isServed(resources: ResourceTable, name: string): boolean {
  const [root, group, version] = name.split("/");
  if (root !== "apis" || group === undefined) return true;
  return version === undefined ? resources.isBuiltin(group) : resources.isBuiltinVersion(group, version);
}

/** Returns the document of this name, or `undefined` if it doesn't exist. */
export function openApiDocument(
  resources: ResourceTable,
  name: string,
  { descriptions, pathsOf }: OpenApiSource,
): OpenApiDocument | undefined {
  const builtin = isServed(resources, name) ? pathsOf(name) : undefined;
  if (builtin !== undefined) return builtinDocument(name, builtin, descriptions);
  const match = /^apis\/([^/]+)\/([^/]+)$/.exec(name);
  if (match === null || resources.isBuiltinVersion(match[1]!, match[2]!)) return undefined;
  const served = resources.inGroupVersion(match[1]!, match[2]!);
  return served === undefined ? undefined : customDocument(served, descriptions);
}

/** Translates a schema to OpenAPI references; calls `found` with the name of each referenced definition. */
function translate(value: unknown, found: (name: string) => void): unknown {
  if (Array.isArray(value)) return value.map((item) => translate(item, found));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(rest)) {
    if (key === "default" || key === "enum") result[key] = rest[key];
    // Members can have any name, including those of keywords.
    else if (key === "properties")
      result[key] = Object.fromEntries(
        Object.entries(rest[key] as object).map(([name, member]) => [name, wrapDescribed(translate(member, found))]),
      );
    else result[key] = translate(rest[key], found);
  }
  if (result["x-kubernetes-int-or-string"] === true) result["anyOf"] ??= [{ type: "integer" }, { type: "string" }];
  if (typeof $ref !== "string") return result;
  found($ref);
  const reference = { $ref: `${prefix}${$ref}` };
  return Object.keys(result).length === 0 ? reference : { ...result, allOf: [reference] };
}

/** Wraps a member's reference in `allOf`, so that a description can be next to it. */
function wrapDescribed(member: unknown): unknown {
  const { $ref } = member as { $ref?: string };
  return $ref === undefined ? member : { allOf: [{ $ref }] };
}

function parameter(name: string): object {
  return {
    name,
    in: inPath.has(name) ? "path" : "query",
    ...(inPath.has(name) ? { required: true } : {}),
    schema: { type: integers.has(name) ? "integer" : booleans.has(name) ? "boolean" : "string", uniqueItems: true },
  };
}

/** Returns the parameters of a path. If the path ends in a wildcard, its first `path` parameter is the wildcard. */
function pathParameters(path: string, names: readonly string[]): object[] {
  const tail = path.endsWith(tailPath) ? names.indexOf("path") : -1;
  return names.map((name, at) => (at === tail ? { ...parameter(name), in: "path", required: true } : parameter(name)));
}

function operation(one: PathOperation, found: (name: string) => void, named: object, custom = false): object {
  const schemaOf = (name: string | undefined): object => {
    if (name === undefined) return { type: "string" };
    found(name);
    return { $ref: `${prefix}${name}` };
  };
  const content = (types: readonly string[] | undefined, name: string | undefined): object =>
    Object.fromEntries((types ?? ["*/*"]).map((type) => [type, { schema: schemaOf(name) }]));
  const answer = { content: content(one.produces, one.returns) };
  return {
    ...named,
    ...(one.params.length === 0 ? {} : { parameters: one.params.map(parameter) }),
    ...(one.body === undefined
      ? {}
      : {
          requestBody: {
            content: content(one.consumes, one.body),
            ...(one.action === "post" || one.action === "put" || one.action === "patch" ? { required: true } : {}),
          },
        }),
    responses: {
      ...Object.fromEntries(
        successResponses(one.action, custom).map(([code, description]) => [code, { description, ...answer }]),
      ),
      401: { description: "Unauthorized" },
    },
    ...(one.action === undefined ? {} : { "x-kubernetes-action": one.action }),
    ...(one.gvk === undefined
      ? {}
      : { "x-kubernetes-group-version-kind": { group: one.gvk[0], version: one.gvk[1], kind: one.gvk[2] } }),
  };
}

/** Returns the definitions of these names and all that they refer to. */
export function closure(names: Iterable<string>, descriptions: Descriptions): Record<string, unknown> {
  const schemas: Record<string, unknown> = {};
  const queue = [...names];
  while (queue.length > 0) {
    const name = queue.pop()!;
    if (Object.hasOwn(schemas, name)) continue;
    const found = definition(name);
    schemas[name] =
      found === undefined
        ? { type: "object" }
        : describe(name, translate(found, (other) => queue.push(other)) as Record<string, unknown>, descriptions);
  }
  return schemas;
}

/** Title and version of the documents. */
export const kubernetes: Readonly<Record<string, string>> = { title: "Kubernetes", version: "1.36" };
/** Authentication schemes. */
export const securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BearerToken: { type: "apiKey", description: "Bearer Token authentication", name: "authorization", in: "header" },
};

/** Adds the group to the kinds that every group has. */
function withGroup(schemas: Record<string, unknown>, group: string, version: string): Record<string, unknown> {
  if (group === "") return schemas;
  for (const kind of ["DeleteOptions", "WatchEvent"]) {
    const schema = schemas[`${metaPrefix}${kind}`] as Record<string, unknown> | undefined;
    if (schema !== undefined)
      schema["x-kubernetes-group-version-kind"] = [
        { group: "", kind, version: "v1" },
        { group, kind, version },
      ];
  }
  return schemas;
}

/** Returns the paths of a document; calls `found` with every definition that they refer to. */
function documentPaths(
  items: Readonly<Record<string, PathItem>>,
  { group, version }: { readonly group: string; readonly version: string },
  found: (name: string) => void,
  custom = false,
): object {
  const namesOf = operationNames(group, version, items);
  const operations = (path: string, item: PathItem): [string, object][] =>
    Object.entries(item.operations).map(([method, one]) => [
      method,
      operation(one, found, namesOf(path, method), custom),
    ]);
  return Object.fromEntries(
    Object.entries(items).map(([path, item]) => [
      path,
      {
        ...(item.params.length === 0 ? {} : { parameters: pathParameters(path, item.params) }),
        ...Object.fromEntries(operations(path, item)),
      },
    ]),
  );
}

function builtinDocument(
  document: string,
  items: Readonly<Record<string, PathItem>>,
  descriptions: Descriptions,
): OpenApiDocument {
  const [version = "", last = ""] = document.split("/").reverse();
  const group = document.startsWith("apis/") ? last : "";
  const names = new Set<string>();
  const paths = documentPaths(items, { group, version }, (name) => names.add(name));
  const schemas = withGroup(closure(names, descriptions), group, version);
  return { openapi: "3.0.0", info: kubernetes, paths, components: { schemas, securitySchemes } };
}

const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const objectMeta = `${metaPrefix}ObjectMeta`;
const listMeta = `${metaPrefix}ListMeta`;
const readParams = words(
  "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch",
  "sendInitialEvents shardSelector timeoutSeconds watch",
);
const deleteParams = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];
const customTypes = ["application/json", "application/yaml"];
const customPatches = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
const writeParams = ["dryRun", "fieldManager", "fieldValidation"];

/** Returns the schema name of a custom kind: reversed group, version, kind. */
export function customName(resource: ServedResource): string {
  return `${resource.group.split(".").reverse().join(".")}.${resource.version}.${resource.kind}`;
}

function customSchema(resource: ServedResource): Schema {
  const gvk = {
    "x-kubernetes-group-version-kind": [{ group: resource.group, version: resource.version, kind: resource.kind }],
  };
  const { schema } = resource;
  // Without a schema nothing is known. Listing only the three common fields would suggest that others can't exist.
  if (schema === undefined) return { type: "object", ...gvk };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: "string", ...described("apiVersion") },
      kind: { type: "string", ...described("kind") },
      metadata: { $ref: objectMeta, ...described("metadata") },
    },
    ...gvk,
  };
}

/** Returns the paths of a custom kind. */
function customPaths(resource: ServedResource): Record<string, PathItem> {
  const name = customName(resource);
  const gvk: [string, string, string] = [resource.group, resource.version, resource.kind];
  const make = (action: string, params: readonly string[], returns: string, body?: string): PathOperation => ({
    action,
    gvk,
    params,
    returns,
    produces: customTypes,
    ...(body === undefined ? {} : { body, consumes: action === "patch" ? customPatches : customTypes }),
  });
  const patch = make("patch", [...writeParams, "force"], name, `${metaPrefix}Patch`);
  const scope = resource.namespaced ? ["namespace", "pretty"] : ["pretty"];
  const everywhere = `/apis/${apiVersionOf(resource)}/${resource.resource}`;
  const root = resource.namespaced
    ? `/apis/${apiVersionOf(resource)}/namespaces/{namespace}/${resource.resource}`
    : everywhere;
  const paths: Record<string, PathItem> = {
    [root]: {
      params: scope,
      operations: {
        get: make("list", readParams, `${name}List`),
        post: make("post", writeParams, name, name),
        delete: make("deletecollection", readParams, `${metaPrefix}Status`),
      },
    },
    [`${root}/{name}`]: {
      params: ["name", ...scope],
      operations: {
        get: make("get", ["resourceVersion"], name),
        put: make("put", writeParams, name, name),
        delete: make("delete", deleteParams, `${metaPrefix}Status`, `${metaPrefix}DeleteOptions`),
        patch,
      },
    },
  };
  for (const { name: subresource } of resource.subresources.values()) {
    const returns = subresource === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : name;
    paths[`${root}/{name}/${subresource}`] = {
      params: ["name", ...scope],
      operations: {
        get: make("get", ["resourceVersion"], returns),
        put: make("put", writeParams, returns, returns),
        patch: { ...patch, returns },
      },
    };
  }
  if (resource.namespaced)
    paths[everywhere] = {
      params: [...readParams, "pretty"].sort(),
      operations: { get: make("list", [], `${name}List`) },
    };
  return paths;
}

function customDocument(served: readonly ServedResource[], descriptions: Descriptions): OpenApiDocument {
  const items: Record<string, PathItem> = Object.assign({}, ...served.map(customPaths)) as Record<string, PathItem>;
  const names = new Set<string>([objectMeta, listMeta]);
  const own = new Set(served.flatMap((resource) => [customName(resource), `${customName(resource)}List`]));
  const found = (name: string): void => {
    if (!own.has(name)) names.add(name);
  };
  const paths = documentPaths(items, served[0]!, found, true);
  const schemas = closure(names, descriptions);
  for (const resource of served) {
    const name = customName(resource);
    schemas[name] = translate(customSchema(resource), () => undefined);
    schemas[`${name}List`] = {
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { type: "string" },
        items: { type: "array", items: { $ref: `${prefix}${name}` } },
        kind: { type: "string" },
        metadata: { allOf: [{ $ref: `${prefix}${listMeta}` }] },
      },
      "x-kubernetes-group-version-kind": [
        { group: resource.group, version: resource.version, kind: `${resource.kind}List` },
      ],
    };
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths,
    components: { schemas },
  };
}
