import type { LazyModule } from "../../internal/lazy-module.js";
import { lazyModule } from "../../internal/lazy-module.js";
import { aggregatedApiOf, proxyToApi } from "../aggregation/proxy.js";
import { badRequest, methodNotAllowed, notServed, PlainFailure } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ServedResource } from "../registry/resources.js";
import { handleDelete, handleDeleteCollection } from "./delete.js";
import { handlePatch } from "./patch.js";
import { handleGet, handleList } from "./read.js";
import type { ReviewName } from "./review-names.js";
import { isReview } from "./review-names.js";
import type { HandlerContext } from "./services.js";
import { handleCreate, handleUpdate } from "./write.js";

const componentsPath = "/componentstatuses";
const discovery = lazyModule(() => import("../discovery/documents.js"));
const special = lazyModule(() => import("./special-handlers.js"));

/** Calls a function with a module. Waits only if the module isn't loaded yet. */
function use<T, R>(module: LazyModule<T>, run: (module: T) => R | Promise<R>): R | Promise<R> {
  const loading = module.load();
  return loading === undefined ? run(module.get()) : loading.then(() => run(module.get()));
}

const objectVerbs = new Set(["get", "update", "patch", "delete"]);

/** Creates the 404 for paths outside of the API. */
export function pageNotFound(): PlainFailure {
  return new PlainFailure(404, "404 page not found\n");
}

/** Handles a request that has passed all filters. */
export async function dispatch(context: HandlerContext): Promise<ServerResponse> {
  const { info, services } = context;
  context.dispatched = true;
  // Such a path isn't part of the API, although authorization checks the resource that it seems to name.
  if (info.path.startsWith("//")) throw pageNotFound();
  const api = aggregatedApiOf(info.path, services);
  if (api !== undefined) return proxyToApi(context, api);
  if (!info.isResource) {
    const document = await use(discovery, ({ discoveryDocument }) => discoveryDocument(context));
    if (document !== undefined) return document;
    throw pageNotFound();
  }
  if (info.verb === "proxy") throw notServed();
  if (services.resources.inGroupVersion(info.group, info.version) === undefined)
    throw services.resources.isBuiltin(info.group) ? notServed() : pageNotFound();
  const resource = services.resources.find(info.group, info.version, info.resource);
  if (resource === undefined) throw services.resources.isBuiltin(info.group) ? notServed() : pageNotFound();
  const loading = resource.load?.();
  if (loading !== undefined) await loading;
  const { deprecation } = resource;
  if (deprecation === undefined) return route(context, resource);
  try {
    const response = await route(context, resource);
    warnOfDeprecation(context, deprecation);
    return response;
  } catch (error) {
    if (!resource.isRoutingError(error)) warnOfDeprecation(context, deprecation);
    throw error;
  }
}

/** Adds the deprecation warning of a resource. */
function warnOfDeprecation(context: HandlerContext, deprecation: string): void {
  if (!context.warnings.includes(deprecation)) context.warnings.unshift(deprecation);
  context.audit?.annotate("k8s.io/deprecated", "true");
  const removed = /unavailable in v([\d.]+)\+/.exec(deprecation)?.[1];
  if (removed !== undefined) context.audit?.annotate("k8s.io/removed-release", removed);
}

/** Routes a request for an existing resource. */
function route(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  if (resource.routing === "verbs") return routeByVerb(context, resource);
  const { info, request } = context;
  const { parts } = info;
  const scoped = info.namespaced;
  const named = parts.length === 2;
  if (!resource.namespaced && scoped) throw notServed();
  if (parts.length > 3 && !longPath(resource, info.subresource)) throw notServed();
  if (info.deprecatedWatch && (parts.length > 2 || !resource.verbs.includes("watch"))) throw notServed();
  if (resource.namespaced && !scoped) {
    // Across all namespaces, only lists and watches are supported.
    if (parts.length > 1 || !resource.verbs.includes("list")) throw notServed();
    if (request.method === "GET") return handleList(context, resource);
    throw methodNotAllowed();
  }
  if (parts.length >= 3) return onSubresource(context, resource);
  if (named && !resource.verbs.some((verb) => objectVerbs.has(verb))) throw notServed();
  if (info.deprecatedWatch) {
    if (request.method === "GET") return handleList(context, resource);
    throw methodNotAllowed();
  }
  return named ? onObject(context, resource) : onCollection(context, resource);
}

/** Routes by verb. Outside of a namespace, a namespaced resource can only be listed and watched. */
function routeByVerb(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  const { verb, namespace, subresource } = context.info;
  if (!resource.namespaced && namespace !== "") throw pageNotFound();
  if (resource.namespaced && namespace === "" && verb !== "list" && verb !== "watch") throw pageNotFound();
  return subresource === "" ? byVerb(context, resource) : onSubresource(context, resource);
}

/** Dispatches by verb only, regardless of the number of path segments. */
function byVerb(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  const { verb, name } = context.info;
  if (name === "" && verb === "patch") resource.patchType(context.request.header("content-type"));
  if (name === "" && (verb === "update" || verb === "patch")) throw badRequest("name must be provided");
  switch (verb) {
    case "get":
      return handleGet(context, resource);
    case "list":
    case "watch":
      return handleList(context, resource);
    case "create":
      return handleCreate(context, resource);
    case "update":
      return handleUpdate(context, resource);
    case "patch":
      return handlePatch(context, resource);
    case "delete":
      return handleDelete(context, resource);
    case "deletecollection":
      return handleDeleteCollection(context, resource);
    default:
      throw resource.unsupportedVerb(verb);
  }
}

function longPath(resource: ServedResource, subresource: string): boolean {
  return subresource === "proxy" && resource.subresources.has("proxy");
}

function onCollection(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  const { verbs } = resource;
  const { method } = context.request;
  if (method === "GET" && resource.bucket === componentsPath) return onComponents(context, resource);
  if (method === "GET" && verbs.includes("list")) return handleList(context, resource);
  if (method === "POST" && verbs.includes("create")) {
    if (isReview(resource.bucket)) return onReview(context, resource, resource.bucket);
    return resource.bucket === "/bindings" ? onBinding(context, resource) : handleCreate(context, resource);
  }
  if (method === "DELETE" && verbs.includes("deletecollection")) return handleDeleteCollection(context, resource);
  throw methodNotAllowed();
}

function onObject(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  const { verbs } = resource;
  const { method } = context.request;
  if (method === "GET" && resource.bucket === componentsPath) return onComponents(context, resource);
  if (method === "GET" && verbs.includes("get")) return handleGet(context, resource);
  if (method === "PUT" && verbs.includes("update")) return handleUpdate(context, resource);
  if (method === "PATCH" && verbs.includes("patch")) return handlePatch(context, resource);
  if (method === "DELETE" && verbs.includes("delete")) return handleDelete(context, resource);
  throw methodNotAllowed();
}

function onSubresource(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  return use(special, ({ handleSubresource }) => handleSubresource(context, resource));
}

function onReview(
  context: HandlerContext,
  resource: ServedResource,
  name: ReviewName,
): ServerResponse | Promise<ServerResponse> {
  return use(special, ({ handleReview }) => handleReview(context, resource, name));
}

function onBinding(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  return use(special, ({ handleBinding }) => handleBinding(context, resource, undefined));
}

/** Handles a list of the components' statuses, or one of them. */
function onComponents(context: HandlerContext, resource: ServedResource): ServerResponse | Promise<ServerResponse> {
  return use(special, ({ handleComponentStatus, handleComponentStatuses }) =>
    (context.info.parts.length === 1 ? handleComponentStatuses : handleComponentStatus)(context, resource),
  );
}
