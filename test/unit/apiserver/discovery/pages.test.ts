// Responses of kube-apiserver 1.36; the end-to-end suite compares more of them with a running server.
import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

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

describe("documents outside of the API", () => {
  it.each([
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
    ["/metrics/", "", 404, "text/plain; charset=utf-8", "404 page not found"],
    ["/openapi/v2/", "", 404, "text/plain; charset=utf-8", "404 page not found"],
    ["/openapi/v3/", "", 404, null, ""],
  ])("GET %s with Accept %j", async (path, accept, status, type, text) => {
    const answer = await send(path, accept);
    expect(answer.slice(0, 2)).toEqual([status, type]);
    expect(answer[2].replaceAll("\\n", "\n")).toContain(text);
  });

  it("reject other methods", async () => {
    expect((await send("/openid/v1/jwks", "", "POST"))[0]).toBe(405);
  });
});

describe("watch representations", () => {
  const path = "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0&timeoutSeconds=1";

  it.each(["v1", "v1beta1"])("encode metadata of %s as Protobuf", async (version) => {
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

  it("end a watch that would have to convert an event to a list, and accept writes", async () => {
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

  it("end a watch that expired before it started, without leaving a timer", async () => {
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
