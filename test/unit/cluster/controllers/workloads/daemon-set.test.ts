import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ControllerRevision, DaemonSet, type DaemonSetSpec } from "../../../../../src/kinds/apps/v1.js";
import { Node, Pod } from "../../../../../src/kinds/core/v1.js";
import { Event } from "../../../../../src/kinds/events/v1.js";

const createTestCluster = (nodes = 3): Promise<Cluster> => createCluster({ nodes, time: "virtual", seed: 1 });

async function createSet(cluster: Cluster, spec: Partial<DaemonSetSpec> = {}): Promise<void> {
  const template = { metadata: { labels: { app: "log" } }, spec: { containers: [{ name: "main", image: "log:1" }] } };
  await cluster.client
    .resource(DaemonSet)
    .namespace("default")
    .create({ metadata: { name: "log" }, spec: { selector: { matchLabels: { app: "log" } }, template, ...spec } });
  await cluster.settled();
}

async function useImage(cluster: Cluster, image: string): Promise<void> {
  const patch = { spec: { template: { spec: { containers: [{ name: "main", image }] } } } };
  await cluster.client.resource(DaemonSet).namespace("default").patch("log", { type: "strategic", patch });
}

/** Returns the pods as `node-1 log:1`. */
async function placed(cluster: Cluster): Promise<string[]> {
  const { items } = await cluster.client.resource(Pod).namespace("default").list();
  return items.map(({ spec }) => `${spec?.nodeName} ${spec?.containers[0]?.image}`).sort();
}

async function readStatus(cluster: Cluster): Promise<DaemonSet["status"]> {
  return (await cluster.client.resource(DaemonSet).namespace("default").get("log")).status;
}

describe("DaemonSet in a cluster", () => {
  it("runs one pod on each node, also on one that joins later", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster);
    await cluster.advance("10s");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-2 log:1", "node-3 log:1"]);
    expect(await readStatus(cluster)).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
    });
    const { items } = await cluster.client.resource(ControllerRevision).namespace("default").list();
    expect(items[0]?.metadata?.labels).toHaveProperty("controller-revision-hash");
    expect(items[0]?.metadata?.annotations).toEqual({ "deprecated.daemonset.template.generation": "1" });
    // Programs in Go compare the bytes.
    expect(JSON.stringify(items[0]?.data)).toMatch(/^\{"spec":\{"template":\{"\$patch":"replace","metadata":/);
    const nodes = cluster.client.resource(Node);
    await nodes.create({ metadata: { name: "late" } });
    await cluster.settled();
    expect(await readStatus(cluster)).toMatchObject({ desiredNumberScheduled: 4, numberUnavailable: 1 });
  });

  it("follows the labels, the cordons and the taints of nodes", async () => {
    await using cluster = await createTestCluster();
    const nodes = cluster.client.resource(Node);
    const template = {
      metadata: { labels: { app: "log" } },
      spec: { nodeSelector: { disk: "ssd" }, containers: [{ name: "main", image: "log:1" }] },
    };
    await createSet(cluster, { template });
    expect(await placed(cluster)).toEqual([]);
    for (const name of ["node-1", "node-2"])
      await nodes.patch(name, { type: "merge", patch: { metadata: { labels: { disk: "ssd" } } } });
    await cluster.advance("1m");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-2 log:1"]);
    await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: true } } });
    await cluster.advance("1m");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-2 log:1"]);
    await nodes.patch("node-2", {
      type: "merge",
      patch: { spec: { taints: [{ key: "broken", effect: "NoExecute" }] } },
    });
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual(["node-1 log:1"]);
    await nodes.patch("node-1", { type: "merge", patch: { metadata: { labels: { disk: null } } } });
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual([]);
  });

  it("recreates a deleted revision and takes back the owner of one", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    const revisions = cluster.client.resource(ControllerRevision).namespace("default");
    const [{ metadata } = {}] = (await revisions.list()).items;
    await revisions.delete(metadata!.name!);
    await cluster.settled();
    expect(await revisions.get(metadata!.name!)).toMatchObject({ revision: 1 });
    await revisions.patch(metadata!.name!, { type: "merge", patch: { metadata: { ownerReferences: null } } });
    await cluster.settled();
    const { metadata: adopted } = await revisions.get(metadata!.name!);
    expect(adopted?.ownerReferences).toMatchObject([{ kind: "DaemonSet", name: "log", controller: true }]);
  });

  it("keeps conditions of other writers in its status", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    const conditions = [{ type: "Own", status: "True" }];
    await cluster.client
      .resource(DaemonSet)
      .namespace("default")
      .subresource("status")
      .patch("log", { type: "merge", patch: { status: { conditions, numberReady: 9 } } as object });
    await cluster.settled();
    expect(await readStatus(cluster)).toMatchObject({ conditions, numberReady: 1 });
  });

  it("replaces a deleted pod that has ended although a finalizer keeps it", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    const pods = cluster.client.resource(Pod).namespace("default");
    const [pod] = (await pods.list()).items;
    await pods.patch(pod!.metadata!.name!, {
      type: "merge",
      patch: { metadata: { finalizers: ["example.com/hold"] } },
    });
    await pods.delete(pod!.metadata!.name!);
    await cluster.advance("1m");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-1 log:1"]);
    expect(await readStatus(cluster)).toMatchObject({ numberReady: 1, numberMisscheduled: 0 });
  });

  it("updates one node after the other", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { minReadySeconds: 5 });
    await cluster.advance("10s");
    let least = 3;
    await useImage(cluster, "log:2");
    for (let seconds = 0; seconds < 180; seconds++) {
      await cluster.advance("1s");
      least = Math.min(least, (await readStatus(cluster))?.numberAvailable ?? 0);
    }
    expect(least).toBe(2);
    expect(await placed(cluster)).toEqual(["node-1 log:2", "node-2 log:2", "node-3 log:2"]);
  });

  it("updates no other node while the pod of a lost node can't end", async () => {
    await using cluster = await createTestCluster(2);
    await createSet(cluster);
    await cluster.nodes("node-1").partition();
    await cluster.advance("2m");
    await useImage(cluster, "log:2");
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-2 log:1"]);
    await cluster.nodes("node-1").recover();
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual(["node-1 log:2", "node-2 log:2"]);
  });

  it("deletes a surplus pod of a rollout that another one overtakes before it starts the next", async () => {
    const images = { "log:2": { pull: "1h" } };
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1, images });
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await createSet(cluster, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
    await cluster.advance("10s");
    const seen = new Set<number>();
    const end = new AbortController();
    const watching = (async () => {
      for await (const _ of cluster.client.resource(Pod).watch({ signal: end.signal })) {
        const { items } = await cluster.client.resource(Pod).namespace("default").list();
        seen.add(items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).length);
      }
    })().catch(() => undefined);
    await useImage(cluster, "log:2");
    await cluster.advance("10s");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-1 log:2"]);
    await useImage(cluster, "log:3");
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual(["node-1 log:3"]);
    end.abort();
    await watching;
    expect([...seen]).not.toContain(3);
  });

  it("starts new pods next to the old ones with maxSurge", async () => {
    await using cluster = await createTestCluster();
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await createSet(cluster, { minReadySeconds: 5, updateStrategy: { type: "RollingUpdate", rollingUpdate } });
    await cluster.advance("30s");
    await useImage(cluster, "log:2");
    await cluster.advance("2s");
    expect(await placed(cluster)).toHaveLength(4);
    await cluster.advance("5m");
    expect(await placed(cluster)).toEqual(["node-1 log:2", "node-2 log:2", "node-3 log:2"]);
  });

  it("replaces with maxSurge a pod that is being deleted before it is gone", async () => {
    const images = { "log:1": { run: () => new Promise<number>(() => undefined) } };
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1, images });
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await createSet(cluster, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
    await cluster.advance("10s");
    await cluster.client.resource(Pod).namespace("default").deleteCollection();
    await cluster.advance("10s");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-1 log:1"]);
    expect(await readStatus(cluster)).toMatchObject({ numberReady: 1, numberAvailable: 1 });
  });

  it("removes with maxSurge the old pod of a node that should run none now", async () => {
    await using cluster = await createTestCluster(2);
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await createSet(cluster, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
    await cluster.advance("10s");
    const patch = { spec: { taints: [{ key: "other", effect: "NoSchedule" as const }] } };
    await cluster.client.resource(Node).patch("node-1", { type: "merge", patch });
    await cluster.advance("1m");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-2 log:1"]);
    await useImage(cluster, "log:2");
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual(["node-2 log:2"]);
  });

  it("updates with OnDelete only the pods that someone deletes", async () => {
    await using cluster = await createTestCluster(2);
    await createSet(cluster, { updateStrategy: { type: "OnDelete" } });
    await cluster.advance("10s");
    await useImage(cluster, "log:2");
    await cluster.advance("1m");
    const pods = cluster.client.resource(Pod).namespace("default");
    const { items } = await pods.list();
    await pods.delete(items.find(({ spec }) => spec?.nodeName === "node-2")!.metadata!.name!);
    await cluster.advance("2m");
    expect(await placed(cluster)).toEqual(["node-1 log:1", "node-2 log:2"]);
  });

  it("replaces a pod that ended", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    await cluster.advance("10s");
    const pods = cluster.client.resource(Pod).namespace("default");
    const [pod] = (await pods.list()).items;
    await cluster.pods("app=log").evict();
    await cluster.advance("1m");
    const { items } = await pods.list();
    expect(items.map(({ metadata, status }) => [metadata?.uid === pod?.metadata?.uid, status?.phase])).toEqual([
      [false, "Running"],
    ]);
  });

  it("waits longer after each pod that its node refuses", async () => {
    await using cluster = await createTestCluster(1);
    const containers = [{ name: "main", image: "log:1", resources: { requests: { cpu: "1000" } } }];
    const template = { metadata: { labels: { app: "log" } }, spec: { nodeName: "node-1", containers } };
    await createSet(cluster, { template });
    const refused = async (): Promise<number> =>
      (await cluster.client.resource(Event).namespace("default").list()).items.filter(
        ({ reason }) => reason === "FailedDaemonPod",
      ).length;
    await cluster.advance("6s");
    // After 0, 1 and 3 seconds.
    expect(await refused()).toBe(3);
  });

  it.each([
    ["Failed", "Warning FailedDaemonPod"],
    ["Succeeded", "Normal SucceededDaemonPod"],
  ] as const)("replaces a pod that has %s, and reports it", async (phase, expected) => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    await cluster.advance("10s");
    const pods = cluster.client.resource(Pod).namespace("default");
    const name = (await pods.list()).items[0]!.metadata!.name!;
    await pods.subresource("status").patch(name, { type: "merge", patch: { status: { phase } } });
    await cluster.advance("10s");
    expect((await pods.list()).items.map(({ metadata }) => metadata?.name)).not.toContain(name);
    const { items } = await cluster.client.resource(Event).namespace("default").list();
    expect(items.map(({ type, reason }) => `${type} ${reason}`)).toContain(expected);
  });

  it("keeps a pod whose hash a client has changed, because it has the number of the template", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    const pods = cluster.client.resource(Pod).namespace("default");
    const [pod] = (await pods.list()).items;
    const patch = { metadata: { labels: { "controller-revision-hash": "edited" } } };
    await pods.patch(pod!.metadata!.name!, { type: "merge", patch });
    await cluster.advance("1m");
    expect((await pods.list()).items.map(({ metadata }) => metadata?.uid)).toEqual([pod!.metadata!.uid]);
    expect(await readStatus(cluster)).toMatchObject({ updatedNumberScheduled: 1 });
  });

  it("labels a revision without a hash with its name, and gives the current one the highest number", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    await useImage(cluster, "log:2");
    await cluster.advance("1m");
    const revisions = cluster.client.resource(ControllerRevision).namespace("default");
    for (const { metadata } of (await revisions.list()).items) {
      const labels = { "controller-revision-hash": null };
      await revisions.patch(metadata!.name!, { type: "merge", patch: { revision: 3, metadata: { labels } } as never });
    }
    await cluster.advance("1m");
    const { items } = await revisions.list();
    for (const { metadata } of items) expect(metadata?.labels?.["controller-revision-hash"]).toBe(metadata?.name);
    expect(items.map(({ revision }) => revision).sort()).toEqual([3, 4]);
    expect(await placed(cluster)).toEqual(["node-1 log:2"]);
  });

  it("deletes other revisions of the current template, and gives its pods the hash of the newest", async () => {
    await using cluster = await createTestCluster(2);
    await createSet(cluster);
    const pods = cluster.client.resource(Pod).namespace("default");
    const revisions = cluster.client.resource(ControllerRevision).namespace("default");
    const before = (await pods.list()).items.map(({ metadata }) => metadata?.uid);
    const [{ data, metadata }] = (await revisions.list()).items as [ControllerRevision];
    const labels = { ...metadata!.labels, "controller-revision-hash": "copy" };
    const { ownerReferences } = metadata!;
    await revisions.create({ metadata: { name: "log-copy", labels, ownerReferences }, data, revision: 5 });
    const patch = { metadata: { labels: { changed: "yes" } } };
    await cluster.client.resource(DaemonSet).namespace("default").patch("log", { type: "merge", patch });
    await cluster.advance("1m");
    const left = (await revisions.list()).items;
    expect(left.map((each) => `${each.metadata?.name} ${each.revision}`)).toEqual(["log-copy 5"]);
    const { items } = await pods.list();
    expect(items.map((pod) => pod.metadata?.uid)).toEqual(before);
    for (const pod of items) expect(pod.metadata?.labels?.["controller-revision-hash"]).toBe("copy");
  });

  it.each([
    { strategy: "OnDelete", limit: 2, left: [1, 3, 4] },
    { strategy: "OnDelete", limit: 0, left: [1, 4] },
    { strategy: "RollingUpdate", limit: 2, left: [2, 3, 4] },
  ] as const)("keeps of 4 revisions with $strategy and a limit of $limit the revisions $left", async (row) => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster, { revisionHistoryLimit: row.limit, updateStrategy: { type: row.strategy } });
    for (const image of ["log:2", "log:3", "log:4"]) {
      await useImage(cluster, image);
      await cluster.advance("1m");
    }
    const { items } = await cluster.client.resource(ControllerRevision).namespace("default").list();
    expect(items.map(({ revision }) => revision).sort()).toEqual(row.left);
  });

  it("keeps an observed generation that a client has raised until its status changes", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster);
    const status = { observedGeneration: 30 };
    const sets = cluster.client.resource(DaemonSet).namespace("default");
    await sets.subresource("status").patch("log", { type: "merge", patch: { status } as object });
    await sets.patch("log", { type: "merge", patch: { spec: { revisionHistoryLimit: 3 } } as object });
    await cluster.advance("1m");
    expect(await readStatus(cluster)).toMatchObject({ observedGeneration: 30 });
    await useImage(cluster, "log:2");
    await cluster.advance("1m");
    expect(await readStatus(cluster)).toMatchObject({ observedGeneration: 3 });
  });

  it("leaves the pod of a deleted node to the garbage collector, and doesn't count it as misscheduled", async () => {
    await using cluster = await createTestCluster(2);
    await createSet(cluster);
    await cluster.advance("10s");
    await cluster.nodes("node-1").partition();
    await cluster.client.resource(Node).delete("node-1");
    await useImage(cluster, "log:1");
    await cluster.client
      .resource(DaemonSet)
      .namespace("default")
      .patch("log", { type: "merge", patch: { spec: { revisionHistoryLimit: 3 } } });
    await cluster.advance("10s");
    const pods = cluster.client.resource(Pod).namespace("default");
    const [left] = (await pods.list({ fieldSelector: "spec.nodeName=node-1" })).items;
    expect(left?.metadata?.deletionTimestamp).toBeUndefined();
    expect(await readStatus(cluster)).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 0 });
    await cluster.advance("1m");
    expect(await placed(cluster)).toEqual(["node-2 log:1"]);
  });

  it("creates pods on new nodes although the server refuses to delete one", async () => {
    await using cluster = await createTestCluster(1);
    await createSet(cluster, { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } });
    await cluster.advance("10s");
    cluster.server.faults.add({ match: { verb: "delete", resource: "pods" }, effect: { type: "status", code: 403 } });
    await useImage(cluster, "log:2");
    await cluster.advance("10s");
    await cluster.client.resource(Node).create({ metadata: { name: "late" } });
    await cluster.advance("1m");
    expect((await cluster.client.resource(Pod).namespace("default").list()).items).toHaveLength(2);
  });
});
