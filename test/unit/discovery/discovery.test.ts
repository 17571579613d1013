import { describe, expect, it } from "vitest";
import { findByName } from "../../../src/discovery/api-catalog.js";
import { createDiscovery } from "../../../src/discovery/discovery.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import { server } from "./setup.js";

const resource = (name: string, kind: string, more: object = {}): object => ({
  resource: name,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["list"],
  ...more,
});
const core = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            resource("pods", "Pod", { shortNames: ["po"], categories: ["all"] }),
            resource("events", "Event", { shortNames: ["ev"] }),
          ],
        },
      ],
    },
  ],
};
const apps = (freshness = "Current"): object => ({
  kind: "APIGroupDiscoveryList",
  items: [
    { metadata: { name: "events.k8s.io" }, versions: [{ version: "v1", resources: [resource("events", "Event")] }] },
    {
      metadata: { name: "things.example.com" },
      versions: [
        {
          version: "v2",
          freshness,
          resources: [
            resource("things", "Thing", { scope: "Cluster" }),
            { resource: "unknowns", scope: "Namespaced", verbs: [] },
          ],
        },
        { version: "v1", freshness: "Current", resources: [resource("things", "Thing")] },
      ],
    },
  ],
});

describe("discovery", () => {
  it.each([
    ["po", "pods."],
    ["PODS", "pods."],
    ["Pod", "pods."],
    ["events", "events."],
    ["ev", "events."],
    ["events.events.k8s.io", "events.events.k8s.io"],
    ["events.v1.events.k8s.io", "events.events.k8s.io"],
    ["things", "things.things.example.com"],
    ["things.example.com", undefined],
    ["thing.things.example.com", "things.things.example.com"],
    ["pods.v1", "pods."],
    ["pods.v1.", "pods."],
    ["po.apps", undefined],
    ["unknowns", undefined],
    ["", undefined],
  ])("finds %j as %s", async (text, expected) => {
    const { client, clock } = server({ "/api": { body: core }, "/apis": { body: apps() } });
    const found = findByName(await createDiscovery(client, { clock }).catalog(), text);
    expect(found && `${found.plural}.${found.group}`).toBe(expected);
  });

  it("requests only JSON, with Accept parameters in the required order", async () => {
    const { client, transport } = server({ "/api": { body: core }, "/apis": { body: apps() } });
    await createDiscovery(client).catalog();
    for (const request of transport.requests)
      expect(request.headers["accept"]).toBe(
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9",
      );
  });

  it("finds the preferred version unless another is given", async () => {
    const { client } = server({ "/api": { body: core }, "/apis": { body: apps() } });
    const discovery = createDiscovery(client);
    expect(await discovery.find("things")).toMatchObject({ version: "v2", scope: "Cluster" });
    expect(await discovery.find({ apiVersion: "things.example.com/v1", kind: "Thing" })).toMatchObject({
      version: "v1",
      scope: "Namespaced",
    });
    // Discovery documents don't mark custom kinds, so the client leaves unsupported calls to the server.
    for (const name of ["things", "events"]) expect(await discovery.find(name)).not.toHaveProperty("custom");
  });

  it("reports stale versions as failures", async () => {
    const { client } = server({ "/api": { body: core }, "/apis": { body: apps("Stale") } });
    const catalog = await createDiscovery(client).catalog();
    expect(catalog.failures).toMatchObject([{ group: "things.example.com", version: "v2" }]);
    expect(findByName(catalog, "po")).toBeDefined();
  });

  it("falls back to the older documents and records those that fail", async () => {
    const { client, transport } = server({
      "/api": { body: { kind: "APIVersions", versions: ["v1"] } },
      "/apis": {
        body: {
          kind: "APIGroupList",
          groups: [
            {
              name: "apps",
              versions: [{ version: "v1beta1" }, { version: "v1" }],
              preferredVersion: { version: "v1" },
            },
            { name: "broken.example.com", versions: [{ version: "v1" }] },
          ],
        },
      },
      "/api/v1": {
        body: {
          kind: "APIResourceList",
          resources: [
            { name: "pods", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"], shortNames: ["po"] },
            {
              name: "pods/eviction",
              namespaced: true,
              group: "policy",
              version: "v1",
              kind: "Eviction",
              verbs: ["create"],
            },
          ],
        },
      },
      "/apis/apps/v1": {
        body: {
          resources: [
            { name: "deployments", singularName: "deployment", namespaced: true, kind: "Deployment", verbs: [] },
          ],
        },
      },
      "/apis/apps/v1beta1": { body: { resources: [] } },
      "/apis/broken.example.com/v1": { status: 503, body: { kind: "Status", code: 503, reason: "ServiceUnavailable" } },
    });
    const catalog = await createDiscovery(client).catalog();
    expect(catalog.groups.map((g) => `${g.name}: ${g.versions.map((v) => v.version).join()}`)).toEqual([
      ": v1",
      "apps: v1,v1beta1",
      "broken.example.com: ",
    ]);
    expect(findByName(catalog, "po")).toMatchObject({
      singular: "pod",
      subresources: [{ name: "eviction", responseKind: { group: "policy", version: "v1", kind: "Eviction" } }],
    });
    expect(catalog.failures).toMatchObject([{ group: "broken.example.com", version: "v1", error: { code: 503 } }]);
    expect(transport.requests).toHaveLength(6);
  });

  it("caches nothing from an aborted catalog request", async () => {
    const controller = new AbortController();
    let ended = false;
    const { client } = server({
      "/api": { body: { kind: "APIVersions", versions: ["v1"] } },
      "/apis": { body: { kind: "APIGroupList", groups: [] } },
      "/api/v1": () => {
        if (ended)
          return {
            body: {
              kind: "APIResourceList",
              resources: [{ name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get"] }],
            },
          };
        ended = true;
        setImmediate(() => controller.abort("enough"));
        return { hang: true };
      },
    });
    const discovery = createDiscovery(client);
    await expect(discovery.catalog({ signal: controller.signal })).rejects.toBe("enough");
    expect((await discovery.catalog()).groups[0]?.versions[0]?.resources).toHaveLength(1);
  });

  it("works without the core group but rejects if /apis fails", async () => {
    const { client } = server({ "/apis": { body: apps() } });
    expect((await createDiscovery(client).catalog()).groups).toHaveLength(2);
    const broken = server({
      "/api": { body: core },
      "/apis": { status: 403, body: { kind: "Status", code: 403, reason: "Forbidden" } },
    });
    await expect(createDiscovery(broken.client).catalog()).rejects.toMatchObject({ code: 403 });
    const page = server({
      "/api": { headers: { "content-type": "text/html" }, body: "<html>" },
      "/apis": { body: apps() },
    });
    await expect(createDiscovery(page.client).catalog()).rejects.toThrow(ProtocolError);
  });

  it("revalidates by ETag after maxAgeMs and shares concurrent requests", async () => {
    let version = 1;
    const { client, transport, clock } = server({
      "/api": { headers: { etag: '"c"' }, body: core },
      "/apis": (request) =>
        request.headers["if-none-match"] === `"${version}"`
          ? { status: 304, body: "" }
          : { headers: { etag: `"${version}"` }, body: apps() },
    });
    const discovery = createDiscovery(client, { clock, maxAgeMs: 1000 });
    await Promise.all([discovery.catalog(), discovery.catalog()]);
    await discovery.catalog();
    expect(transport.requests).toHaveLength(2);
    await clock.advance(1000);
    const second = await discovery.catalog();
    expect(transport.requests[2]!.headers["if-none-match"]).toBe('"c"');
    expect(second.groups).toHaveLength(3);
    version = 2;
    await discovery.catalog({ fresh: true });
    expect(transport.requests).toHaveLength(6);
  });

  it("revalidates the cache before find returns undefined", async () => {
    let served = false;
    const { client, transport, clock } = server({
      "/api": { body: core },
      "/apis": () => ({ body: served ? apps() : { kind: "APIGroupDiscoveryList", items: [] } }),
    });
    const discovery = createDiscovery(client, { clock });
    expect(await discovery.find("things")).toBeUndefined();
    expect(transport.requests).toHaveLength(2);
    served = true;
    expect(await discovery.find("things")).toBeDefined();
    expect(transport.requests).toHaveLength(4);
  });
});
