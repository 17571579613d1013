// What a real kube-apiserver 1.36 answered; the end-to-end suite compares more with one that runs.
import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

const server = createApiServer({
  controllers: false,
  authorizationMode: "RBAC",
  tokens: new Map([["admin", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
});
afterAll(() => server.close());

async function send(
  path: string,
  accept = "",
  method = "GET",
): Promise<[status: number, type: string | null, text: string]> {
  const headers = { authorization: "Bearer admin", host: "server", ...(accept === "" ? {} : { accept }) };
  const response = await server.handle(new Request(`http://server${path}`, { method, headers }));
  return [response.status, response.headers.get("content-type"), await response.text()];
}

describe("pages of the server", () => {
  it.each([
    [
      "/statusz",
      "",
      200,
      "text/plain; charset=utf-8",
      "\nPaths: /flagz /healthz /livez /metrics /readyz /statusz /version\n",
    ],
    ["/statusz", "text/plain;q=0.5", 200, "text/plain; charset=utf-8", "\napiserver statusz\n"],
    ["/flagz", "*/*", 200, "text/plain; charset=utf-8", "\nauthorization-mode [RBAC]\n"],
    [
      "/statusz",
      "application/json;v=v1beta1;g=config.k8s.io;as=Statusz",
      200,
      "application/json;g=config.k8s.io;v=v1beta1;as=Statusz",
      '"kind":"Statusz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"}',
    ],
    [
      "/flagz",
      "application/yaml;v=v1beta1;g=config.k8s.io;as=Flagz",
      200,
      "application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz",
      "authorization-mode: '[RBAC]'",
    ],
    [
      "/flagz",
      "application/json;v=v1beta1;g=config.k8s.io;as=Statusz",
      406,
      "application/json",
      "only the following media types are accepted: application/json, application/yaml, text/plain, application/cbor",
    ],
    ["/statusz", "application/json;v=v1;g=config.k8s.io;as=Statusz", 406, "application/json", "NotAcceptable"],
    ["/statusz/", "", 404, "text/plain; charset=utf-8", "404 page not found"],
    [
      "/.well-known/openid-configuration",
      "",
      200,
      "application/json",
      '{"issuer":"https://kubernetes.default.svc","jwks_uri":"https://',
    ],
    ["/openid/v1/jwks/", "", 200, "application/jwk-set+json", '{"keys":['],
    [
      "/openid/v1/jwks",
      "application/json",
      406,
      "application/json",
      "Available representations: application/jwk-set+json",
    ],
    ["/debug/pprof", "", 302, "text/html; charset=utf-8", '<a href="/debug/pprof/">Found</a>'],
    ["/debug/pprof/", "", 200, "text/html; charset=utf-8", "<a href='goroutine?debug=1'>goroutine</a>"],
    ["/debug/pprof/nothing", "", 404, "text/plain; charset=utf-8", "Unknown profile\n"],
    ["/debug/flags/v", "", 406, "text/plain", "unsupported http method\n"],
    ["/metrics/", "", 404, "text/plain; charset=utf-8", "404 page not found"],
    ["/openapi/v2/", "", 404, "text/plain; charset=utf-8", "404 page not found"],
    ["/openapi/v3/", "", 404, null, ""],
  ])("%s as %s", async (path, accept, status, type, text) => {
    const answer = await send(path, accept);
    expect(answer.slice(0, 2)).toEqual([status, type]);
    expect(answer[2].replaceAll("\\n", "\n")).toContain(text);
  });

  it("refuses other methods where a real server does", async () => {
    expect((await send("/openid/v1/jwks", "", "POST"))[0]).toBe(405);
    expect((await send("/statusz", "", "POST"))[0]).toBe(200);
  });

  it("tells how long it runs", async () => {
    const clock = createVirtualClock();
    const other = createApiServer({ controllers: false, clock });
    await clock.advance(3_725_000);
    expect(await (await other.handle(new Request("http://server/statusz"))).text()).toContain(
      "\nStarted: Thu Jan  1 00:00:00 UTC 2026\nUp: 1 hr 02 min 05 sec\n",
    );
    await other.close();
  });
});

describe("shapes of watches", () => {
  const path = "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0&timeoutSeconds=1";

  it.each(["v1", "v1beta1"])("writes metadata of %s as Protobuf", async (version) => {
    await server.load([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "there", namespace: "default" } }]);
    const response = await server.handle(
      new Request(`http://server${path}`, {
        headers: {
          authorization: "Bearer admin",
          accept: `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=${version}`,
        },
      }),
    );
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toContain(`meta.k8s.io/${version}`);
    await reader.cancel();
  });

  it("ends where each event were to be a list, and takes writes", async () => {
    const open = await server.handle(
      new Request(`http://server${path}&fieldSelector=metadata.name%3Dlater`, {
        headers: {
          authorization: "Bearer admin",
          accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        },
      }),
    );
    const ended = open.text();
    const created = await server.handle(
      new Request("http://server/api/v1/namespaces/default/configmaps", {
        method: "POST",
        headers: { authorization: "Bearer admin", "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name: "later" } }),
      }),
    );
    expect(created.status).toBe(201);
    expect(await ended).toBe("");
  });

  it("ends where that was before the watch, and leaves no timer", async () => {
    const headers = { authorization: "Bearer admin" };
    const collection = "http://server/api/v1/namespaces/default/configmaps";
    const { metadata } = (await (await server.handle(new Request(collection, { headers }))).json()) as {
      metadata: { resourceVersion: string };
    };
    await server.load([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "past", namespace: "default" } }]);
    const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const open = await server.handle(
      new Request(
        `${collection}?watch=1&allowWatchBookmarks=true&timeoutSeconds=600&resourceVersion=${metadata.resourceVersion}`,
        { headers: { ...headers, accept } },
      ),
    );
    expect(await open.text()).toBe("");
  });
});
