import type { FieldError } from "../errors/field-error.js";
import { forbiddenField, invalidField } from "../errors/field-error.js";
import { badRequest, internalError, throwInvalid } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { integerParameter } from "../registry/list-options.js";
import { getVersion, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { filterAccept, negotiate, representations } from "../wire/negotiate.js";
import { offerOf } from "../wire/respond.js";
import type { HandlerContext } from "./services.js";

interface Pod extends ApiObject {
  spec?: {
    nodeName?: string;
    containers?: { name: string }[];
    initContainers?: { name: string }[];
    ephemeralContainers?: { name: string }[];
  };
}

/**
 * Handles the subresources that need a kubelet (log, exec, attach, portforward), as far as the API server itself
 * responds.
 */
export function handlePodStream(context: HandlerContext, resource: ServedResource): ServerResponse {
  const { namespace, pathName, subresource } = context.info;
  if (subresource === "log") {
    const accept = context.request.header("accept") ?? "";
    const offer = { ...offerOf(resource, false), tables: false };
    filterAccept(accept, ["text/plain", ...representations(offer)]);
    negotiate(accept, offer, false, false);
    checkLogOptions(context, pathName);
  }
  const pod = readObject(resource, getVersion(context, resource, namespace, pathName)) as Pod;
  if (subresource !== "portforward") checkContainer(context, pod, pathName);
  if ((pod.spec?.nodeName ?? "") === "") {
    if (subresource === "log")
      return { status: 204, headers: [["Cache-Control", "no-cache, private"]], body: undefined };
    throw badRequest(`pod ${pathName} does not have a host assigned`);
  }
  throw internalError(`no kubelet is reachable on node ${JSON.stringify(pod.spec?.nodeName)}`);
}

function checkLogOptions(context: HandlerContext, name: string): void {
  const errors: FieldError[] = [];
  const check = (parameter: string, least: number, detail: string): void => {
    const value = integerParameter(context.query, parameter);
    if (value !== undefined && value < least) errors.push(invalidField(parameter, value, detail));
  };
  check("tailLines", 0, "must be greater than or equal to 0");
  check("limitBytes", 1, "must be greater than 0");
  check("sinceSeconds", 1, "must be greater than 0");
  if (context.query.has("sinceSeconds") && context.query.has("sinceTime"))
    errors.push(forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  throwInvalid({ group: "", kind: "PodLogOptions" }, name, errors);
}

function checkContainer(context: HandlerContext, pod: Pod, name: string): void {
  const requested = context.query.get("container") ?? "";
  const containers = pod.spec?.containers ?? [];
  const all = [...containers, ...(pod.spec?.initContainers ?? []), ...(pod.spec?.ephemeralContainers ?? [])];
  if (requested !== "") {
    if (!all.some((container) => container.name === requested))
      throw badRequest(`container ${requested} is not valid for pod ${name}`);
    return;
  }
  if (containers.length > 1 && (pod.metadata?.annotations?.["kubectl.kubernetes.io/default-container"] ?? "") === "") {
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${containers.map((container) => container.name).join(" ")}]`,
    );
  }
}
