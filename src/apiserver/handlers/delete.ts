import type { Status } from "../../meta/status.js";
import { ApiFailure, forbidden } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import type { DeleteRequest } from "../registry/delete.js";
import { deleteObject } from "../registry/delete.js";
import { listPage } from "../registry/list.js";
import { integerParameter, parseListRequest } from "../registry/list-options.js";
import type { ServedResource } from "../registry/resources.js";
import { negotiateFor, offerOf, respondList, respondObject, respondPlain } from "../wire/respond.js";
import { includeObjectOf } from "../wire/table.js";
import { parseDeleteRequest } from "./delete-options.js";
import type { HandlerContext } from "./services.js";

/** Kinds that answer a deletion with the object, even if it is gone. */
const returnsObject = new Set([
  "/pods",
  "/services",
  "/serviceaccounts",
  "/podtemplates",
  "/persistentvolumes",
  "/persistentvolumeclaims",
  "/resourcequotas",
  "/namespaces",
  ...["csidrivers", "storageclasses", "volumeattachments", "csinodes", "volumeattributesclasses"].map(
    (resource) => `storage.k8s.io/${resource}`,
  ),
  ...[
    "resourceclaimtemplates",
    "resourceslices",
    "resourceclaims",
    "deviceclasses",
    "devicetaintrules",
    "resourcepoolstatusrequests",
  ].map((resource) => `resource.k8s.io/${resource}`),
]);

/** The Status of a deletion that is done. */
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

/** Says of Jobs that their pods stay where nothing is said of them. */
function warnOfOrphans(context: HandlerContext, resource: ServedResource, { propagation }: DeleteRequest): void {
  if (resource.bucket !== "batch/jobs" || propagation !== undefined) return;
  context.warn(
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  );
}

/** DELETE of an object. */
export async function handleDelete(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  const requested = await parseDeleteRequest(context, resource.encodings);
  // A namespace whose contents are not to be orphaned waits for them.
  const request: DeleteRequest =
    resource.bucket === "/namespaces" && requested.raw?.["orphanDependents"] === false
      ? { ...requested, propagation: "Foreground" }
      : requested;
  warnOfOrphans(context, resource, request);
  if (resource.bucket === "scheduling.k8s.io/priorityclasses" && pathName.startsWith("system-"))
    throw forbidden(
      { group: resource.group, resource: resource.resource },
      pathName,
      "this is a system priority class and cannot be deleted",
    );
  const { object, gone, blank } = await deleteObject(context, resource, namespace, pathName, request);
  if (gone && blank !== true && !returnsObject.has(resource.bucket))
    return respondPlain({ ...negotiated, transform: undefined as never }, deletedStatus(resource, object));
  // Who says by the old name of the option that nothing is to be orphaned is told that it goes on.
  return respondObject(
    context,
    negotiated,
    resource,
    object,
    !gone && request.raw?.["orphanDependents"] === false ? 202 : 200,
  );
}

const pageSize = 10_000;

/** DELETE of a collection: each object by itself, in the order of the list. */
export async function handleDeleteCollection(
  context: HandlerContext,
  resource: ServedResource,
): Promise<ServerResponse> {
  const { namespace } = context.info;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  if (negotiated.transform?.kind === "Table") includeObjectOf(context);
  const requested = parseListRequest(context.query, resource, { name: "", forceWatch: false });
  // It is listed in pages, and a page of a version is that very version; a negative limit is none.
  const list =
    requested.resourceVersion === "" || (integerParameter(context.query, "limit") ?? 0) !== 0
      ? requested
      : { ...requested, limit: pageSize };
  const request = { ...(await parseDeleteRequest(context, resource.encodings)), collection: true };
  warnOfOrphans(context, resource, request);
  const page = await listPage(context, resource, resource.namespaced ? namespace : "", list);
  for (const version of page.versions) {
    const [ns, name] = resource.namespaced ? (version.key.split("/") as [string, string]) : ["", version.key];
    try {
      await deleteObject(context, resource, ns, name, request);
    } catch (error) {
      // Somebody else was quicker.
      if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
    }
  }
  return respondList(context, negotiated, resource, page.versions, {
    resourceVersion: String(page.revision),
    ...(page.next === "" ? {} : { continue: page.next }),
    ...(page.remaining === undefined || page.remaining <= 0 ? {} : { remainingItemCount: page.remaining }),
  });
}
