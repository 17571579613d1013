import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import type { QuotaScopes } from "../../../../src/apiserver/plugins/quota-scopes.js";
import { matchesScopes } from "../../../../src/apiserver/plugins/quota-scopes.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

describe("quota scopes", () => {
  const pod = (spec: object, qosClass = "BestEffort"): ApiObject => ({
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
    status: { qosClass },
  });
  const term = { topologyKey: "zone" };
  const required = (kind: string, one: object): ApiObject =>
    pod({ affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [one] } } });
  const claim = (spec: string | undefined, current?: string, target?: string): ApiObject => ({
    spec: { ...(spec === undefined ? {} : { volumeAttributesClassName: spec }) },
    status: {
      ...(current === undefined ? {} : { currentVolumeAttributesClassName: current }),
      ...(target === undefined ? {} : { modifyVolumeStatus: { targetVolumeAttributesClassName: target } }),
    },
  });
  const by = (scopeName: string, operator: string, ...values: string[]): QuotaScopes => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, values }] },
  });

  it.each([
    ["/pods", {}, pod({}), true],
    ["/services", { scopes: ["BestEffort"] }, {}, false],
    ["/pods", { scopes: ["Terminating"] }, pod({ activeDeadlineSeconds: 0 }), true],
    ["/pods", { scopes: ["NotTerminating"] }, pod({}), true],
    ["/pods", { scopes: ["NotTerminating", "NotBestEffort"] }, pod({}), false],
    ["/pods", { scopes: ["NotBestEffort"] }, pod({}, "Burstable"), true],
    ["/pods", by("PriorityClass", "Exists"), pod({ priorityClassName: "a" }), true],
    ["/pods", by("PriorityClass", "DoesNotExist"), pod({}), true],
    ["/pods", by("PriorityClass", "In", "a", "b"), pod({ priorityClassName: "b" }), true],
    ["/pods", by("PriorityClass", "NotIn", "a"), pod({}), true],
    ["/pods", by("PriorityClass", "NotIn", "a"), pod({ priorityClassName: "a" }), false],
    ["/pods", by("CrossNamespacePodAffinity", "Exists"), required("podAffinity", term), false],
    ["/pods", by("CrossNamespacePodAffinity", "Exists"), required("podAffinity", { ...term, namespaces: ["a"] }), true],
    [
      "/pods",
      by("CrossNamespacePodAffinity", "Exists"),
      required("podAntiAffinity", { ...term, namespaceSelector: {} }),
      true,
    ],
    [
      "/pods",
      by("CrossNamespacePodAffinity", "Exists"),
      pod({
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { ...term, namespaces: ["a"] } },
            ],
          },
        },
      }),
      true,
    ],
    ["/persistentvolumeclaims", { scopes: ["Terminating"] }, claim("a"), false],
    ["/persistentvolumeclaims", by("VolumeAttributesClass", "Exists"), claim(undefined), false],
    ["/persistentvolumeclaims", by("VolumeAttributesClass", "DoesNotExist"), claim(""), true],
    ["/persistentvolumeclaims", by("VolumeAttributesClass", "In", "b"), claim("a", "b"), true],
    ["/persistentvolumeclaims", by("VolumeAttributesClass", "In", "c"), claim("a", "b", "c"), true],
    ["/persistentvolumeclaims", by("VolumeAttributesClass", "NotIn", "a"), claim("a"), false],
    ["/persistentvolumeclaims", by("VolumeAttributesClass", "NotIn", "a"), claim(undefined), true],
  ])("%s under %j: %j", (bucket, quota, object, wanted) => {
    expect(matchesScopes(quota, bucket, object)).toBe(wanted);
  });
});

describe("quota usage", () => {
  let server: ApiServer;
  beforeEach(() => {
    server = createApiServer({ controllers: false });
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, body?: unknown) => sendJson(server, { method, path, body });
  const root = "/api/v1/namespaces/default";
  const limit = async (hard: Record<string, string>, scopes?: readonly string[]): Promise<void> => {
    await send("POST", `${root}/resourcequotas`, { metadata: { name: "q" }, spec: { hard, scopes } });
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
    expect((await send("PATCH", `${root}/resourcequotas/q/status`, { status: { hard, used } })).status).toBe(200);
  };
  const used = async (): Promise<unknown> =>
    ((await send("GET", `${root}/resourcequotas/q`)).body["status"] as { used: unknown }).used;

  const stating = (name: string, requests?: object): object => ({ name, image: "i", resources: { requests } });

  it.each([
    ["each of its containers", { containers: [stating("a", { cpu: "1m" }), stating("b", { cpu: "1m" })] }, 201],
    ["one of its containers only", { containers: [stating("a", { cpu: "1m" }), stating("b")] }, 403],
    [
      "not its init container",
      { containers: [stating("a", { cpu: "1m" })], initContainers: [stating("i", { memory: "1" })] },
      403,
    ],
    ["the whole pod", { containers: [stating("a")], resources: { requests: { cpu: "1m" } } }, 201],
    [
      "the whole pod, but another resource",
      { containers: [stating("a")], resources: { limits: { memory: "1" } } },
      201,
    ],
    ["an empty whole pod", { containers: [stating("a")], resources: {} }, 403],
  ])("a pod whose CPU is requested by %s is answered under a quota", async (_, spec, status) => {
    await limit({ "requests.cpu": "1" });
    expect((await send("POST", `${root}/pods`, { metadata: { name: "p" }, spec })).status).toBe(status);
  });

  it.each([
    ["no requests", undefined, 403],
    ["a request for CPU", { cpu: "1m" }, 201],
    ["a request for no CPU", { cpu: "0" }, 403],
    ["a request for storage", { "ephemeral-storage": "1Mi" }, 403],
  ])("a pod with %s is answered under a quota that allows no pod of best effort", async (_, requests, status) => {
    await limit({ pods: "0" }, ["BestEffort"]);
    const spec = { containers: [stating("a", requests)] };
    expect((await send("POST", `${root}/pods`, { metadata: { name: "p" }, spec })).status).toBe(status);
  });

  it("counts the devices of a claim by class", async () => {
    await limit({
      "count/resourceclaims.resource.k8s.io": "5",
      "gold.deviceclass.resource.k8s.io/devices": "40",
      "tin.deviceclass.resource.k8s.io/devices": "9",
    });
    const exact = (name: string, rest: object): object => ({ name, exactly: { deviceClassName: "gold", ...rest } });
    const alternatives = [
      { name: "x", deviceClassName: "tin", allocationMode: "ExactCount", count: 2 },
      { name: "y", deviceClassName: "tin", allocationMode: "ExactCount", count: 5 },
    ];
    const claim = (name: string, ...requests: object[]): Promise<{ status: number }> =>
      send("POST", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", {
        metadata: { name },
        spec: { devices: { requests } },
      });
    expect(
      (
        await claim("a", exact("one", {}), exact("three", { allocationMode: "ExactCount", count: 3 }), {
          name: "either",
          firstAvailable: alternatives,
        })
      ).status,
    ).toBe(201);
    expect(await used()).toEqual({
      "count/resourceclaims.resource.k8s.io": "1",
      "gold.deviceclass.resource.k8s.io/devices": "4",
      "tin.deviceclass.resource.k8s.io/devices": "5",
    });
    expect((await claim("b", exact("all", { allocationMode: "All" }))).status).toBe(201);
    expect((await claim("c", exact("all", { allocationMode: "All" }))).status).toBe(403);
    expect(await used()).toMatchObject({
      "count/resourceclaims.resource.k8s.io": "2",
      "gold.deviceclass.resource.k8s.io/devices": "36",
    });
  });

  it("counts the increase when a Service changes", async () => {
    await limit({ services: "2", "services.nodeports": "1", "services.loadbalancers": "1" });
    const service = (name: string): Promise<{ status: number }> =>
      send("POST", `${root}/services`, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
    await service("a");
    await service("b");
    expect(await used()).toEqual({ services: "2", "services.nodeports": "0", "services.loadbalancers": "0" });
    expect((await send("PATCH", `${root}/services/a`, { spec: { type: "NodePort" } })).status).toBe(200);
    expect((await send("PATCH", `${root}/services/a`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await send("PATCH", `${root}/services/b`, { spec: { type: "NodePort" } })).status).toBe(403);
    expect(
      (
        await send("PATCH", `${root}/services/b`, {
          spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false },
        })
      ).status,
    ).toBe(200);
    expect(await used()).toEqual({ services: "2", "services.nodeports": "1", "services.loadbalancers": "1" });
  });

  it("counts a whole pod that a deadline moves into another scope", async () => {
    for (const scope of ["Terminating", "NotTerminating"]) {
      await send("POST", `${root}/resourcequotas`, {
        metadata: { name: scope.toLowerCase() },
        spec: { hard: { pods: "1" }, scopes: [scope] },
      });
      await send("PATCH", `${root}/resourcequotas/${scope.toLowerCase()}/status`, {
        status: { hard: { pods: "1" }, used: { pods: "0" } },
      });
    }
    const usedOf = async (name: string): Promise<unknown> =>
      ((await send("GET", `${root}/resourcequotas/${name}`)).body["status"] as { used: unknown }).used;
    const pod = (name: string, more: object): Promise<{ status: number }> =>
      send("POST", `${root}/pods`, { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...more } });
    expect((await pod("a", {})).status).toBe(201);
    expect(await usedOf("terminating")).toEqual({ pods: "0" });
    expect((await send("PATCH", `${root}/pods/a`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await send("PATCH", `${root}/pods/a`, { spec: { activeDeadlineSeconds: 60 } })).status).toBe(200);
    expect(await usedOf("terminating")).toEqual({ pods: "1" });
    expect((await pod("b", { activeDeadlineSeconds: 60 })).status).toBe(403);
    expect((await pod("c", {})).status).toBe(403);
  });

  it("counts a volume claim's allocated storage, even above the limit", async () => {
    await limit({ "requests.storage": "3Gi" });
    expect(
      (
        await send("POST", `${root}/persistentvolumeclaims`, {
          metadata: { name: "a" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
        })
      ).status,
    ).toBe(201);
    expect(await used()).toEqual({ "requests.storage": "2Gi" });
    expect(
      (
        await send("PATCH", `${root}/persistentvolumeclaims/a/status`, {
          status: { allocatedResources: { storage: "5Gi" } },
        })
      ).status,
    ).toBe(200);
    expect(await used()).toEqual({ "requests.storage": "5Gi" });
  });
});
