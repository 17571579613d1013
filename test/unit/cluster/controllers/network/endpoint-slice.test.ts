import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Deployment } from "../../../../../src/kinds/apps/v1.js";
import { Node, Pod, Service, type ServiceSpec } from "../../../../../src/kinds/core/v1.js";
import { type Endpoint, EndpointSlice } from "../../../../../src/kinds/discovery/v1.js";

async function start(spec: ServiceSpec = {}): Promise<Cluster> {
  const labels = { "topology.kubernetes.io/zone": "zone-a" };
  const cluster = await createCluster({
    nodes: [{ name: "node-1", labels, capacity: { pods: "500" } }],
    time: "virtual",
    seed: 1,
  });
  await cluster.client
    .resource(Service)
    .namespace("default")
    .create({
      metadata: { name: "web", labels: { team: "blue" } },
      spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
    });
  return cluster;
}

async function createPod(cluster: Cluster, name: string, more: object = {}): Promise<void> {
  const containers = [{ name: "main", image: "web:1", ports: [{ name: "http", containerPort: 8080 }] }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name, labels: { app: "web" } }, spec: { containers, ...more } });
  await cluster.settled();
}

async function slices(cluster: Cluster): Promise<EndpointSlice[]> {
  await cluster.settled();
  const { items } = await cluster.client
    .resource(EndpointSlice)
    .namespace("default")
    .list({ labelSelector: "kubernetes.io/service-name=web" });
  return items;
}

const shown = ({ targetRef, conditions }: Endpoint): string => {
  const set = Object.entries(conditions ?? {}).filter(([, value]) => value === true);
  return [targetRef?.name, ...set.map(([name]) => name)].join(" ");
};
const endpointsOf = async (cluster: Cluster): Promise<string[]> =>
  (await slices(cluster)).flatMap(({ endpoints }) => (endpoints ?? []).map(shown)).sort();

describe("EndpointSlices of a Service", () => {
  it("keep annotations of clients, but not their labels", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    const [{ metadata } = {}] = await slices(cluster);
    const own = { labels: { edited: "yes" }, annotations: { edited: "yes" } };
    await cluster.client
      .resource(EndpointSlice)
      .namespace("default")
      .patch(metadata!.name!, { type: "merge", patch: { metadata: own } });
    const [slice] = await slices(cluster);
    expect(slice?.metadata?.labels).not.toHaveProperty("edited");
    expect(slice?.metadata?.annotations).toHaveProperty("edited", "yes");
  });

  it("describe its pods, with ports by name, zone and owner", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    const [slice, ...others] = await slices(cluster);
    expect(others).toEqual([]);
    const pod = await cluster.client.resource(Pod).namespace("default").get("a");
    expect(slice).toMatchObject({
      addressType: "IPv4",
      endpoints: [
        {
          addresses: [pod.status!.podIP],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "node-1",
          targetRef: { kind: "Pod", name: "a", namespace: "default", uid: pod.metadata!.uid },
          zone: "zone-a",
        },
      ],
      metadata: {
        generateName: "web-",
        labels: {
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
          "kubernetes.io/service-name": "web",
          team: "blue",
        },
        ownerReferences: [
          { apiVersion: "v1", kind: "Service", name: "web", controller: true, blockOwnerDeletion: true },
        ],
      },
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    });
  });

  it("are one empty slice without pods", async () => {
    await using cluster = await start();
    expect(await slices(cluster)).toMatchObject([{ addressType: "IPv4", endpoints: null, ports: null }]);
  });

  it("leave out a Service without a selector", async () => {
    await using cluster = await createCluster({ time: "virtual" });
    await cluster.client
      .resource(Service)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
    expect(await slices(cluster)).toEqual([]);
  });

  it("follow the readiness, the labels and the deletion of pods", async () => {
    await using cluster = await start();
    for (const name of ["a", "b", "c"]) await createPod(cluster, name);
    expect(await endpointsOf(cluster)).toEqual(["a ready serving", "b ready serving", "c ready serving"]);
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.patch("b", { type: "merge", patch: { metadata: { labels: { app: "other" } } } });
    await cluster.pods({ name: "c" }).crash();
    expect(await endpointsOf(cluster)).toEqual(["a ready serving", "c"]);
    await pods.delete("a", { gracePeriodSeconds: 0 });
    expect(await endpointsOf(cluster)).toEqual(["c"]);
  });

  it("show pods that aren't ready as ready if the Service publishes them", async () => {
    await using cluster = await start({ publishNotReadyAddresses: true, clusterIP: "None" });
    await createPod(cluster, "a");
    await cluster.pods({ name: "a" }).crash();
    expect(await endpointsOf(cluster)).toEqual(["a ready"]);
    expect((await slices(cluster))[0]!.metadata!.labels).toHaveProperty(["service.kubernetes.io/headless"], "");
  });

  it.each([
    ["PreferClose", { forZones: [{ name: "zone-a" }] }],
    ["PreferSameZone", { forZones: [{ name: "zone-a" }] }],
    ["PreferSameNode", { forZones: [{ name: "zone-a" }], forNodes: [{ name: "node-1" }] }],
  ])("hint at clients of ready pods with the traffic distribution %s", async (trafficDistribution, hints) => {
    await using cluster = await start({ trafficDistribution });
    await createPod(cluster, "a");
    await createPod(cluster, "b");
    await cluster.pods({ name: "b" }).crash();
    const read = async (): Promise<unknown> =>
      (await slices(cluster)).flatMap(({ endpoints = [] }) => endpoints.map((endpoint) => endpoint.hints));
    expect(await read()).toEqual([hints, undefined]);
    const patch = { spec: { trafficDistribution: null } };
    await cluster.client.resource(Service).namespace("default").patch("web", { type: "merge", patch });
    expect(await read()).toEqual([undefined, undefined]);
  });

  it.each([
    [false, [], true],
    [true, ["a ready", "b ready"], false],
  ])(
    "with publishNotReadyAddresses %s show pods of a missing node accordingly until they are gone",
    async (publishNotReadyAddresses, expected, warns) => {
      await using cluster = await start({ publishNotReadyAddresses });
      for (const name of ["a", "b"]) await createPod(cluster, name);
      await cluster.client.resource(Node).delete("node-1");
      // The Service is reconciled with the next change of one of its pods.
      await cluster.pods({ name: "a" }).crash();
      expect((await endpointsOf(cluster)).map((text) => text.replace(" serving", ""))).toEqual(expected);
      const problem = "Error updating Endpoint Slices for Service default/web: [skipping Pod a";
      const texts = (await cluster.events()).filter(({ reason }) => reason === "FailedToUpdateEndpointSlices");
      expect(texts.some(({ message }) => message.startsWith(problem))).toBe(warns);
      await cluster.advance("1m");
      expect(await endpointsOf(cluster)).toEqual([]);
    },
  );

  it("show the pods of a node that appears after them", async () => {
    await using cluster = await start();
    await createPod(cluster, "a", { nodeName: "node-2" });
    const pods = cluster.client.resource(Pod).namespace("default");
    const status = { phase: "Running" as const, podIP: "10.1.1.1", podIPs: [{ ip: "10.1.1.1" }] };
    await pods.subresource("status").patch("a", { type: "merge", patch: { status } });
    expect(await endpointsOf(cluster)).toEqual([]);
    await cluster.client.resource(Node).create({ metadata: { name: "node-2" } });
    expect(await endpointsOf(cluster)).toEqual([]);
    await cluster.advance("2s");
    expect(await endpointsOf(cluster)).toEqual(["a"]);
  });

  it("follow the labels of the Service", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    const patch = { metadata: { labels: { team: "green" } } };
    await cluster.client.resource(Service).namespace("default").patch("web", { type: "merge", patch });
    expect((await slices(cluster))[0]!.metadata!.labels).toMatchObject({ team: "green" });
  });

  it("name the hosts of a headless Service", async () => {
    await using cluster = await start({ clusterIP: "None" });
    await createPod(cluster, "a", { hostname: "first", subdomain: "web" });
    await createPod(cluster, "b", { hostname: "second", subdomain: "other" });
    const endpoints = (await slices(cluster)).flatMap((slice) => slice.endpoints ?? []);
    expect(endpoints.map(({ hostname }) => hostname)).toEqual(["first", undefined]);
  });

  it("hold at most 100 endpoints each, and stay as they are when others go", async () => {
    await using cluster = await start();
    const deployments = cluster.client.resource(Deployment).namespace("default");
    const containers = [{ name: "main", image: "web:1", ports: [{ name: "http", containerPort: 8080 }] }];
    const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
    await deployments.create({
      metadata: { name: "web" },
      spec: { replicas: 120, selector: { matchLabels: { app: "web" } }, template },
    });
    await cluster.until(Deployment, "default/web", (web) => web?.status?.availableReplicas === 120);
    const sizes = (await slices(cluster)).map(({ endpoints }) => endpoints?.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(120);
    await cluster.client.resource(Service).namespace("default").delete("web");
    expect(await slices(cluster)).toEqual([]);
  });

  it("wait while a slice has lost its manager, like upstream", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    const [slice] = await slices(cluster);
    const handle = cluster.client.resource(EndpointSlice).namespace("default");
    const manager = "endpointslice.kubernetes.io/managed-by";
    const manage = async (value: string | null): Promise<unknown> =>
      handle.patch(slice!.metadata!.name!, {
        type: "merge",
        patch: { metadata: { labels: { [manager]: value } } } as never,
      });
    await manage(null);
    await createPod(cluster, "b");
    await cluster.advance("10s");
    expect(await endpointsOf(cluster)).toEqual(["a ready serving"]);
    await manage("endpointslice-controller.k8s.io");
    await cluster.advance("10s");
    expect(await endpointsOf(cluster)).toEqual(["a ready serving", "b ready serving"]);
    expect(await slices(cluster)).toHaveLength(1);
  });

  it("replace a slice without an owner at the next change", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    const [slice] = await slices(cluster);
    const handle = cluster.client.resource(EndpointSlice).namespace("default");
    const patch = { metadata: { ownerReferences: null } } as never;
    await handle.patch(slice!.metadata!.name!, { type: "merge", patch });
    await cluster.advance("10s");
    expect((await slices(cluster)).map(({ metadata }) => metadata?.ownerReferences)).toEqual([undefined]);
    await createPod(cluster, "b");
    await cluster.advance("10s");
    expect(await endpointsOf(cluster)).toEqual(["a ready serving", "b ready serving"]);
    expect((await slices(cluster)).map(({ metadata }) => metadata?.ownerReferences?.[0]?.name)).toEqual(["web"]);
  });
});
