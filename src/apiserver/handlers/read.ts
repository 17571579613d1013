import { badRequest, rawError } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { booleanParameter } from "../http/request-info.js";
import { listPage, waitForRevision } from "../registry/list.js";
import { parseListRequest } from "../registry/list-options.js";
import { getVersion } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { parseResourceVersion, wrongVersion } from "../storage/resource-version.js";
import { negotiateFor, objectOffer, offerOf, respondList, respondVersion } from "../wire/respond.js";
import { includeObjectOf } from "../wire/table.js";
import type { HandlerContext } from "./services.js";
import { watchCollection } from "./watch.js";

/** Handles GET of one object. */
export async function handleGet(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName, subresource } = context.info;
  const negotiated = negotiateFor(context, resource, objectOffer(resource, subresource));
  if (negotiated.transform?.kind === "Table") includeObjectOf(context);
  const minimumVersion = await waitForRequestedVersion(context, resource);
  const version = getVersion(context, resource, namespace, pathName);
  await resource.converter?.prepare([version], !minimumVersion);
  return respondVersion(context, { resource, negotiated }, version);
}

/**
 * Waits until the store reaches the version that a GET requests; returns true if it requests one. Throws 400 (also for
 * `export`), 500 and 504.
 */
export async function waitForRequestedVersion(context: HandlerContext, resource: ServedResource): Promise<boolean> {
  if (context.query.has("export") && booleanParameter(context.query.get("export")))
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  const text = context.query.get("resourceVersion") ?? "";
  if (text === "") return false;
  const revision = parseResourceVersion(text);
  if (revision === undefined)
    throw resource.uncached
      ? badRequest(`invalid resource version: ${wrongVersion(text)}`)
      : rawError(wrongVersion(text));
  await waitForRevision(context, resource, revision);
  return true;
}

/** Handles GET of a collection: a list or a watch. */
export async function handleList(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName, deprecatedWatch, verb } = context.info;
  const watching = deprecatedWatch || verb === "watch";
  const offer = offerOf(resource, true);
  negotiateFor(context, resource, offer);
  const request = parseListRequest(context.query, resource, {
    name: deprecatedWatch ? pathName : "",
    forceWatch: deprecatedWatch,
  });
  const listNamespace = resource.namespaced ? namespace : "";
  if (watching)
    return watchCollection(context, {
      resource,
      namespace: listNamespace,
      negotiated: negotiateFor(context, resource, offer, true),
      list: request,
    });
  const negotiated = negotiateFor(context, resource, offer);
  if (negotiated.transform?.kind === "Table") includeObjectOf(context);
  const page = await listPage(context, resource, listNamespace, request);
  return respondList(context, { resource, negotiated }, page.versions, {
    resourceVersion: String(page.revision),
    ...(page.next === "" ? {} : { continue: page.next }),
    ...(page.remaining === undefined || page.remaining <= 0 ? {} : { remainingItemCount: page.remaining }),
    ...(request.shard === undefined ? {} : { shardInfo: { selector: request.shard.text } }),
  });
}
