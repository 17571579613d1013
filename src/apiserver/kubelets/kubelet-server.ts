import { utf8Encode } from "../../internal/bytes.js";
import { ApiFailure, badRequest } from "../errors/status.js";
import { type ServerRequest, type ServerResponse, textResponse } from "../http/http.js";
import type { ServiceHandler } from "../http/service-resolver.js";
import { converseWithContainer, converseWithPorts } from "./conversation.js";
import type { ContainerLogRequest, KubeletConnection } from "./kubelet.js";
import { type KubeletReviews, refuseAccess, trustedCertificate } from "./kubelet-access.js";

/** Options for `createKubeletServer`. */
export interface KubeletServerOptions {
  /** Connection to the nodes. */
  readonly connection: KubeletConnection;
  /** Returns the name of the node that a pod runs on; `undefined` for an unknown pod. */
  readonly findNode: (namespace: string, pod: string) => string | undefined;
  /** Function that answers requests for aggregated APIs, below `/apis`. Default: they aren't found. */
  readonly apis?: ServiceHandler | undefined;
  /** Reviews of the API server. Default: none, so that `serveReviewed` refuses all requests. */
  readonly reviews?: KubeletReviews | undefined;
}

/** The API of kubelets, for all nodes of a cluster together. */
export interface KubeletServer {
  /** Answers a request. */
  serve(request: ServerRequest): Promise<ServerResponse>;
  /** Answers a request if the API server allows its user access to the node. Other requests get 401 or 403. */
  serveReviewed(request: ServerRequest): Promise<ServerResponse>;
}

/** Place at which an API server reaches a kubelet. */
export interface KubeletEndpoint {
  /** IP address. */
  readonly address: string;
  /** Number of the port. */
  readonly port: number;
  /** Closes the port and its connections. */
  close(): Promise<void>;
}

/** Function that opens a port for kubelets. */
export type KubeletListener = (server: KubeletServer) => Promise<KubeletEndpoint>;

/** Creates the API of kubelets, as far as a kube-apiserver uses it: logs, exec, attach and port forwarding. */
export function createKubeletServer({ connection, findNode, apis, reviews }: KubeletServerOptions): KubeletServer {
  const answer = (request: ServerRequest): ServerResponse | Promise<ServerResponse> => {
    const [verb = "", ...parts] = request.path.slice(1).split("/").map(decode);
    if (request.path === "/healthz") return textResponse(200, "ok");
    if (verb === "apis" && apis !== undefined) return answerApi(request, apis);
    const hasContainer = verb === "containerLogs" || verb === "exec" || verb === "attach";
    if (!hasContainer && verb !== "portForward") return textResponse(404, "404 page not found\n");
    const [namespace = "", pod = ""] = parts;
    // The UID of the pod may precede the container.
    const container = hasContainer ? (parts.at(-1) ?? "") : "";
    const node = findNode(namespace, pod);
    if (node === undefined) return textResponse(404, "pod does not exist");
    const query = new URLSearchParams(request.query);
    const place = { node, namespace, pod };
    const call = { request, signal: request.signal };
    if (verb === "containerLogs") return answerLog(connection, { ...place, container, ...logOptions(query) });
    if (verb === "portForward") {
      const connect = (port: number): ReturnType<Required<KubeletConnection>["connect"]> =>
        connection.connect?.({ ...place, port });
      const ports = query.getAll("port").flatMap((text) => text.split(","));
      if (connect(Number(ports[0] ?? 0)) === undefined) return unreachable;
      return converseWithPorts(call, ports, (port) => connect(port) ?? { refused: "the node isn't reachable" });
    }
    const [stdin, stdout, stderr, tty] = ["input", "output", "error", "tty"].map((name) => query.get(name) === "1");
    const command = verb === "exec" ? query.getAll("command") : undefined;
    const serve = connection.session?.({ ...place, container, command, tty: tty!, stdin: stdin! });
    if (serve === undefined) return unreachable;
    return converseWithContainer(call, serve, { stdin: stdin!, stdout: stdout!, stderr: stderr!, tty: tty! });
  };
  const serve = async (request: ServerRequest): Promise<ServerResponse> => {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof ApiFailure) return textResponse(error.status.code ?? 500, error.message);
      throw error;
    }
  };
  const review = async (request: ServerRequest): Promise<ServerResponse | undefined> => {
    // The API server passes requests for the metrics API on with a certificate of its own.
    if (request.path.startsWith("/apis/") && trustedCertificate(request) !== undefined) return undefined;
    if (reviews === undefined) return textResponse(401, "Unauthorized");
    const [namespace = "", pod = ""] = request.path.split("/").slice(2);
    return await refuseAccess(request, findNode(namespace, pod) ?? "", reviews);
  };
  return { serve, serveReviewed: async (request) => (await review(request)) ?? (await serve(request)) };
}

/** A node that is away doesn't answer. */
const unreachable: ServerResponse = { status: 503, headers: [], body: undefined, dropped: true };

function answerLog(connection: KubeletConnection, request: ContainerLogRequest): ServerResponse {
  const log = connection.logs(request);
  if (log === undefined) return unreachable;
  if ("refused" in log) throw badRequest(log.refused);
  const { return: close = () => Promise.resolve({ done: true as const, value: undefined }) } = log;
  const body = { next: () => log.next(), return: () => close.call(log) };
  return { status: 200, headers: [["Content-Type", "text/plain"]], body };
}

/** Reads the parameters of a log, which the API server has checked. */
function logOptions(query: URLSearchParams): Omit<ContainerLogRequest, "node" | "namespace" | "pod" | "container"> {
  const isTrue = (name: string): boolean => query.get(name) === "true" || query.get(name) === "1";
  const numberOf = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw badRequest(`invalid ${name} ${JSON.stringify(text)}`);
  };
  const sinceTime = query.get("sinceTime");
  const sinceMs = sinceTime === null ? undefined : Date.parse(sinceTime);
  if (Number.isNaN(sinceMs)) throw badRequest(`invalid sinceTime ${JSON.stringify(sinceTime)}`);
  const stream = query.get("stream")?.toLowerCase();
  return {
    follow: isTrue("follow"),
    previous: isTrue("previous"),
    timestamps: isTrue("timestamps"),
    tailLines: numberOf("tailLines"),
    sinceSeconds: numberOf("sinceSeconds"),
    sinceMs,
    limitBytes: numberOf("limitBytes"),
    stream: stream === "stdout" || stream === "stderr" ? stream : undefined,
  };
}

async function answerApi({ method, path, query }: ServerRequest, apis: ServiceHandler): Promise<ServerResponse> {
  const response = await apis(new Request(`http://kubelet${path}${query === "" ? "" : `?${query}`}`, { method }));
  const type = response.headers.get("content-type") ?? "application/json";
  return { status: response.status, headers: [["Content-Type", type]], body: utf8Encode(await response.text()) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest(`invalid path segment ${JSON.stringify(part)}`);
  }
}
