import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { getResponseInfo } from "../../src/client/call/response-info.js";
import type { Client } from "../../src/client/client.js";
import type { DynamicResource } from "../../src/client/resource/resource.js";
import { getCell } from "../../src/client/resource/table-view.js";
import { findByCategory, listResources } from "../../src/discovery/api-catalog.js";
import { createDiscovery } from "../../src/discovery/discovery.js";
import { createOpenApi } from "../../src/discovery/open-api.js";
import { createFlowControlLookup } from "../../src/flowcontrol/flow-control.js";
import { dumpFlowControl } from "../../src/flowcontrol/flow-control-dumps.js";
import { matchFlowSchema } from "../../src/flowcontrol/flow-schema-match.js";
import { ConfigMap, Pod, Secret } from "../../src/kinds/core/v1.js";
import { FlowSchema } from "../../src/kinds/flowcontrol/v1.js";
import { checkAccess } from "../../src/operations/check-access.js";
import { clientOf, failure, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";

/** Discovery, access reviews, flow control, and kinds that are known only at run time. */
export function clientKindsSuite(target: Target): void {
  describe("discovery and access:", () => kinds(target));
}

function kinds(target: Target): void {
  let client: Client;
  let namespace = "";
  beforeEach(async () => {
    client = await clientOf(target);
    if (namespace === "") namespace = await freshNamespace(client);
  });
  afterEach(() => client.close());
  const maps = () => client.resource(ConfigMap).namespace(namespace);

  it("discovery reads all kinds in two requests and revalidates by ETag", async () => {
    const seen: (string | undefined)[] = [];
    const watched = await clientOf(target, {
      interceptors: [
        (next) => async (request) => {
          const response = await next(request);
          seen.push(`${request.path} ${response.status}`);
          return response;
        },
      ],
    });
    const discovery = createDiscovery(watched);
    const catalog = await discovery.catalog();
    expect(catalog.failures).toEqual([]);
    expect(catalog.groups[0]!.name).toBe("");
    expect(await discovery.catalog({ fresh: true })).toEqual({ ...catalog, readAt: expect.any(Number) as number });
    expect(seen.sort()).toEqual(["/api 200", "/api 304", "/apis 200", "/apis 304"]);
    expect(await discovery.find("deploy")).toMatchObject({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      scope: "Namespaced",
    });
    expect(await discovery.find("po")).toMatchObject({
      group: "",
      plural: "pods",
      subresources: expect.arrayContaining([
        expect.objectContaining({
          name: "eviction",
          responseKind: { group: "policy", version: "v1", kind: "Eviction" },
        }),
      ]) as unknown,
    });
    expect(await discovery.find("horizontalpodautoscalers.v1.autoscaling")).toMatchObject({ version: "v1" });
    expect(await discovery.find("hpa")).toMatchObject({ version: "v2" });
    expect(await discovery.find("nothing.of.this")).toBeUndefined();
    expect(findByCategory(catalog, "all").map((r) => r.plural)).toEqual(
      expect.arrayContaining(["pods", "services", "deployments", "jobs"]),
    );
    const everything = await Promise.all(
      listResources(catalog)
        .filter((r) => r.verbs.includes("list"))
        .map((r) =>
          watched
            .resource(r)
            .list({ limit: 1 })
            .then((l) => l.kind),
        ),
    );
    expect(everything.length).toBeGreaterThan(60);
    expect(everything.every((kind) => kind?.endsWith("List"))).toBe(true);
    await watched.close();
  });

  it("discovery finds the same kinds without aggregated documents", async () => {
    const plain = await clientOf(target, {
      interceptors: [
        (next) => (request) => next({ ...request, headers: { ...request.headers, accept: "application/json" } }),
      ],
    });
    const [a, b] = [await createDiscovery(client).catalog(), await createDiscovery(plain).catalog()];
    const names = (c: typeof a): string[] =>
      listResources(c)
        .map(
          (r) =>
            `${r.group}/${r.version}/${r.plural} ${r.kind} ${r.scope} ${r.singular} ${r.verbs.join()} ${r.shortNames.join()} ${r.categories.join()} ${r.subresources
              .map((s) => `${s.name}=${s.responseKind.group}/${s.responseKind.version}/${s.responseKind.kind}`)
              .sort()
              .join()}`,
        )
        .sort();
    expect(names(b)).toEqual(names(a));
    await plain.close();
  });

  it("createOpenApi reads OpenAPI documents", async () => {
    const openApi = createOpenApi(client);
    expect(await openApi.paths()).toContain("apis/apps/v1");
    const document = (await openApi.document("apps/v1")) as { components: { schemas: object } };
    expect(Object.keys(document.components.schemas)).toContain("io.k8s.api.apps.v1.Deployment");
    expect(await openApi.document("apps/v1")).toBe(document);
    expect(await openApi.document("no/v1")).toBeUndefined();
  });

  it("checkAccess reviews the permissions of users", async () => {
    expect(await checkAccess(client, "list", Pod, { namespace })).toMatchObject({ allowed: true });
    expect(
      await checkAccess(client, "get", [Pod, "log"], { subject: { user: "alice", groups: ["dev"] } }),
    ).toMatchObject({
      allowed: false,
      denied: false,
    });
    expect(await checkAccess(client, "get", "/metrics")).toMatchObject({ allowed: true });
    const alice = await clientOf(target, { context: "alice" });
    expect(await checkAccess(alice, "delete", Pod, { namespace, name: "x" })).toMatchObject({ allowed: false });
    await alice.close();
  });

  it("flow control names are resolved for results and errors, and dumps are parsed", async () => {
    const lookup = createFlowControlLookup(client);
    expect(await lookup.names(getResponseInfo(await maps().list())!)).toEqual({
      flowSchema: "exempt",
      priorityLevel: "exempt",
    });
    const alice = await clientOf(target, { context: "alice" });
    expect(await lookup.names(await failure(alice.resource(ConfigMap).namespace(namespace).list()))).toEqual({
      flowSchema: "global-default",
      priorityLevel: "global-default",
    });
    await alice.close();
    const dump = await dumpFlowControl(client);
    expect(dump.priorityLevels.map((l) => l.priorityLevel)).toContain("workload-low");
    for (const request of dump.requests)
      expect(request).toMatchObject({ flowSchema: "exempt", details: { userName: "admin" } });
    expect(dump.queues.length).toBeGreaterThan(0);
    const schemas = (await client.resource(FlowSchema).list()).items;
    const match = (user: string, groups: string[], resource = "pods", ns: string | undefined = "x") =>
      matchFlowSchema(schemas, {
        user,
        groups,
        verb: "list",
        group: "",
        resource,
        ...(ns !== undefined && { namespace: ns }),
      })?.metadata?.name;
    expect(match("alice", ["dev", "system:authenticated"])).toBe("global-default");
    expect(match("admin", ["system:masters", "system:authenticated"])).toBe("exempt");
    expect(match("system:serviceaccount:x:y", ["system:serviceaccounts", "system:authenticated"])).toBe(
      "service-accounts",
    );
    expect(match("system:kube-scheduler", ["system:authenticated"])).toBe("kube-scheduler");
  });

  it("informers cache metadata and table rows", async () => {
    const ns = await freshNamespace(client);
    const secrets = client.resource(Secret).namespace(ns);
    await secrets.create({ metadata: { name: "a", labels: { l: "1" } }, stringData: { k: "v" } });
    const informers = [createInformer(secrets.metadataOnly()), createInformer(secrets.asTable())] as const;
    for (const informer of informers) await informer.synced({ timeoutMs: 20_000 });
    const changed = informers.map(
      (informer) =>
        new Promise<string>((resolve) =>
          informer.addHandler((change) => {
            if (change.type === "added" && !change.initial) resolve(change.key);
          }),
        ),
    );
    await secrets.create({ metadata: { name: "b" } });
    expect(await Promise.all(changed)).toEqual([`${ns}/b`, `${ns}/b`]);
    expect(informers[0].store.get(`${ns}/a`)).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { labels: { l: "1" } },
    });
    expect(informers[0].store.get(`${ns}/a`)).not.toHaveProperty("data");
    for (const name of ["a", "b"]) expect(getCell(informers[1].store.get(`${ns}/${name}`)!, "name")).toBe(name);
    for (const informer of informers) await informer.close();
  });

  it("client.resource accepts kinds known only at run time", async () => {
    const resource = (await createDiscovery(client).find("cm"))!;
    const handle = (client.resource(resource) as DynamicResource).namespace(namespace);
    const created = await handle.create({ metadata: { name: "dynamic" }, data: { a: "b" } });
    expect(created["data"]).toEqual({ a: "b" });
    expect(
      (
        await handle.apply(
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dynamic" }, data: { c: "d" } } as never,
          { fieldManager: "x" },
        )
      )["data"],
    ).toEqual({ a: "b", c: "d" });
  });
}
