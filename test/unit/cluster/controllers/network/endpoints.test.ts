import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import {
  Endpoints,
  Namespace,
  Pod,
  ResourceQuota,
  Service,
  type ServiceSpec,
} from "../../../../../src/kinds/core/v1.js";
import { Event } from "../../../../../src/kinds/events/v1.js";

async function start(spec: ServiceSpec = {}): Promise<Cluster> {
  const cluster = await createCluster({ time: "virtual", seed: 1 });
  await cluster.client
    .resource(Service)
    .namespace("default")
    .create({
      metadata: { name: "web", labels: { team: "blue" } },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }], ...spec },
    });
  return cluster;
}

async function createPod(cluster: Cluster, name: string, containerPort = 8080, more: object = {}): Promise<void> {
  const containers = [{ name: "main", image: "web:1", ports: [{ name: "http", containerPort }], ...more }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name, labels: { app: "web" } }, spec: { containers } });
  await cluster.settled();
}

async function subsets(cluster: Cluster): Promise<unknown> {
  await cluster.settled();
  const { subsets: all = [] } = await cluster.client.resource(Endpoints).namespace("default").get("web");
  const names = (each: readonly { targetRef?: { name?: string | undefined } | undefined }[] = []): unknown =>
    each.map(({ targetRef }) => targetRef?.name);
  return all.map(({ addresses, notReadyAddresses, ports }) => [
    names(addresses),
    names(notReadyAddresses),
    ports?.map(({ port }) => port),
  ]);
}

const notReady = { readinessProbe: { tcpSocket: { port: 1 }, initialDelaySeconds: 600 } };

describe("Endpoints of a Service", () => {
  it("keep the edits of clients until the pods of the Service change", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    const handle = cluster.client.resource(Endpoints).namespace("default");
    await handle.patch("web", { type: "merge", patch: { subsets: [], metadata: { labels: { edited: "yes" } } } });
    expect(await subsets(cluster)).toEqual([]);
    await createPod(cluster, "b");
    expect(await subsets(cluster)).toEqual([[["a", "b"], [], [8080]]]);
    expect((await handle.get("web")).metadata?.labels).not.toHaveProperty("edited");
  });

  it("have the addresses of its pods, in subsets of equal ports", async () => {
    await using cluster = await start();
    await createPod(cluster, "a");
    await createPod(cluster, "b");
    await createPod(cluster, "c", 9090);
    expect(await subsets(cluster)).toEqual([
      [["a", "b"], [], [8080]],
      [["c"], [], [9090]],
    ]);
    const { metadata, subsets: all } = await cluster.client.resource(Endpoints).namespace("default").get("web");
    expect(metadata?.labels).toEqual({ team: "blue", "endpoints.kubernetes.io/managed-by": "endpoint-controller" });
    expect(all?.[0]?.addresses?.[0]).toMatchObject({
      ip: "10.244.0.2",
      nodeName: "node-1",
      targetRef: { kind: "Pod", namespace: "default" },
    });
  });

  it("that the server refuses are reported in events", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
    const { client } = cluster;
    await client.resource(Namespace).create({ metadata: { name: "team" } });
    const hard = { "count/endpoints": "0", "count/endpointslices.discovery.k8s.io": "0" };
    await client
      .resource(ResourceQuota)
      .namespace("team")
      .create({ metadata: { name: "none" }, spec: { hard } });
    await cluster.settled();
    const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };
    await client
      .resource(Service)
      .namespace("team")
      .create({ metadata: { name: "web" }, spec });
    await cluster.settled();
    const { items } = await client.resource(Event).list();
    const texts = items.map(({ metadata, reason, note = "" }) => [metadata?.namespace, reason, note.split(": ")[0]]);
    expect(texts.sort()).toEqual([
      ["default", "FailedToCreateEndpoint", "Failed to create endpoint for service team/web"],
      ["team", "FailedToUpdateEndpointSlices", "Error updating Endpoint Slices for Service team/web"],
    ]);
  });

  it("group the ports that the same addresses serve", async () => {
    const ports = [
      { name: "http", port: 80, targetPort: "http" },
      { name: "admin", port: 81, targetPort: 9000 },
      { name: "dns", port: 53, targetPort: 5353 },
    ];
    await using cluster = await start({ ports });
    await createPod(cluster, "a");
    await createPod(cluster, "b", 9090);
    expect(await subsets(cluster)).toEqual([
      [["a", "b"], [], [9000, 5353]],
      [["a"], [], [8080]],
      [["b"], [], [9090]],
    ]);
  });

  it.each([
    [false, [[[], ["a"], [8080]]]],
    [true, [[["a"], [], [8080]]]],
  ])(
    "with publishNotReadyAddresses %s list a pod that isn't ready accordingly",
    async (publishNotReadyAddresses, expected) => {
      await using cluster = await start({ publishNotReadyAddresses });
      await createPod(cluster, "a", 8080, notReady);
      expect(await subsets(cluster)).toEqual(expected);
    },
  );

  it("are empty without pods, lose those that go, and go with the Service", async () => {
    await using cluster = await start();
    expect(await subsets(cluster)).toEqual([]);
    await createPod(cluster, "a");
    await cluster.client.resource(Pod).namespace("default").delete("a", { gracePeriodSeconds: 0 });
    expect(await subsets(cluster)).toEqual([]);
    await cluster.client.resource(Service).namespace("default").delete("web");
    await cluster.settled();
    expect(await cluster.client.resource(Endpoints).namespace("default").getOptional("web")).toBeUndefined();
  });

  it("of another program stay as they are", async () => {
    await using cluster = await start({ selector: {} });
    const endpoints = cluster.client.resource(Endpoints).namespace("default");
    await endpoints.create({ metadata: { name: "other" }, subsets: [{ addresses: [{ ip: "192.0.2.1" }] }] });
    await cluster.settled();
    expect((await endpoints.get("other")).subsets).toEqual([{ addresses: [{ ip: "192.0.2.1" }] }]);
  });
});
