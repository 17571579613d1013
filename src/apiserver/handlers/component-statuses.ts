import type { ComponentStatus } from "../../kinds/core/v1.js";
import { failure } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { parseListRequest } from "../registry/list-options.js";
import { attributesOf } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import type { Version } from "../storage/bucket.js";
import { negotiateFor, offerOf, respondList, respondVersion } from "../wire/respond.js";
import type { HandlerContext } from "./services.js";

/** Returns the components of a control plane in list order. */
function parts({ services }: HandlerContext): readonly ComponentStatus[] {
  const controllers = services.controllersRun ? undefined : "the server runs without controllers";
  return [
    part("scheduler", "the server runs without a scheduler"),
    part("controller-manager", controllers),
    part("etcd-0", undefined),
  ];
}

function part(name: string, problem: string | undefined): ComponentStatus {
  return {
    metadata: { name },
    conditions: [{ type: "Healthy", status: problem === undefined ? "True" : "False", message: problem ?? "ok" }],
  };
}

/** Wraps a component as a stored version. It is created per request and has no resource version. */
function versionOf(status: ComponentStatus): Version {
  return { revision: 0, exists: true, key: status.metadata!.name!, json: JSON.stringify(status), storedAs: undefined };
}

/**
 * Handles GET of the component statuses, which are computed and not stored. Selectors apply; pagination and versions
 * are ignored.
 */
export function handleComponentStatuses(context: HandlerContext, resource: ServedResource): ServerResponse {
  const negotiated = negotiateFor(context, resource, offerOf(resource, true));
  const request = parseListRequest(context.query, resource, { name: "", forceWatch: false });
  if (request.watch)
    throw failure(
      405,
      "MethodNotAllowed",
      `watch is not supported on resources of kind ${JSON.stringify(resource.resource)}`,
      { kind: resource.resource },
    );
  const versions = parts(context)
    .map((status) => versionOf(status))
    .filter((version) => {
      const { labels, fields } = attributesOf(resource, version);
      return request.labels.matches(labels) && request.fields.matches(fields);
    });
  return respondList(context, { resource, negotiated }, versions, {});
}

/** Handles GET of one component status. Throws 404. */
export function handleComponentStatus(context: HandlerContext, resource: ServedResource): ServerResponse {
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  const name = context.info.pathName;
  const status = parts(context).find(({ metadata }) => metadata?.name === name);
  if (status === undefined)
    throw failure(404, "NotFound", `componentstatus ${JSON.stringify(name)} not found`, {
      name,
      kind: "componentstatus",
    });
  return respondVersion(context, { resource, negotiated }, versionOf(status));
}
