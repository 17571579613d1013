import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { createServerCertificate } from "../../../src/certificates/authority.js";

/** Group of the aggregated API. */
export const group = "metrics.example.com";
/** Path of the aggregated API. */
export const version = `/apis/${group}/v1`;
/** Certificate of the aggregated API server, with its authority. */
export const authority = createServerCertificate(["backend.agg.svc", "hook.agg.svc", "localhost"], Date.now());

/** Request that the aggregated API server received. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly groups: readonly string[];
  readonly client: string | undefined;
  readonly body: string;
}

/** Server of the aggregated API. */
export interface Backend {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Returns the requests since the last time, without those for documents. */
  take(): Seen[];
}

const loads = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1`,
  resources: [
    {
      name: "loads",
      singularName: "load",
      namespaced: true,
      kind: "Load",
      verbs: ["get", "list", "watch"],
      shortNames: ["ld"],
      categories: ["all"],
    },
    { name: "loads/status", singularName: "", namespaced: true, kind: "Load", verbs: ["get"] },
    { name: "zones", singularName: "zone", namespaced: false, kind: "Zone", verbs: ["get"] },
  ],
};
const loadSchema = {
  type: "object",
  description: "Load of a thing.",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    value: { type: "integer", format: "int32" },
  },
  "x-kubernetes-group-version-kind": [{ group, version: "v1", kind: "Load" }],
};
const document = {
  openapi: "3.0.0",
  info: { title: "Metrics", version: "v1" },
  paths: {
    [`${version}/namespaces/{namespace}/loads`]: {
      get: { operationId: "listLoads", responses: { 200: { description: "OK" } } },
    },
  },
  components: { schemas: { "com.example.metrics.v1.Load": loadSchema } },
};
const swagger = {
  swagger: "2.0",
  info: { title: "Metrics", version: "v1" },
  paths: {
    [`${version}/namespaces/{namespace}/loads`]: {
      get: {
        operationId: "listLoads",
        produces: ["application/json"],
        responses: { 200: { description: "OK", schema: { $ref: "#/definitions/com.example.metrics.v1.Load" } } },
      },
    },
  },
  definitions: { "com.example.metrics.v1.Load": loadSchema },
};

/** Answers like an aggregated API server. Returns the request if it isn't for a document. */
function respond(request: IncomingMessage, body: string, response: ServerResponse): Seen | undefined {
  const url = new URL(request.url!, "https://backend");
  const json = (value: object, status = 200, headers: object = {}): undefined =>
    void response
      .writeHead(status, { "content-type": "application/json", connection: "close", ...headers })
      .end(JSON.stringify(value));
  if (url.pathname === version) return json(loads);
  if (url.pathname === "/openapi/v3")
    return json({ paths: { [version.slice(1)]: { serverRelativeURL: `/openapi/v3${version}?hash=ABC` } } });
  if (url.pathname === `/openapi/v3${version}`) return json(document);
  if (url.pathname === "/openapi/v2") return json(swagger);
  if (!url.pathname.startsWith(`${version}/`)) return json({ kind: "Status", status: "Failure", code: 404 }, 404);
  const seen: Seen = {
    method: request.method!,
    url: request.url!,
    headers: request.headers,
    groups: request.headersDistinct["x-remote-group"] ?? [],
    client: (request.socket as TLSSocket).getPeerCertificate()?.subject?.CN as string | undefined,
    body,
  };
  if (url.pathname.endsWith("/teapot"))
    json({ kind: "Status", apiVersion: "v1", status: "Failure", code: 418 }, 418, { "x-own": "yes" });
  else if (url.pathname.endsWith("/moved")) json({}, 302, { location: `${version}/zones/other` });
  else if (url.pathname.endsWith("/gone")) json({}, 204);
  else json({ kind: "Load", apiVersion: `${group}/v1`, metadata: { name: "l" }, value: 1 });
  return seen;
}

/** Creates a server of the aggregated API, which listens on the port from `start` to `stop`. */
export function createBackend(port: number): Backend {
  let server: Server;
  let all: Seen[] = [];
  return {
    port,
    async start() {
      const { cert, key } = authority;
      server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
        const chunks: Buffer[] = [];
        request
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () => {
            const seen = respond(request, Buffer.concat(chunks).toString("utf8"), response);
            if (seen !== undefined) all.push(seen);
          });
      });
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    take() {
      const taken = all;
      all = [];
      return taken;
    },
  };
}
