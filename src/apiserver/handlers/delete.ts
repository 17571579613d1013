import type { Status } from "../../meta/status.js";
import { ApiFailure, forbidden } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { listPage } from "../registry/list.js";
import { integerParameter, parseListRequest } from "../registry/list-options.js";
import type { ServedResource } from "../registry/resources.js";
import type { DeleteRequest } from "../registry/write/delete.js";
import { deleteObject } from "../registry/write/delete.js";
import { negotiateFor, offerOf, respondList, respondObject, respondPlain } from "../wire/respond.js";
import { includeObjectOf } from "../wire/table.js";
import { parseDeleteRequest } from "./delete-options.js";
import type { HandlerContext } from "./services.js";

/** Creates the Status of a completed deletion. */
export function deletedStatus(resource: ServedResource, object: ApiObject): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: object.metadata?.name ?? "",
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.resource,
      uid: object.metadata?.uid ?? "",
    },
  };
}

/** Adds a warning about the deletion if the kind has one. */
function warnOfDeletion(context: HandlerContext, resource: ServedResource, { propagation }: DeleteRequest): void {
  const text = resource.strategy.deletion?.warning?.(propagation);
  if (text !== undefined) context.warn(text);
}

/** Handles DELETE of an object. */
export async function handleDelete(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { deletion: rules } = resource.strategy;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  const requested = await parseDeleteRequest(context, resource.encodings);
  const request: DeleteRequest =
    rules?.waitsForDependents === true && requested.raw?.["orphanDependents"] === false
      ? { ...requested, propagation: "Foreground" }
      : requested;
  warnOfDeletion(context, resource, request);
  const refusal = rules?.refusal?.(pathName);
  if (refusal !== undefined) throw forbidden({ group: resource.group, resource: resource.resource }, pathName, refusal);
  const { object, gone, blank } = await deleteObject(context, { resource, namespace, name: pathName }, request);
  if (gone && blank !== true && rules?.returnsObject !== true)
    return respondPlain(negotiated, deletedStatus(resource, object));
  // Clients that send the deprecated `orphanDependents: false` get a 202 while the deletion is in progress.
  return respondObject(
    context,
    { resource, negotiated },
    object,
    !gone && request.raw?.["orphanDependents"] === false ? 202 : 200,
  );
}

const pageSize = 10_000;

/** Handles DELETE of a collection, object by object in list order. */
export async function handleDeleteCollection(
  context: HandlerContext,
  resource: ServedResource,
): Promise<ServerResponse> {
  const { namespace } = context.info;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  if (negotiated.transform?.kind === "Table") includeObjectOf(context);
  const requested = parseListRequest(context.query, resource, { name: "", forceWatch: false });
  // Pages use a fixed version; a negative limit means no limit.
  const list =
    requested.resourceVersion === "" || (integerParameter(context.query, "limit") ?? 0) !== 0
      ? requested
      : { ...requested, limit: pageSize };
  const request = { ...(await parseDeleteRequest(context, resource.encodings)), collection: true };
  warnOfDeletion(context, resource, request);
  const page = await listPage(context, resource, resource.namespaced ? namespace : "", list);
  for (const version of page.versions) {
    const [ns, name] = resource.namespaced ? (version.key.split("/") as [string, string]) : ["", version.key];
    try {
      await deleteObject(context, { resource, namespace: ns, name }, request);
    } catch (error) {
      // The object was deleted concurrently.
      if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
    }
  }
  return respondList(context, { resource, negotiated }, page.versions, {
    resourceVersion: String(page.revision),
    ...(page.next === "" ? {} : { continue: page.next }),
    ...(page.remaining === undefined || page.remaining <= 0 ? {} : { remainingItemCount: page.remaining }),
  });
}
