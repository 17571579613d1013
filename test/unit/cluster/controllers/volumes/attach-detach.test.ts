import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeSpec,
  Pod,
} from "../../../../../src/kinds/core/v1.js";
import { CSIDriver, VolumeAttachment } from "../../../../../src/kinds/storage/v1.js";

const driver = "csi.example.com";
const name = "csi-8c002cacd3cf6548f22397590c7360c99850b422b28126aeb1776ba7d55f27c9";

/** Starts a cluster with a claim that is bound to a volume `v1`. */
async function start(accessModes: NonNullable<PersistentVolumeSpec["accessModes"]> = ["ReadWriteOnce"]) {
  const nodes = [{ name: "kwok-1" }, { name: "kwok-2" }];
  const cluster = await createCluster({ nodes, time: "virtual", seed: 1 });
  const capacity = { storage: "1Gi" };
  await cluster.client.resource(PersistentVolume).create({
    metadata: { name: "v1" },
    spec: { capacity, accessModes, storageClassName: "own", csi: { driver, volumeHandle: "h1" } },
  });
  await cluster.client
    .resource(PersistentVolumeClaim)
    .namespace("default")
    .create({
      metadata: { name: "data" },
      spec: { accessModes, storageClassName: "own", resources: { requests: capacity } },
    });
  await cluster.settled();
  return cluster;
}

async function createPod({ client, advance }: Cluster, pod: string, nodeName: string): Promise<void> {
  const volumes = [{ name: "disk", persistentVolumeClaim: { claimName: "data" } }];
  const containers = [{ name: "main", image: "db:1" }];
  await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: pod }, spec: { nodeName, containers, volumes } });
  await advance("5s");
}

async function attached({ client }: Cluster): Promise<Record<string, string[]>> {
  const { items } = await client.resource(Node).list();
  const names = items.map(({ metadata, status }) => [
    metadata!.name!,
    (status?.volumesAttached ?? []).map((volume) => volume.name),
  ]);
  return Object.fromEntries(names) as Record<string, string[]>;
}

async function nodesOf({ client }: Cluster): Promise<string[]> {
  return (await client.resource(VolumeAttachment).list()).items.map(({ spec }) => spec.nodeName);
}

async function phase({ client }: Cluster, pod: string): Promise<string | undefined> {
  return (await client.resource(Pod).namespace("default").getOptional(pod))?.status?.phase;
}

/** Returns the messages of the events about volumes. */
async function messages(cluster: Cluster, pod: string): Promise<(string | undefined)[]> {
  const events = await cluster.events(`default/${pod}`);
  return events.filter(({ reason }) => /Volume|Mount/.test(reason ?? "")).map(({ message }) => message);
}

describe("the volume of a CSI driver", () => {
  it("is attached to the node of its pod before the pod runs, and detached when the pod is gone", async () => {
    await using cluster = await start();
    const attachments = cluster.client.resource(VolumeAttachment);
    await createPod(cluster, "db", "kwok-1");
    const attachment = await attachments.get(name);
    expect(attachment.spec).toEqual({
      attacher: driver,
      nodeName: "kwok-1",
      source: { persistentVolumeName: "v1" },
    });
    expect(attachment.status).toEqual({ attached: true });
    expect(await attached(cluster)).toEqual({ "kwok-1": ["kubernetes.io/csi/csi.example.com^h1"], "kwok-2": [] });
    expect(await messages(cluster, "db")).toEqual(['AttachVolume.Attach succeeded for volume "v1" ']);
    expect(await phase(cluster, "db")).toBe("Running");
    await cluster.client.resource(Pod).namespace("default").delete("db");
    await cluster.advance("1m");
    expect(await attachments.getOptional(name)).toBeUndefined();
    expect(await attached(cluster)).toEqual({ "kwok-1": [], "kwok-2": [] });
  });

  it("is detached from its node even if its PersistentVolume goes at the same time", async () => {
    await using cluster = await start();
    const { client } = cluster;
    await createPod(cluster, "db", "kwok-1");
    const volumes = client.resource(PersistentVolume);
    await volumes.patch("v1", { type: "merge", patch: { spec: { persistentVolumeReclaimPolicy: "Delete" } } });
    await client.resource(PersistentVolumeClaim).namespace("default").delete("data");
    await volumes.delete("v1");
    await client.resource(Pod).namespace("default").delete("db");
    await cluster.advance("1m");
    expect(await volumes.getOptional("v1")).toBeUndefined();
    expect(await nodesOf(cluster)).toEqual([]);
    expect(await attached(cluster)).toEqual({ "kwok-1": [], "kwok-2": [] });
  });

  it("that is exclusive stays on the first node, and follows when the pod there is gone", async () => {
    await using cluster = await start();
    await createPod(cluster, "first", "kwok-1");
    await createPod(cluster, "second", "kwok-2");
    await cluster.advance("3m");
    expect(await phase(cluster, "second")).toBe("Pending");
    const lists = "unmounted volumes=[disk], unattached volumes=[disk], failed to process volumes=[]";
    expect(await messages(cluster, "second")).toEqual([
      'Multi-Attach error for volume "v1" Volume is already used by pod(s) first',
      `Unable to attach or mount volumes: ${lists}: context deadline exceeded`,
    ]);
    await cluster.client.resource(Pod).namespace("default").delete("first");
    await cluster.advance("5m");
    expect(await nodesOf(cluster)).toEqual(["kwok-2"]);
    expect(await phase(cluster, "second")).toBe("Running");
  });

  it("that nodes can share is attached to all of them", async () => {
    await using cluster = await start(["ReadWriteMany"]);
    await createPod(cluster, "first", "kwok-1");
    await createPod(cluster, "second", "kwok-2");
    expect((await nodesOf(cluster)).sort()).toEqual(["kwok-1", "kwok-2"]);
    expect(await phase(cluster, "second")).toBe("Running");
  });

  it.each([
    ["stays attached to a lost node for six minutes", undefined],
    ["is detached at once from a lost node that is out of service", "node.kubernetes.io/out-of-service"],
  ])("%s", async (_, key) => {
    await using cluster = await start();
    const { client } = cluster;
    await createPod(cluster, "first", "kwok-1");
    await cluster.nodes("kwok-1").crash();
    await cluster.advance("1m");
    await client.resource(Pod).namespace("default").delete("first", { gracePeriodSeconds: 0 });
    await createPod(cluster, "second", "kwok-2");
    expect(await messages(cluster, "second")).toEqual([
      'Multi-Attach error for volume "v1" Volume is already exclusively attached to one node and can\'t be attached to another',
    ]);
    if (key !== undefined) {
      const { spec } = await client.resource(Node).get("kwok-1");
      const taints = [...(spec?.taints ?? []), { key, effect: "NoExecute" as const }];
      await client.resource(Node).patch("kwok-1", { type: "merge", patch: { spec: { taints } } });
    }
    await cluster.advance("5m");
    expect(await nodesOf(cluster)).toEqual([key === undefined ? "kwok-1" : "kwok-2"]);
    await cluster.advance("4m");
    expect(await phase(cluster, "second")).toBe("Running");
  });

  it("isn't attached if its driver says so", async () => {
    await using cluster = await start();
    await cluster.client.resource(CSIDriver).create({ metadata: { name: driver }, spec: { attachRequired: false } });
    await createPod(cluster, "db", "kwok-1");
    expect(await nodesOf(cluster)).toEqual([]);
    expect(await phase(cluster, "db")).toBe("Running");
  });

  it("keeps its pod waiting, with an event, while its attachment has an error", async () => {
    await using cluster = await start();
    const { client } = cluster;
    cluster.controllers.pause("persistentvolume-attach-detach");
    await createPod(cluster, "db", "kwok-1");
    const attachments = client.resource(VolumeAttachment);
    const spec = { attacher: driver, nodeName: "kwok-1", source: { persistentVolumeName: "v1" } };
    await attachments.create({ metadata: { name }, spec });
    await attachments.subresource("status").update(name, (attachment) => {
      attachment.status = { attached: false, attachError: { message: "no disk" } };
    });
    cluster.controllers.resume("persistentvolume-attach-detach");
    await cluster.advance("5s");
    expect(await messages(cluster, "db")).toEqual(['AttachVolume.Attach failed for volume "v1" : no disk']);
    expect(await phase(cluster, "db")).toBe("Pending");
  });
});

it("a volume of the default class isn't attached, and neither is one on a node that attaches itself", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": null };
  await client.resource(Node).patch("kwok-1", { type: "merge", patch: { metadata: { annotations } } });
  await createPod(cluster, "db", "kwok-1");
  const resources = { requests: { storage: "1Gi" } };
  await client
    .resource(PersistentVolumeClaim)
    .namespace("default")
    .create({ metadata: { name: "other" }, spec: { accessModes: ["ReadWriteOnce"], resources } });
  const volumes = [{ name: "disk", persistentVolumeClaim: { claimName: "other" } }];
  await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "web:1" }], volumes } });
  await cluster.settled();
  expect(await phase(cluster, "web")).toBe("Running");
  expect(await phase(cluster, "db")).toBe("Running");
  expect(await nodesOf(cluster)).toEqual([]);
});
