import { describe, expect, it } from "vitest";
import type { ServiceHandler } from "../../../../src/apiserver/http/service-resolver.js";
import { backend, type Json, resources, useAggregator, versionPath } from "./metrics-api.js";

const { condition, get, send, start } = useAggregator();

describe("an aggregated API", () => {
  const resolveService = (): ServiceHandler => backend;

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
