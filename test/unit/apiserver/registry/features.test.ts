import { afterEach, describe, expect, it } from "vitest";
import type { ApiServerOptions } from "../../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../../src/client/client.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";

let server: ApiServer;
afterEach(() => server.close());

type Json = Record<string, unknown>;

function start(options: ApiServerOptions): void {
  server = createApiServer({ controllers: false, ...options });
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  server.handle(new Request(`http://server${path}`, { headers }));
const json = async (path: string): Promise<Json> => (await (await get(path)).json()) as Json;
const maps = "/api/v1/namespaces/default/configmaps";

describe("features that are off", () => {
  it.each<[ApiServerOptions, string]>([
    [
      { featureGates: { WatchLists: false } as never },
      'featureGates["WatchLists"]: unknown feature gate; expected one of WatchList, ',
    ],
    [{ featureGates: { WatchList: "no" } as never }, 'featureGates["WatchList"]: must be true or false'],
    [{ runtimeConfig: { "apps/v2": false } }, 'runtimeConfig["apps/v2"]: unknown API version'],
    [{ runtimeConfig: { "api/all": false } }, 'runtimeConfig["api/all"]: the server can\'t run without'],
    [{ runtimeConfig: { "policy/v1": false } }, 'runtimeConfig["policy/v1"]: the server can\'t run without policy/v1'],
  ])("a server with %j fails at start", (options, message) => {
    start({});
    expect(() => createApiServer(options)).toThrow(message);
  });

  it("without WatchList, a watch refuses sendInitialEvents", async () => {
    start({ featureGates: { WatchList: false } });
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    expect(await json(`${maps}?${query}`)).toMatchObject({
      reason: "Invalid",
      details: { causes: [{ reason: "FieldValueForbidden", field: "sendInitialEvents" }] },
    });
  });

  it("without CBOR, the server offers and reads other encodings only", async () => {
    start({ featureGates: { CBORServingAndStorage: false } });
    const cbor = "application/cbor";
    for (const path of [maps, "/api/v1", `${maps}?limit=1`])
      expect((await get(path, { accept: cbor })).status).toBe(406);
    const send = (method: string, type: string): Promise<Response> =>
      server.handle(
        new Request(`http://server${maps}${method === "PATCH" ? "/a" : ""}`, {
          method,
          headers: { "content-type": type },
          body: "x",
        }),
      );
    expect((await send("POST", cbor)).status).toBe(415);
    expect((await send("PATCH", "application/apply-patch+cbor")).status).toBe(415);
    const both = await get(maps, { accept: `${cbor}, application/json` });
    expect(both.headers.get("content-type")).toBe("application/json");
  });

  it("without ShardedListAndWatch, a list ignores shardSelector", async () => {
    const shard = `${maps}?shardSelector=nonsense`;
    start({});
    expect((await get(shard)).status).toBe(500);
    await server.close();
    start({ featureGates: { ShardedListAndWatch: false } });
    expect((await get(shard)).status).toBe(200);
  });

  it("without APIResponseCompression, large lists aren't compressed", async () => {
    start({ featureGates: { APIResponseCompression: false } });
    const answer = await get("/openapi/v2", { "accept-encoding": "gzip" });
    expect(answer.headers.get("content-encoding")).toBeNull();
    await answer.body?.cancel();
  });

  it("alpha and beta versions that are off disappear from discovery, APIServices and routes", async () => {
    start({ runtimeConfig: { "api/alpha": false, "api/beta": false, "resource.k8s.io/v1beta2": true } });
    const { groups } = (await json("/apis")) as { groups: { versions: { groupVersion: string }[] }[] };
    const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
    expect(versions.filter((name) => /alpha|beta/.test(name))).toEqual(["resource.k8s.io/v1beta2"]);
    const { items } = (await json("/apis/apiregistration.k8s.io/v1/apiservices")) as {
      items: { metadata: { name: string } }[];
    };
    expect(items.map(({ metadata }) => metadata.name).filter((name) => /alpha|beta/.test(name))).toEqual([
      "v1beta2.resource.k8s.io",
    ]);
    expect((await get("/apis/storage.k8s.io/v1beta1/storageclasses")).status).toBe(404);
    const { paths } = (await json("/openapi/v3")) as { paths: Json };
    expect(Object.keys(paths).filter((name) => /alpha|beta/.test(name))).toEqual(["apis/resource.k8s.io/v1beta2"]);
  });

  it("an informer survives a server without WatchList, CBOR and watch cache", async () => {
    start({ featureGates: { WatchList: false, CBORServingAndStorage: false }, watchCache: false });
    const client = createClient({ transport: handlerTransport(server.handle) });
    const handle = client.resource(ConfigMap).namespace("default");
    await handle.create({ metadata: { name: "a" } });
    const informer = createInformer(handle);
    informer.start();
    await informer.synced();
    await handle.create({ metadata: { name: "b" } });
    await expect
      .poll(() =>
        informer.store
          .list()
          .map(({ metadata }) => metadata?.name)
          .sort(),
      )
      .toEqual(["a", "b"]);
    await informer.close();
    await client.close();
  });
});
