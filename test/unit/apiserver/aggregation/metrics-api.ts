import { afterEach, expect } from "vitest";
import type { ServiceHandler } from "../../../../src/apiserver/http/service-resolver.js";
import type { ApiServerOptions } from "../../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

export type Json = Record<string, unknown>;

/** User who sends the requests. */
export const user = { name: "jane", uid: "u1", groups: ["dev", "system:masters"], extra: { "a/b": ["c"] } };
/** Path of the aggregated API. */
export const versionPath = "/apis/metrics.example.com/v1";

/** Discovery document of the aggregated API. */
export const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "metrics.example.com/v1",
  resources: [
    { name: "loads", singularName: "load", namespaced: true, kind: "Load", verbs: ["get", "list"], shortNames: ["ld"] },
    { name: "loads/status", singularName: "", namespaced: true, kind: "Load", verbs: ["get"] },
  ],
};

/** Answers like an aggregated API server, and echoes other requests. */
export const backend: ServiceHandler = async (request) => {
  const { pathname, search } = new URL(request.url);
  if (pathname === versionPath) return Response.json(resources);
  if (pathname === "/openapi/v3")
    return Response.json({
      paths: { "apis/metrics.example.com/v1": { serverRelativeURL: "/openapi/v3/apis/metrics.example.com/v1?hash=1" } },
    });
  const { method, headers } = request;
  return Response.json(
    { method, path: `${pathname}${search}`, headers: Object.fromEntries(headers), body: await request.text() },
    { status: pathname.endsWith("/teapots") ? 418 : 200, headers: { "x-own": "yes" } },
  );
};

/** APIService that hands the API to a Service. */
export const apiService = {
  metadata: { name: "v1.metrics.example.com" },
  spec: {
    group: "metrics.example.com",
    version: "v1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: "system", name: "metrics" },
    insecureSkipTLSVerify: true,
  },
};

/** API server that aggregates the API of `apiService`. */
export interface Aggregator {
  readonly server: ApiServer;
  /** Starts a server with RBAC, creates the APIService, and waits until its availability is known. */
  start(options: ApiServerOptions, service?: object): Promise<void>;
  /** Sends a request of `user`. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Reads a document in JSON. */
  get(path: string, headers?: Record<string, string>): Promise<Json>;
  /** Returns the condition `Available` of the APIService. */
  condition(): Promise<Json>;
}

/** Lets each test of the file start a server, and closes it after the test. */
export function useAggregator(): Aggregator {
  let server: ApiServer;
  afterEach(() => server.close());
  const send: Aggregator["send"] = (method, path, body, headers = {}) =>
    server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { user },
    );
  const get: Aggregator["get"] = async (path, headers) =>
    (await (await send("GET", path, undefined, headers)).json()) as Json;
  return {
    get server() {
      return server;
    },
    async start(options, service = apiService) {
      server = createApiServer({ controllers: false, authorizationMode: "RBAC", ...options });
      const { status } = await send("POST", "/apis/apiregistration.k8s.io/v1/apiservices", service);
      expect(status).toBe(201);
      await server.settled();
    },
    send,
    get,
    async condition() {
      const { status } = (await get(`/apis/apiregistration.k8s.io/v1/apiservices/${apiService.metadata.name}`)) as {
        status: { conditions: Json[] };
      };
      return status.conditions.find(({ type }) => type === "Available")!;
    },
  };
}
