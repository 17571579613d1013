import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { contains, parseRange } from "../../../../../src/cluster/controllers/network/address-range.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Service } from "../../../../../src/kinds/core/v1.js";
import { ServiceCIDR } from "../../../../../src/kinds/networking/v1.js";

const start = (): Promise<Cluster> =>
  createCluster({ nodes: 0, time: "virtual", seed: 1, controllers: ["service-cidr"] });

async function createRange(cluster: Cluster, name: string, ...cidrs: string[]): Promise<void> {
  await cluster.client.resource(ServiceCIDR).create({ metadata: { name }, spec: { cidrs } });
  await cluster.settled();
}

async function createService(cluster: Cluster, name: string, clusterIP?: string): Promise<string> {
  const spec = { ports: [{ port: 80 }], ...(clusterIP !== undefined && { clusterIP }) };
  const created = await cluster.client.resource(Service).namespace("default").create({ metadata: { name }, spec });
  return created.spec!.clusterIP!;
}

/** Returns the finalizers and the condition of a range; `undefined` if it's gone. */
async function readRange(cluster: Cluster, name: string): Promise<string | undefined> {
  await cluster.settled();
  const cidr = await cluster.client.resource(ServiceCIDR).getOptional(name);
  const [condition] = cidr?.status?.conditions ?? [];
  return cidr && [...(cidr.metadata?.finalizers ?? []), condition?.status, condition?.reason].join(" ").trim();
}

const ready = "networking.k8s.io/service-cidr-finalizer True";
const terminating = "networking.k8s.io/service-cidr-finalizer False Terminating";

describe("ServiceCIDR in a cluster", () => {
  it("is ready, like the default one, and has addresses for Services", async () => {
    await using cluster = await start();
    await createRange(cluster, "more", "10.9.0.0/28");
    expect([await readRange(cluster, "kubernetes"), await readRange(cluster, "more")]).toEqual([ready, ready]);
    expect(await createService(cluster, "web", "10.9.0.14")).toBe("10.9.0.14");
  });

  it("goes ten seconds after its deletion if no Service has one of its addresses", async () => {
    await using cluster = await start();
    await createRange(cluster, "more", "10.9.0.0/28", "fd00::/112");
    await cluster.client.resource(ServiceCIDR).delete("more");
    await cluster.advance("9s");
    expect(await readRange(cluster, "more")).toBe(ready);
    await expect(createService(cluster, "web", "10.9.0.1")).rejects.toThrow("does not match the current range");
    await cluster.advance("1s");
    expect(await readRange(cluster, "more")).toBeUndefined();
  });

  it("stays after its deletion until the last Service with one of its addresses is gone", async () => {
    await using cluster = await start();
    await createRange(cluster, "more", "10.9.0.0/28");
    await createService(cluster, "web", "10.9.0.1");
    await cluster.client.resource(ServiceCIDR).delete("more");
    await cluster.advance("1m");
    expect(await readRange(cluster, "more")).toBe(terminating);
    await cluster.client.resource(Service).namespace("default").delete("web");
    expect(await readRange(cluster, "more")).toBeUndefined();
  });

  it("goes when another one holds its addresses", async () => {
    await using cluster = await start();
    await createRange(cluster, "more", "10.9.0.0/28");
    await createService(cluster, "web", "10.9.0.1");
    await cluster.client.resource(ServiceCIDR).delete("more");
    await cluster.advance("1m");
    await createRange(cluster, "other", "10.9.1.0/24");
    expect(await readRange(cluster, "more")).toBe(terminating);
    await createRange(cluster, "larger", "10.9.0.0/24");
    expect(await readRange(cluster, "more")).toBeUndefined();
  });
});

it.each([
  ["10.9.0.0/28", "10.9.0.15", true],
  ["10.9.0.0/28", "10.9.0.16", false],
  ["10.9.0.0/16", "10.9.4.0/24", true],
  ["10.9.4.0/24", "10.9.0.0/16", false],
  ["0.0.0.0/0", "255.255.255.255", true],
  ["0.0.0.0/0", "::1", false],
  ["fd00::/64", "fd00::ffff:0:0:1", true],
  ["fd00::/64", "fd00:0:0:1::", false],
  ["::/0", "1:2:3:4:5:6:7:8", true],
  ["2001:db8::1/128", "2001:db8::1", true],
])("range %s contains %s: %s", (outer, inner, expected) => {
  expect(contains(parseRange(outer), parseRange(inner))).toBe(expected);
});
