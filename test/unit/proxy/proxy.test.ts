import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../src/client/client.js";
import { ConfigMap, Pod } from "../../../src/kinds/core/v1.js";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import type { Proxy, ProxyEvent, ProxyOptions, ProxyUser } from "../../../src/proxy/proxy.js";
import { readRules } from "../../../src/proxy/rules.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";
import { call, page, recorder, site, userOf } from "./page-requests.js";
import { type Backend, startBackend } from "./setup.js";

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend[Symbol.asyncDispose]());

function proxyWith(options: Partial<ProxyOptions> = {}): Proxy {
  return createProxy({ clusters: { prod: { transport: backend.transport } }, authenticate: userOf, ...options });
}

describe("a proxy that impersonates its users", () => {
  it("shows a user what the cluster's rights allow, and nothing else", async () => {
    const proxy = proxyWith();
    const own = await call(proxy, "/clusters/prod/api/v1/namespaces/web/pods");
    expect([own.status, own.text.includes('"shop"')]).toEqual([200, true]);
    const foreign = await call(proxy, "/clusters/prod/api/v1/namespaces/bank/secrets");
    expect(foreign.status).toBe(403);
    expect(foreign.text).toContain('User \\"jane\\" cannot list resource \\"secrets\\"');
  });

  it("feeds an informer, and ends its watch when the page closes it", async () => {
    const proxy = proxyWith();
    const handle = (request: Request): Promise<Response> => {
      const headers = new Headers(request.headers);
      for (const [name, value] of Object.entries(page)) headers.set(name, value);
      return proxy.handle(new Request(request, { headers }));
    };
    const client = createClient({ transport: handlerTransport(handle, { url: `${site}/clusters/prod` }) });
    const informer = createInformer(client.resource(Pod).namespace("web"));
    informer.start();
    await informer.synced();
    const pods = backend.cluster.client.resource(Pod).namespace("web");
    await pods.create({ metadata: { name: "late" }, spec: { containers: [{ name: "main", image: "web:1" }] } });
    await expect.poll(() => informer.store.get("web/late")?.metadata?.name).toBe("late");
    await informer.close();
    await client.close();
    await pods.delete("late", { gracePeriodSeconds: 0 });
  });

  it("lists the clusters that a user may see", async () => {
    const { transport } = recorder();
    const proxy = proxyWith({
      clusters: { prod: { transport }, test: { transport } },
      allow: (user, cluster) => (cluster === "prod" && user?.name !== "root" ? [] : readRules),
    });
    expect((await call(proxy, "/clusters")).text).toBe('{"clusters":[{"name":"test"}]}');
    const root = await call(proxy, "/clusters", { headers: { cookie: "session=root" } });
    expect(root.text).toBe('{"clusters":[{"name":"prod"},{"name":"test"}]}');
    expect((await call(proxy, "/clusters", { headers: { cookie: "" } })).status).toBe(401);
  });
});

describe("headers and bodies between a page and a cluster", () => {
  it("keep the page's credentials, cookies and impersonation away from the cluster", async () => {
    const { transport, requests } = recorder();
    const proxy = proxyWith({ clusters: { prod: { transport } } });
    await call(proxy, "/clusters/prod/api/v1/pods?limit=5", {
      headers: {
        accept: "application/json",
        authorization: "Bearer stolen",
        "impersonate-user": "root",
        "impersonate-group": "system:masters",
        "x-remote-user": "root",
        "x-forwarded-for": "10.0.0.1",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      },
    });
    const [{ method, path, headers, multiHeaders }] = requests as [TransportRequest];
    expect({ method, path, headers, multiHeaders }).toEqual({
      method: "GET",
      path: "/api/v1/pods?limit=5",
      headers: {
        accept: "application/json",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "user-agent": "kubestream-proxy",
        "impersonate-user": "jane",
      },
      multiHeaders: { "impersonate-group": ["staff"] },
    });
  });

  it("bring no cookies, redirects or active content to the page", async () => {
    const { transport } = recorder({
      headers: { "set-cookie": "a=b", location: "/", "content-type": "text/html", warning: '299 - "old"' },
    });
    const { headers } = await call(proxyWith({ clusters: { prod: { transport } } }), "/clusters/prod/api/v1/pods");
    expect([...headers.keys()].sort()).toEqual([
      "cache-control",
      "content-security-policy",
      "content-type",
      "warning",
      "x-content-type-options",
    ]);
    expect(headers.get("content-security-policy")).toContain("sandbox");
  });

  it("pass writes that the rules allow, up to the limit of a body", async () => {
    const { transport, requests } = recorder({ status: 201 });
    const proxy = proxyWith({
      clusters: { prod: { transport } },
      allow: [{ resources: ["configmaps"] }],
      limits: { bodyBytes: 100 },
    });
    const path = "/clusters/prod/api/v1/namespaces/web/configmaps";
    const init = { method: "POST", headers: { origin: site, "content-type": "application/json" } };
    expect((await call(proxy, path, { ...init, body: "{}" })).status).toBe(201);
    expect(new TextDecoder().decode(requests[0]!.body)).toBe("{}");
    const long = await call(proxy, path, { ...init, body: "x".repeat(101) });
    expect([long.status, requests.length]).toEqual([413, 1]);
  });

  it("turn a 401 of the cluster into a 502, because the page's session is valid", async () => {
    const { transport } = recorder({ status: 401 });
    const answer = await call(proxyWith({ clusters: { prod: { transport } } }), "/clusters/prod/api/v1/pods");
    expect([answer.status, answer.text.includes("refused the credentials of the proxy")]).toEqual([502, true]);
  });
});

it("a proxy reports each request to its audit function", async () => {
  const events: ProxyEvent[] = [];
  const proxy = proxyWith({ audit: (event) => events.push(event) });
  await call(proxy, "/clusters/prod/api/v1/namespaces/web/pods/shop?pretty=true");
  await call(proxy, "/clusters/prod/api/v1/namespaces/web/pods/shop", { method: "DELETE" });
  await call(proxy, "/clusters/prod/version", { headers: { cookie: "" } });
  await call(proxy, "/elsewhere");
  const brief = events.map(({ user, cluster, method, path, info, status, refused }) =>
    [user?.name, cluster, method, path, info?.verb, status, refused].join(" | "),
  );
  expect(brief).toEqual([
    "jane | prod | GET | /api/v1/namespaces/web/pods/shop | get | 200 | ",
    "jane | prod | DELETE | /api/v1/namespaces/web/pods/shop | delete | 403 | the proxy doesn't allow delete of pods",
    " |  | GET | /clusters/prod/version |  | 401 | the proxy knows no user for this request",
    "jane |  | GET | /elsewhere |  | 404 | the path names no cluster",
  ]);
  expect(events[0]!.durationMs).toBeGreaterThanOrEqual(0);
});

it("a proxy without users acts with its own rights", async () => {
  const proxy = createProxy({ clusters: { prod: { transport: backend.transport } }, authenticate: "none" });
  const client = createClient({
    transport: handlerTransport(proxy.handle, { url: "http://localhost:8001/clusters/prod" }),
  });
  expect((await client.resource(Pod).namespace("web").get("shop")).metadata?.name).toBe("shop");
  await expect(
    client
      .resource(ConfigMap)
      .namespace("web")
      .create({ metadata: { name: "x" } }),
  ).rejects.toThrow(/403 Forbidden: the proxy doesn't allow create of configmaps/);
  await client.close();
});

it.each([
  [{ authenticate: undefined as never }, "options.authenticate"],
  [{ basePath: "k8s" }, "options.basePath"],
  [{ origins: ["https://app.example/path"] }, "options.origins"],
])("createProxy refuses %j", (options, text) => {
  expect(() => proxyWith(options)).toThrow(text);
});

describe("a proxy whose options are functions that return something else", () => {
  const users: [string, unknown, number][] = [
    ["undefined", undefined, 401],
    ["null", null, 401],
    ["false", false, 500],
    ["an empty string", "", 500],
    ["true", true, 500],
    ["a name", "jane", 500],
    ["a user without a name", { groups: ["system:masters"] }, 500],
    ["a user with an empty name", { name: "" }, 500],
  ];
  it.each(users)("forwards nothing if authenticate returns %s", async (_what, user, status) => {
    const { transport, requests } = recorder();
    const authenticate = () => user as ProxyUser;
    const proxy = proxyWith({ clusters: { prod: { transport } }, authenticate, impersonate: false });
    expect((await call(proxy, "/clusters/prod/api/v1/secrets")).status).toBe(status);
    expect((await call(proxy, "/clusters")).status).toBe(status);
    expect(requests).toEqual([]);
  });

  it.each([undefined, null, Promise.resolve(readRules), "*"])("forwards nothing if allow returns %s", async (rules) => {
    const { transport, requests } = recorder();
    const proxy = proxyWith({ clusters: { prod: { transport } }, allow: () => rules as never });
    expect((await call(proxy, "/clusters/prod/api/v1/pods")).status).toBe(500);
    expect((await call(proxy, "/clusters")).status).toBe(500);
    expect(requests).toEqual([]);
  });

  it("reports the rejection of an audit function, and survives that of onError", async () => {
    const errors: unknown[] = [];
    const { transport } = recorder();
    const options = { clusters: { prod: { transport } }, audit: () => Promise.reject(new Error("disk full")) as never };
    const reporting = proxyWith({ ...options, onError: (error) => void errors.push(error) });
    expect((await call(reporting, "/clusters/prod/version")).status).toBe(200);
    await expect.poll(() => errors.map(String)).toEqual(["Error: disk full"]);
    const failing = [() => Promise.reject(new Error("async")) as never, () => expect.fail("sync")];
    for (const onError of failing)
      expect((await call(proxyWith({ ...options, onError }), "/clusters/prod/version")).status).toBe(200);
  });
});

it("a proxy opens WebSockets only by GET, whatever the rules allow", async () => {
  const { transport, requests } = recorder();
  const connect: NonNullable<Transport["connect"]> = (request) => {
    requests.push(request);
    return Promise.reject(new Error("opened"));
  };
  const proxy = proxyWith({
    clusters: { prod: { transport: { ...transport, connect } } },
    allow: [{ resources: ["*"] }],
  });
  for (const method of ["DELETE", "POST", "HEAD"]) {
    const answer = await proxy.upgrade(
      new Request(`${site}/clusters/prod/api/v1/secrets?watch=1`, { method, headers: page }),
    );
    expect((answer as Response).status).toBe(400);
  }
  expect(requests).toEqual([]);
});
