import { definition } from "../../gen/openapi/definitions.js";
import { documentNames, pathsOf } from "../../gen/openapi/paths.js";
import type { PathItem, PathOperation } from "../../gen/openapi/paths.js";
import type { ResourceTable, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Schema } from "../schema/schema.js";
import { describe, described } from "./descriptions.js";

/** A whole OpenAPI v3 document as JSON data. */
export type OpenApiDocument = Record<string, unknown>;

const prefix = "#/components/schemas/";
const integers = new Set(["limit", "timeoutSeconds", "gracePeriodSeconds"]);
const booleans = new Set(["allowWatchBookmarks", "watch", "sendInitialEvents", "force", "orphanDependents", "ignoreStoreReadErrorWithClusterBreakingPotential"]);
const inPath = new Set(["name", "namespace", "path"]);

/** Names of the documents that are served, as `api/v1` and `apis/apps/v1`. */
export function openApiDocumentNames(resources: ResourceTable): string[] {
  const names = [...documentNames];
  for (const group of resources.groups()) {
    if (resources.isBuiltin(group.group)) continue;
    for (const version of group.versions) names.push(`apis/${group.group}/${version}`);
  }
  return names;
}

/** The document of this name; `undefined` where there is none. */
export function openApiDocument(resources: ResourceTable, name: string): OpenApiDocument | undefined {
  const builtin = pathsOf(name);
  if (builtin !== undefined) return builtinDocument(builtin);
  const match = /^apis\/([^/]+)\/([^/]+)$/.exec(name);
  const served = match === null ? undefined : resources.inGroupVersion(match[1]!, match[2]!);
  return served?.[0]?.custom === undefined ? undefined : customDocument(served);
}

function schemaDocument(schema: Record<string, unknown>): unknown {
  return translate(schema, () => undefined);
}

/** A schema with references as OpenAPI writes them; tells of every definition it refers to. */
function translate(value: unknown, found: (name: string) => void): unknown {
  if (Array.isArray(value)) return value.map((item) => translate(item, found));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(rest)) {
    if (key === "default" || key === "enum") result[key] = rest[key];
    // Members may have any name, those of keywords too.
    else if (key === "properties") result[key] = Object.fromEntries(Object.entries(rest[key] as object).map(([name, member]) => [name, translate(member, found)]));
    else result[key] = translate(rest[key], found);
  }
  if (typeof $ref !== "string") return result;
  found($ref);
  const reference = { $ref: `${prefix}${$ref}` };
  return Object.keys(result).length === 0 ? reference : { ...result, allOf: [reference] };
}

function parameter(name: string): object {
  return {
    name, in: inPath.has(name) ? "path" : "query", ...(inPath.has(name) ? { required: true } : {}),
    schema: { type: integers.has(name) ? "integer" : booleans.has(name) ? "boolean" : "string", uniqueItems: true },
  };
}

function operation(one: PathOperation, found: (name: string) => void): object {
  const reference = (name: string): object => {
    found(name);
    return { schema: { $ref: `${prefix}${name}` } };
  };
  const content = (types: readonly string[] | undefined, name: string): object => Object.fromEntries((types ?? ["*/*"]).map((type) => [type, reference(name)]));
  return {
    ...(one.params.length === 0 ? {} : { parameters: one.params.map(parameter) }),
    ...(one.body === undefined ? {} : { requestBody: { content: content(one.consumes, one.body) } }),
    responses: { 200: { description: "OK", ...(one.returns === undefined ? {} : { content: content(one.produces, one.returns) }) }, 401: { description: "Unauthorized" } },
    ...(one.action === undefined ? {} : { "x-kubernetes-action": one.action }),
    ...(one.gvk === undefined ? {} : { "x-kubernetes-group-version-kind": { group: one.gvk[0], version: one.gvk[1], kind: one.gvk[2] } }),
  };
}

/** All definitions reachable from some, translated. */
export function closure(names: Iterable<string>): Record<string, unknown> {
  const schemas: Record<string, unknown> = {};
  const queue = [...names];
  while (queue.length > 0) {
    const name = queue.pop()!;
    if (Object.hasOwn(schemas, name)) continue;
    const found = definition(name);
    schemas[name] = found === undefined ? { type: "object" } : describe(name, translate(found, (other) => queue.push(other)) as Record<string, unknown>);
  }
  return schemas;
}

function builtinDocument(items: Readonly<Record<string, PathItem>>): OpenApiDocument {
  const names = new Set<string>();
  const found = (name: string): void => {
    names.add(name);
  };
  const paths = Object.fromEntries(Object.entries(items).map(([path, item]) => [path, {
    ...(item.params.length === 0 ? {} : { parameters: item.params.map(parameter) }),
    ...Object.fromEntries(Object.entries(item.operations).map(([method, one]) => [method, operation(one, found)])),
  }]));
  return {
    openapi: "3.0.0", info: { title: "Kubernetes", version: "v1.36.3" }, paths,
    components: { schemas: closure(names), securitySchemes: { BearerToken: { type: "apiKey", description: "Bearer Token authentication", name: "authorization", in: "header" } } },
  };
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const readParams = ["allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch"];
const writeParams = ["dryRun", "fieldManager", "fieldValidation"];

/** Name of the schema of a custom kind: the group in reverse, version, kind. */
export function customName(resource: ServedResource): string {
  return `${resource.group.split(".").reverse().join(".")}.${resource.version}.${resource.kind}`;
}

function customSchema(resource: ServedResource): Schema {
  const gvk = { "x-kubernetes-group-version-kind": [{ group: resource.group, version: resource.version, kind: resource.kind }] };
  const schema = resource.custom?.schema;
  // Nothing is known of it, and three known fields would look as if there were no others.
  if (schema === undefined) return { type: "object", ...gvk };
  return {
    ...schema,
    properties: { ...schema.properties, apiVersion: { type: "string", ...described("apiVersion") }, kind: { type: "string", ...described("kind") }, metadata: { $ref: objectMeta, ...described("metadata") } },
    ...gvk,
  };
}

function customDocument(served: readonly ServedResource[]): OpenApiDocument {
  const schemas: Record<string, unknown> = closure([objectMeta, listMeta, "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.Status", "io.k8s.apimachinery.pkg.apis.meta.v1.Patch", "io.k8s.api.autoscaling.v1.Scale"]);
  const paths: Record<string, unknown> = {};
  for (const resource of served) {
    const name = customName(resource);
    const gvk: [string, string, string] = [resource.group, resource.version, resource.kind];
    schemas[name] = schemaDocument(customSchema(resource) as Record<string, unknown>);
    schemas[`${name}List`] = {
      type: "object", required: ["items"],
      properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { $ref: `${prefix}${listMeta}` }, items: { type: "array", items: { $ref: `${prefix}${name}` } } },
      "x-kubernetes-group-version-kind": [{ group: resource.group, version: resource.version, kind: `${resource.kind}List` }],
    };
    const ignore = (): undefined => undefined;
    const types = ["application/cbor", "application/json", "application/yaml"];
    const make = (action: string, params: readonly string[], returns: string, body?: string): object => operation({ action, gvk, params, returns, produces: types, ...(body === undefined ? {} : { body, consumes: types }) }, ignore);
    const patches = ["application/apply-patch+cbor", "application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
    const patch = operation({ action: "patch", gvk, params: [...writeParams, "force"], returns: name, produces: types, body: "io.k8s.apimachinery.pkg.apis.meta.v1.Patch", consumes: patches }, ignore);
    const root = `/apis/${apiVersionOf(resource)}${resource.namespaced ? "/namespaces/{namespace}" : ""}/${resource.resource}`;
    const scope = resource.namespaced ? ["namespace", "pretty"] : ["pretty"];
    paths[root] = {
      parameters: scope.map(parameter),
      get: make("list", readParams, `${name}List`), post: make("post", writeParams, name, name),
      delete: make("deletecollection", readParams, "io.k8s.apimachinery.pkg.apis.meta.v1.Status", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"),
    };
    if (resource.namespaced) paths[`/apis/${apiVersionOf(resource)}/${resource.resource}`] = { parameters: ["pretty", ...readParams].map(parameter), get: make("list", [], `${name}List`) };
    paths[`${root}/{name}`] = {
      parameters: ["name", ...scope].map(parameter),
      get: make("get", ["resourceVersion"], name), put: make("put", writeParams, name, name), patch,
      delete: make("delete", ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"], "io.k8s.apimachinery.pkg.apis.meta.v1.Status", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"),
    };
    for (const sub of resource.subresources.values()) {
      const returns = sub.name === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : name;
      paths[`${root}/{name}/${sub.name}`] = { parameters: ["name", ...scope].map(parameter), get: make("get", ["resourceVersion"], returns), put: make("put", writeParams, returns, returns), patch };
    }
  }
  return { openapi: "3.0.0", info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" }, paths, components: { schemas } };
}
