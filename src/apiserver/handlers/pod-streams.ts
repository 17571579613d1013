import { pushAll } from "../../internal/push-all.js";
import type { FieldError } from "../errors/field-error.js";
import { forbiddenField, invalidField, unsupportedField } from "../errors/field-error.js";
import { badRequest, notFound, rawError, throwInvalid } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { converseWithContainer, converseWithPorts } from "../kubelets/conversation.js";
import type { ContainerLogRequest, KubeletConnection } from "../kubelets/kubelet.js";
import type { ApiObject } from "../objects/api-object.js";
import { integerParameter } from "../registry/list-options.js";
import { getVersion, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { groupResourceOf } from "../registry/resources.js";
import { getStored } from "../registry/stored-objects.js";
import { canonicalTime } from "../schema/go-scalars.js";
import { filterAccept, negotiate, representations } from "../wire/negotiate.js";
import { offerOf } from "../wire/respond.js";
import { isTrue } from "./admit-request.js";
import type { HandlerContext } from "./services.js";

const defaultContainer = "kubectl.kubernetes.io/default-container";

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
export function handlePodStream(
  context: HandlerContext,
  resource: ServedResource,
): ServerResponse | Promise<ServerResponse> {
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
  const { kubelets } = context.services;
  const log = subresource === "log" ? kubelets?.logs(logRequest(context, pod, pathName)) : undefined;
  if (log !== undefined) {
    if ("refused" in log) throw badRequest(log.refused);
    const { return: close = () => Promise.resolve({ done: true as const, value: undefined }) } = log;
    const body = { next: () => log.next(), return: () => close.call(log) };
    return { status: 200, headers: [["Content-Type", "text/plain"]], body };
  }
  const conversation = kubelets === undefined ? undefined : converse(context, kubelets, pod);
  if (conversation !== undefined) return conversation;
  const { nodeName = "" } = pod.spec ?? {};
  if (getStored(context.services, "/nodes", nodeName) === undefined)
    throw notFound(groupResourceOf(resource), nodeName);
  throw rawError(unreachable(pod));
}

function unreachable({ spec }: Pod): string {
  return `no kubelet is reachable on node ${JSON.stringify(spec?.nodeName)}`;
}

/** Serves exec, attach or port forwarding; `undefined` if the node can't be reached. */
function converse(
  context: HandlerContext,
  kubelets: KubeletConnection,
  target: Pod,
): Promise<ServerResponse> | undefined {
  const { query, info, request, subprotocols } = context;
  const call = { request, subprotocols, signal: context.signal() };
  const place = { node: target.spec?.nodeName ?? "", namespace: info.namespace ?? "", pod: info.pathName };
  if (info.subresource === "portforward") {
    const ports = query.getAll("ports").flatMap((text) => text.split(","));
    const connect = (port: number): ReturnType<Required<KubeletConnection>["connect"]> =>
      kubelets.connect?.({ ...place, port });
    if (connect(Number(ports[0] ?? 0)) === undefined) return undefined;
    return converseWithPorts(call, ports, (port) => connect(port) ?? { refused: unreachable(target) });
  }
  const [stdin, stdout, stderr, tty] = ["stdin", "stdout", "stderr", "tty"].map((name) => isTrue(query, name));
  const command = info.subresource === "exec" ? query.getAll("command") : undefined;
  const container = containerOf(query, target);
  const serve = kubelets.session?.({ ...place, container, command, tty: tty!, stdin: stdin! });
  if (serve === undefined) return undefined;
  return converseWithContainer(call, serve, { stdin: stdin!, stdout: stdout!, stderr: stderr!, tty: tty! });
}

/** Returns the name of the container that a request is for. */
function containerOf(query: URLSearchParams, { metadata, spec }: Pod): string {
  return query.get("container") || (metadata?.annotations?.[defaultContainer] ?? spec?.containers?.[0]?.name ?? "");
}

/** Values of the parameter `stream`, with the stream that each selects. */
const logStreams: Readonly<Record<string, ContainerLogRequest["stream"]>> = {
  All: undefined,
  Stderr: "stderr",
  Stdout: "stdout",
};

/** Returns the request for the kubelet. The parameters have been checked. */
function logRequest({ query, info }: HandlerContext, target: Pod, pod: string): ContainerLogRequest {
  const numberOf = (name: string): number | undefined => (query.has(name) ? Number(query.get(name)) : undefined);
  const sinceSeconds = numberOf("sinceSeconds");
  const sinceTime = query.get("sinceTime") ?? "";
  const stream = logStreams[query.get("stream") ?? ""];
  return {
    node: target.spec?.nodeName ?? "",
    namespace: info.namespace ?? "",
    pod,
    container: containerOf(query, target),
    follow: isTrue(query, "follow"),
    previous: isTrue(query, "previous"),
    timestamps: isTrue(query, "timestamps"),
    tailLines: numberOf("tailLines"),
    sinceSeconds,
    sinceMs: sinceTime === "" ? undefined : Date.parse(sinceTime),
    limitBytes: numberOf("limitBytes"),
    stream,
  };
}

function checkLogOptions(context: HandlerContext, name: string): void {
  const errors: FieldError[] = [];
  const check = (parameter: string, least: number, detail: string): void => {
    const value = integerParameter(context.query, parameter);
    if (value !== undefined && value < least) errors.push(invalidField(parameter, value, detail));
  };
  const sinceTime = context.query.get("sinceTime") ?? "";
  if (sinceTime !== "" && canonicalTime(sinceTime, 0) === undefined)
    throw badRequest(`parsing time ${JSON.stringify(sinceTime)}: it must be in the form of RFC 3339`);
  check("tailLines", 0, "must be greater than or equal to 0");
  check("limitBytes", 1, "must be greater than 0");
  check("sinceSeconds", 1, "must be greater than 0");
  if (context.query.has("sinceSeconds") && context.query.has("sinceTime"))
    errors.push(forbiddenField("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  pushAll(errors, streamErrors(context));
  throwInvalid({ group: "", kind: "PodLogOptions" }, name, errors);
}

function streamErrors({ query, services }: HandlerContext): FieldError[] {
  const stream = query.get("stream");
  if (stream === null) return [];
  if (!services.splitsLogStreams) return [forbiddenField("stream", "may not be specified")];
  const isAll = stream === "All";
  return [
    ...(Object.hasOwn(logStreams, stream) ? [] : [unsupportedField("stream", stream, Object.keys(logStreams))]),
    ...(isAll || !query.has("tailLines")
      ? []
      : [forbiddenField("[]", "`tailLines` and a specific `stream` are mutually exclusive")]),
  ];
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
  if (containers.length > 1 && (pod.metadata?.annotations?.[defaultContainer] ?? "") === "") {
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${containers.map((container) => container.name).join(" ")}]`,
    );
  }
}
