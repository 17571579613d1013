import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ServiceHandler } from "../../../src/apiserver/http/service-resolver.js";
import { createNodeApiCaller } from "../../../src/apiserver/node/api-caller.js";
import type { ApiServerOptions } from "../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../src/certificates/authority.js";
import { type PlainHandler, plainHandler } from "../../../src/internal/plain-handler.js";

let server: ApiServer;
afterEach(() => server.close());

type Json = Record<string, unknown>;

const user = { name: "jane", uid: "u1", groups: ["dev", "system:masters"], extra: { "a/b": ["c"] } };
const versionPath = "/apis/metrics.example.com/v1";

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    { user },
  );
}
const get = async (path: string, headers: Record<string, string> = {}): Promise<Json> =>
  (await (await send("GET", path, undefined, headers)).json()) as Json;

const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "metrics.example.com/v1",
  resources: [
    { name: "loads", singularName: "load", namespaced: true, kind: "Load", verbs: ["get", "list"], shortNames: ["ld"] },
    { name: "loads/status", singularName: "", namespaced: true, kind: "Load", verbs: ["get"] },
  ],
};

/** Answers like an aggregated API server, and echoes other requests. */
const backend: ServiceHandler = async (request) => {
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

const apiService = {
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

async function start(options: ApiServerOptions): Promise<void> {
  server = createApiServer({ controllers: false, authorizationMode: "RBAC", ...options });
  const { status } = await send("POST", "/apis/apiregistration.k8s.io/v1/apiservices", apiService);
  expect(status).toBe(201);
  await server.settled();
}

async function condition(): Promise<Json> {
  const { status } = (await get(`/apis/apiregistration.k8s.io/v1/apiservices/${apiService.metadata.name}`)) as {
    status: { conditions: Json[] };
  };
  return status.conditions.find(({ type }) => type === "Available")!;
}

describe("an APIService whose Service is a function of the test", () => {
  const resolveService = (): ServiceHandler => backend;

  it("becomes available", async () => {
    await start({ resolveService });
    expect(await condition()).toMatchObject({ status: "True", reason: "Passed", message: "all checks passed" });
  });

  it.each([
    ["whole", true],
    ["streamed", false],
  ])("is checked through its plain form if the response is %s", async (_how, isWhole) => {
    const fetches: string[] = [];
    let cancelled = 0;
    const seen: Readonly<Record<string, string>>[] = [];
    const plain: PlainHandler = async ({ path, headers }) => {
      seen.push(headers);
      const response = await backend(new Request(`https://backend${path}`));
      const bytes = new Uint8Array(await response.arrayBuffer());
      const reader = {
        read: () => Promise.reject(new Error("unread")),
        cancel: () => Promise.resolve(void cancelled++),
      };
      return { status: response.status, headers: response.headers, body: isWhole ? bytes : reader };
    };
    const handler: ServiceHandler = (request) => {
      fetches.push(request.url);
      return backend(request);
    };
    await start({ resolveService: () => Object.assign(handler, { [plainHandler]: plain }) });
    expect(await condition()).toMatchObject({ status: "True", reason: "Passed" });
    expect(seen[0]).toMatchObject({ accept: "application/json", "x-remote-group": "system:masters" });
    expect(await get(versionPath)).toMatchObject({ resources: [{ name: "loads" }, { name: "loads/status" }] });
    expect(cancelled > 0).toBe(!isWhole);
    expect(fetches.some((url) => url.endsWith("/openapi/v3"))).toBe(!isWhole);
  });

  it("gets requests with the user in headers, and without credentials or forged users", async () => {
    await start({ resolveService });
    const forged = { "x-remote-user": "root", authorization: "Bearer secret", "x-other": "kept" };
    const answer = await send("POST", `${versionPath}/namespaces/a/loads?dryRun=All`, { a: 1 }, forged);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-own")).toBe("yes");
    const seen = (await answer.json()) as Json & { headers: Json };
    expect(seen).toMatchObject({
      method: "POST",
      path: `${versionPath}/namespaces/a/loads?dryRun=All`,
      body: '{"a":1}',
    });
    expect(seen.headers).toMatchObject({
      "x-remote-user": "jane",
      "x-remote-uid": "u1",
      "x-remote-group": "dev, system:masters, system:authenticated",
      "x-remote-extra-a%2fb": "c",
      "x-other": "kept",
    });
    expect(seen.headers["authorization"]).toBeUndefined();
    expect(seen.headers["audit-id"]).toBe(answer.headers.get("audit-id"));
  });

  it("decides about status codes and unknown paths itself", async () => {
    await start({ resolveService });
    expect((await send("GET", `${versionPath}/teapots`)).status).toBe(418);
  });

  it("is authorized by the server that passes it on", async () => {
    await start({ resolveService });
    const request = new Request(`http://server${versionPath}/loads`);
    expect((await server.handle(request, { user: { ...user, groups: [] } })).status).toBe(403);
  });

  it("appears in every form of discovery and in the index of OpenAPI", async () => {
    await start({ resolveService });
    const { groups } = (await get("/apis")) as { groups: { name: string }[] };
    expect(groups.at(-1)).toMatchObject({
      name: "metrics.example.com",
      versions: [{ groupVersion: "metrics.example.com/v1" }],
    });
    expect(await get("/apis/metrics.example.com")).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { version: "v1" },
    });
    expect(await get(versionPath)).toEqual(resources);
    const { items } = (await get("/apis", {
      accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    })) as { items: Json[] };
    expect(items.at(-1)).toEqual({
      metadata: { name: "metrics.example.com" },
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "loads",
              responseKind: { group: "", version: "", kind: "Load" },
              scope: "Namespaced",
              singularResource: "load",
              verbs: ["get", "list"],
              shortNames: ["ld"],
              subresources: [
                {
                  subresource: "status",
                  responseKind: { group: "", version: "", kind: "Load" },
                  verbs: ["get"],
                },
              ],
            },
          ],
        },
      ],
    });
    const { paths } = (await get("/openapi/v3")) as { paths: Json };
    expect(paths["apis/metrics.example.com/v1"]).toEqual({
      serverRelativeURL: "/openapi/v3/apis/metrics.example.com/v1?hash=1",
    });
    expect(await get("/openapi/v3/apis/metrics.example.com/v1?hash=1")).toMatchObject({ method: "GET" });
  });

  it("adds its paths and definitions to OpenAPI v2, with names of their own for those that mean something else", async () => {
    const reference = (name: string): Json => ({ $ref: `#/definitions/${name}` });
    const path = `${versionPath}/loads`;
    const swagger = {
      paths: {
        [path]: { get: { schema: reference("Load") } },
        "/apis/apps/v1/": { get: {} },
        "/other": { get: reference("Unused") },
      },
      definitions: {
        Load: { properties: { metadata: reference("io.k8s.api.core.v1.Pod"), next: reference("Load") } },
        "io.k8s.api.core.v1.Pod": { description: "another Pod" },
        Unused: {},
      },
    };
    await start({
      resolveService: () => (request) =>
        new URL(request.url).pathname === "/openapi/v2" ? Response.json(swagger) : backend(request),
    });
    const document = (await get("/openapi/v2")) as { paths: Json; definitions: Json };
    expect(document.paths[path]).toEqual(swagger.paths[path]);
    expect(document.paths["/apis/apps/v1/"]).not.toEqual({ get: {} });
    expect(document.paths["/other"]).toBeUndefined();
    expect(document.definitions["Load"]).toEqual({
      properties: { metadata: reference("io.k8s.api.core.v1.Pod_v2"), next: reference("Load") },
    });
    expect(document.definitions["io.k8s.api.core.v1.Pod_v2"]).toEqual({ description: "another Pod" });
    expect(document.definitions["Unused"]).toBeUndefined();
  });

  it.each([
    ["null instead of a schema", '{"items":null}'],
    ["a number instead of a list", '{"allOf":5}'],
    ["a number beyond the range instead of a schema", '{"items":1e999}'],
    ["null instead of a property", '{"properties":{"a":null}}'],
    ["10,000 levels", `${'{"items":'.repeat(10_000)}{}${"}".repeat(10_000)}`],
  ])("leaves a document with %s out of OpenAPI v2", async (_what, definition) => {
    const path = `${versionPath}/loads`;
    const paths = `{"${path}":{"get":{"schema":{"$ref":"#/definitions/Load"}}}}`;
    const swagger = `{"paths":${paths},"definitions":{"Load":${definition}}}`;
    await start({
      resolveService: () => (request) =>
        new URL(request.url).pathname === "/openapi/v2" ? Promise.resolve(new Response(swagger)) : backend(request),
    });
    expect(await condition()).toMatchObject({ status: "True" });
    const document = (await get("/openapi/v2")) as { paths: Json };
    expect([path in document.paths, "/apis/apps/v1/" in document.paths]).toEqual([false, true]);
    const accept = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    expect((await send("GET", "/openapi/v2", undefined, { accept })).status).toBe(200);
  });

  it("gives each definition that gets another name in OpenAPI v2 one of its own", async () => {
    const pod = "io.k8s.api.core.v1.Pod";
    const all = [pod, `${pod}_v2`];
    const swagger = {
      paths: { [`${versionPath}/loads`]: { get: all.map((name) => ({ $ref: `#/definitions/${name}` })) } },
      definitions: Object.fromEntries(all.map((name) => [name, { description: `another ${name}` }])),
    };
    await start({
      resolveService: () => (request) =>
        new URL(request.url).pathname === "/openapi/v2" ? Promise.resolve(Response.json(swagger)) : backend(request),
    });
    const { definitions } = (await get("/openapi/v2")) as { definitions: Record<string, Json> };
    const others = Object.entries(definitions).filter(([, { description }]) =>
      String(description).startsWith("another"),
    );
    expect(others.map(([name]) => name)).toEqual([`${pod}_v2`, `${pod}_v3`]);
  });

  it("streams a response as it arrives, and stops it when the client leaves", async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("first\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    await start({
      resolveService: () => (request) => (request.url.includes("watch=1") ? new Response(stream) : backend(request)),
    });
    const reader = (await send("GET", `${versionPath}/loads?watch=1`)).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("first\n");
    await reader.cancel();
    await expect.poll(() => cancelled).toBe(true);
  });

  it("answers 503 while the function fails, and recovers", async () => {
    let away = true;
    let nowMs = 1_000_000;
    const clock = { now: () => nowMs, monotonic: () => nowMs, setTimer: () => ({ cancel: () => undefined }) };
    await start({
      clock: clock as never,
      resolveService: () => (request) => {
        if (away) throw new TypeError("gone");
        return backend(request);
      },
    });
    expect(await condition()).toMatchObject({ status: "False", reason: "FailedDiscoveryCheck" });
    expect((await condition())["message"]).toContain("gone");
    const refused = await send("GET", `${versionPath}/loads`);
    expect([refused.status, await refused.text()]).toEqual([503, "service unavailable\n"]);
    away = false;
    nowMs += 2_000;
    expect((await send("GET", `${versionPath}/loads`)).status).toBe(503);
    await server.settled();
    expect((await send("GET", `${versionPath}/loads`)).status).toBe(200);
    away = true;
    nowMs += 2_000;
    const failed = await send("GET", `${versionPath}/loads`);
    expect([failed.status, await failed.text()]).toEqual([503, "error trying to reach service: gone\n"]);
    await server.settled();
    expect(await condition()).toMatchObject({ status: "False" });
  });
});

it("an APIService without a stored Service isn't available", async () => {
  await start({});
  expect(await condition()).toMatchObject({ status: "False", reason: "ServiceNotFound" });
  expect((await send("GET", `${versionPath}/loads`)).status).toBe(503);
  const { items } = (await get("/apis", {
    accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  })) as { items: { versions: Json[] }[] };
  expect(items.at(-1)!.versions).toEqual([{ version: "v1", freshness: "Stale" }]);
});

it("an APIService is reached over HTTPS with its caBundle, each group in a header of its own", async () => {
  const { ca, cert, key } = createServerCertificate(["127.0.0.1"], Date.now());
  let groups: readonly string[] | undefined;
  const remote = createServer({ cert, key }, (request, response) => {
    groups = request.headersDistinct["x-remote-group"];
    if (request.url === versionPath) response.end(JSON.stringify(resources));
    else response.end("{}");
  });
  await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
  try {
    const origin = `https://127.0.0.1:${String((remote.address() as AddressInfo).port)}`;
    server = createApiServer({ controllers: false, callApi: createNodeApiCaller(), resolveService: () => origin });
    const { insecureSkipTLSVerify: _skip, ...spec } = apiService.spec;
    const caBundle = Buffer.from(ca).toString("base64");
    await send("POST", "/apis/apiregistration.k8s.io/v1/apiservices", { ...apiService, spec: { ...spec, caBundle } });
    await server.settled();
    expect(await condition()).toMatchObject({ status: "True" });
    expect((await send("DELETE", `${versionPath}/loads`)).status).toBe(200);
    expect(groups).toEqual(["dev", "system:masters", "system:authenticated"]);
  } finally {
    await new Promise((resolve) => remote.close(resolve));
  }
});

it("a list of resources with fields of the wrong type doesn't break the discovery of other APIs", async () => {
  const odd = [
    { name: "odd", namespaced: "no", kind: 5, verbs: 5, categories: {}, shortNames: "a", version: 7, more: { a: [] } },
    { name: "good", namespaced: true, kind: "Good", verbs: ["get"] },
    ...[{ name: "" }, { name: 5 }, null, "x", { name: "nulls", verbs: [null], kind: null }],
  ];
  await start({ resolveService: () => () => Promise.resolve(Response.json({ resources: odd })) });
  expect(await condition()).toMatchObject({ status: "True" });
  const forms = ["application/json", "application/vnd.kubernetes.protobuf"];
  for (const form of forms) {
    const accept = `${form};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
    const response = await send("GET", "/apis", undefined, { accept });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, accept]);
    expect(await response.text()).toContain("good");
  }
});

it("a user whose name isn't Latin-1 reaches an aggregated API as UTF-8", async () => {
  await start({ resolveService: () => backend });
  const request = new Request(`http://server${versionPath}/loads`);
  const response = await server.handle(request, {
    user: { ...user, name: "李", groups: ["Gruppe ü", ...user.groups] },
  });
  const { headers } = (await response.json()) as { headers: Record<string, string> };
  const text = (value: string | undefined): string => Buffer.from(value ?? "", "latin1").toString("utf8");
  expect([response.status, text(headers["x-remote-user"])]).toEqual([200, "李"]);
  expect(text(headers["x-remote-group"])).toContain("Gruppe ü");
});

it.each([
  ["HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n", "the server sent an invalid response"],
  ["HTTP/1.1 101 Switch\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n", "the server switched protocols"],
  ["HTTP/1.1 205 Reset\r\ncontent-length: 0\r\n\r\n", "end of JSON input"],
  ["HTTP/1.1 200 OK\r\na: \x01\r\n\r\n", "Invalid header value char"],
  ["nothing of HTTP\r\n\r\n", "Parse Error"],
  ["", "socket hang up"],
])("an aggregated API server that answers %j doesn't end the process", async (answer, message) => {
  const remote = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(answer, "latin1"));
  });
  await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
  const { port } = remote.address() as AddressInfo;
  await start({ callApi: createNodeApiCaller(), resolveService: () => `http://127.0.0.1:${String(port)}` });
  expect(await condition()).toMatchObject({ status: "False", message: expect.stringContaining(message) as string });
  await new Promise((resolve) => remote.close(resolve));
});
