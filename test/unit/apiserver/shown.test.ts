// Representations of objects in kube-apiserver 1.36: Tables, PartialObjectMetadata, bookmarks, discovery, and warnings.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { customPrinter } from "../../../src/apiserver/custom/columns.js";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  server.handle(new Request(`http://server${path}`, { headers }));
const post = (path: string, body: object): Promise<Response> =>
  server.handle(
    new Request(`http://server${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
const patchStatus = (path: string, status: object, headers: Record<string, string> = {}): Promise<Response> =>
  server.handle(
    new Request(`http://server${path}/status`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json", ...headers },
      body: JSON.stringify({ status }),
    }),
  );
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const metadataOnly = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const scalers = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
const pods = "/api/v1/namespaces/default/pods";

describe("custom columns", () => {
  it.each([
    ["date", "", "<unknown>"],
    ["date", "2020-02-30T00:00:00Z", "<invalid>"],
    ["date", "2020-02-29T00:00:00Z", "10d"],
    ["integer", 1e21, -(2 ** 63)],
    ["integer", -1.5, -1],
    ["string", 0.000001, "1e-06"],
    ["string", 1.5, "1.5"],
    ["string", 7, "7"],
  ])("a %s with value %j is printed like kube-apiserver", (type, value, wanted) => {
    const printer = customPrinter([{ name: "X", type, jsonPath: ".spec.x" }]);
    expect(
      printer.cells({ metadata: { name: "a" }, spec: { x: value } } as never, Date.parse("2020-03-10T00:00:00Z")),
    ).toEqual(["a", wanted]);
  });
});

describe("responses", () => {
  it("discovery shows groups without timestamps", async () => {
    const { items } = (await (
      await ask("/apis", { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" })
    ).json()) as { items: { metadata: object }[] };
    expect(items.map(({ metadata }) => Object.keys(metadata))).toEqual(items.map(() => ["name"]));
  });

  it("the status of some kinds is not available as a Table", async () => {
    await post(claims, { metadata: { name: "c" }, spec: {} });
    expect([
      (await ask(`${claims}/c`, { accept: table })).status,
      (await ask(`${claims}/c/status`, { accept: table })).status,
      (await patchStatus(`${claims}/c`, {}, { accept: table })).status,
    ]).toEqual([200, 406, 406]);
  });

  it("PartialObjectMetadata omits annotations that stand for fields", async () => {
    const annotations = {
      "autoscaling.alpha.kubernetes.io/metrics":
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
      other: "x",
    };
    const made = await post(scalers, {
      metadata: { name: "s", annotations },
      spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "x.example/v1", kind: "X", name: "y" } },
    });
    expect(
      Object.keys(((await made.json()) as { metadata: { annotations: object } }).metadata.annotations),
    ).toHaveLength(2);
    const { metadata } = (await (await ask(`${scalers}/s`, { accept: metadataOnly })).json()) as {
      metadata: { annotations: object };
    };
    expect(metadata.annotations).toEqual({ other: "x" });
  });

  it.each([
    ["statefulsets", 0],
    ["replicasets", 0],
    ["daemonsets", undefined],
  ])("a bookmark of %s has %s replicas", async (resource, replicas) => {
    const query =
      "watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const text = await (await ask(`/apis/apps/v1/namespaces/default/${resource}?${query}`)).text();
    const [bookmark] = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { object: { spec: { replicas?: number } } });
    expect(bookmark!.object.spec.replicas).toBe(replicas);
  });

  it.each([
    ["/openapi/v2", "gzip"],
    ["/openapi/v3", null],
    ["/api/v1/namespaces/default", null],
  ])("%s has content encoding %s", async (path, packed) => {
    expect((await ask(path, { "accept-encoding": "gzip" })).headers.get("content-encoding")).toBe(packed);
  });

  it.each([
    [
      "/api/v1/namespaces/default/serviceaccounts",
      { metadata: { name: "a", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } } },
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]",
    ],
    [
      pods,
      {
        metadata: { name: "p", annotations: { "container.seccomp.security.alpha.kubernetes.io/c": "unconfined" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
      "metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]",
    ],
  ])("POST to %s warns of a deprecated annotation", async (path, object, field) => {
    const response = await post(path, object);
    expect(response.status).toBe(201);
    expect(response.headers.get("warning")).toContain(`299 - "${field}: `);
  });
});

describe("cells of a Table", () => {
  const target = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3 };
  const averageValue = { type: "AverageValue", averageValue: "10" };
  const perPod = { type: "Pods", pods: { metric: { name: "m" }, target: averageValue } };
  const memory = { type: "Resource", resource: { name: "memory", target: averageValue } };
  const external = { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "3" } } };
  const scaled = (...metrics: object[]): object => ({ spec: { ...target, metrics } });
  const podsNow = (current: object): object => ({ type: "Pods", pods: { metric: { name: "m" }, current } });
  const memoryNow = (current: object): object => ({ type: "Resource", resource: { name: "memory", current } });
  const externalNow = (current: object): object => ({ type: "External", external: { metric: { name: "m" }, current } });
  const current = (...currentMetrics: object[]): object => ({ currentMetrics, desiredReplicas: 1 });
  const v2 = scalers.replace("v1", "v2");
  const flows = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
  const flow = { spec: { matchingPrecedence: 5, priorityLevelConfiguration: { name: "p" } } };
  const events = "/api/v1/namespaces/default/events";
  const event = (source: object): object => ({ involvedObject: { namespace: "default" }, source });

  it.each<[title: string, collection: string, object: object, status: object, column: string, wanted: string]>([
    ["a metric without a status", v2, scaled(perPod), {}, "Targets", "<unknown>/10"],
    ["a metric", v2, scaled(perPod), current(podsNow({ averageValue: "5" })), "Targets", "5/10"],
    ["a metric without its amount", v2, scaled(perPod), current(podsNow({ value: "5" })), "Targets", "<nil>/10"],
    ["a resource without its amount", v2, scaled(memory), current(memoryNow({})), "Targets", "memory: <nil>/10"],
    ["an external metric without its amount", v2, scaled(external), current(externalNow({})), "Targets", "<nil>/3"],
    [
      "a dangling flow schema",
      flows,
      flow,
      { conditions: [{ type: "Dangling", status: "True" }] },
      "MissingPL",
      "True",
    ],
    ["a flow schema with an empty condition", flows, flow, { conditions: [{ type: "Dangling" }] }, "MissingPL", ""],
    ["the source of an event", events, event({ component: "c", host: "h" }), {}, "Source", "c, h"],
    ["the host of an event", events, event({ host: "h" }), {}, "Source", ", h"],
    ["the component of an event", events, event({ component: "c" }), {}, "Source", "c"],
  ])("show %s", async (_, collection, object, status, column, wanted) => {
    expect((await post(collection, { metadata: { name: "x" }, ...object })).status).toBe(201);
    const path = `${collection}/x`;
    const headers = { accept: table };
    const shown = Object.keys(status).length === 0 ? ask(path, headers) : patchStatus(path, status, headers);
    expect(await cellOf(await shown, column)).toBe(wanted);
  });

  it("show all metrics of an autoscaler in v1", async () => {
    await post(v2, { metadata: { name: "x" }, ...scaled(perPod, memory, external) });
    await patchStatus(`${v2}/x`, current(podsNow({ averageValue: "5" })));
    expect(await cellOf(await ask(`${scalers}/x`, { accept: table }), "Targets")).toBe(
      "5/10, memory: <unknown>/10 + 1 more...",
    );
  });

  async function cellOf(response: Response, column: string): Promise<unknown> {
    const { columnDefinitions, rows } = (await response.json()) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    return rows[0]!.cells[columnDefinitions.findIndex(({ name }) => name === column)];
  }
});
