import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { NodeTemplate } from "../../../../src/cluster/nodes/node-agent.js";
import type { Log } from "../../../../src/controller/reconcile/controller-log.js";
import {
  Event,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
} from "../../../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../../../src/kinds/policy/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { CSIDriver, CSIStorageCapacity, StorageClass } from "../../../../src/kinds/storage/v1.js";

async function start(nodes: number | readonly NodeTemplate[], log?: Log) {
  const cluster = await createCluster({ nodes, time: "virtual", seed: 1, controllers: [], log });
  const pods = cluster.client.resource(Pod).namespace("default");
  const create = async (name: string, spec: Partial<PodSpec> = {}, cpu?: string): Promise<Pod> => {
    const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
    const containers = [{ name: "main", image: "web:1", ...resources }];
    await pods.create({ metadata: { name, labels: { app: name } }, spec: { containers, ...spec } });
    await cluster.settled();
    return pods.get(name);
  };
  return { cluster, pods, create };
}

function scheduled({ status }: Pod): string {
  const { status: value, reason = "", message = "" } = status!.conditions!.find(({ type }) => type === "PodScheduled")!;
  return `${value} ${reason} ${message}`.trim();
}

async function notes(cluster: Cluster, reason: string): Promise<string[]> {
  const { items } = await cluster.client.resource(Event).list();
  return items.filter((event) => event.reason === reason).map(({ message }) => message!);
}

const small: NodeTemplate = { name: "small", capacity: { cpu: "2" } };

describe("scheduler of a cluster", () => {
  it("assigns a pod and records it", async () => {
    const { cluster, create } = await start(1);
    await using _ = cluster;
    expect((await create("web")).spec?.nodeName).toBe("node-1");
    expect(await notes(cluster, "Scheduled")).toEqual(["Successfully assigned default/web to node-1"]);
  });

  it("explains with upstream's words why a pod fits on no node", async () => {
    const { cluster, create } = await start([
      small,
      { name: "gpu", taints: [{ key: "gpu", effect: "NoSchedule" }] },
      { name: "medium", capacity: { cpu: "4" } },
    ]);
    await using _ = cluster;
    const message =
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. " +
      "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
    expect(scheduled(await create("web", {}, "6"))).toBe(`False Unschedulable ${message}`);
    expect(await notes(cluster, "FailedScheduling")).toEqual([message]);
  });

  it("tries a pod during its back-off when no other pod waits for its turn", async () => {
    const { cluster, pods, create } = await start([small]);
    await using _ = cluster;
    await create("filler", {}, "1500m");
    for (const name of ["a", "b", "c", "d", "e"]) await create(name, {}, "1m");
    await create("web", {}, "1");
    // Each of the first five makes the back-off longer.
    for (const name of ["a", "b", "c", "d", "e", "filler"]) {
      await pods.delete(name, { gracePeriodSeconds: 0 });
      await cluster.settled();
    }
    expect((await pods.get("web")).spec?.nodeName).toBe("small");
  });

  it("doesn't try a pending pod again after a cordon, so that it fits at once when the node is back", async () => {
    const { cluster, create, pods } = await start([small]);
    await using _ = cluster;
    await create("first", {}, "2");
    await create("second", {}, "2");
    const tries = (await notes(cluster, "FailedScheduling")).length;
    const nodes = cluster.client.resource(Node);
    await nodes.patch("small", { type: "merge", patch: { spec: { unschedulable: true } } });
    await cluster.advance("30s");
    expect(await notes(cluster, "FailedScheduling")).toHaveLength(tries);
    await nodes.patch("small", { type: "merge", patch: { spec: { unschedulable: false } } });
    await pods.delete("first", { gracePeriodSeconds: 0 });
    await cluster.advance("2s");
    expect((await pods.get("second")).spec?.nodeName).toBe("small");
  });

  it("looks only at the node that the affinity of a pod names", async () => {
    const { cluster, create } = await start([small, { name: "gpu", taints: [{ key: "gpu", effect: "NoSchedule" }] }]);
    await using _ = cluster;
    const named = (name: string): object => ({
      matchFields: [{ key: "metadata.name", operator: "In", values: [name] }],
    });
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [named("small") as never] },
      },
    };
    expect(scheduled(await create("large", { affinity }, "6"))).toMatch(
      /^False Unschedulable 0\/2 nodes are available: 1 Insufficient cpu, 1 node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\]\. /,
    );
    expect((await create("web", { affinity }, "1")).spec?.nodeName).toBe("small");
  });

  it("records another event when a pod stays pending for another reason", async () => {
    const { cluster, create } = await start([small]);
    await using _ = cluster;
    await create("web", {}, "6");
    await cluster.client.resource(Node).patch("small", { type: "merge", patch: { spec: { unschedulable: true } } });
    await cluster.advance("10m");
    const reasons = (await notes(cluster, "FailedScheduling")).map((message) => message.split(". ")[0]);
    expect([...new Set(reasons)]).toEqual([
      "0/1 nodes are available: 1 Insufficient cpu",
      "0/1 nodes are available: 1 node(s) were unschedulable",
    ]);
  });

  it("reports that the cluster has no nodes, and schedules when one joins", async () => {
    const { cluster, create, pods } = await start(0);
    await using _ = cluster;
    expect(scheduled(await create("web"))).toBe("False Unschedulable no nodes available to schedule pods");
    const nodes = cluster.client.resource(Node);
    const status = { allocatable: { cpu: "1", memory: "1Gi", pods: "10" }, capacity: {} };
    await nodes.create({ metadata: { name: "new" } });
    await nodes.subresource("status").patch("new", { type: "merge", patch: { status } });
    await nodes.patch("new", { type: "merge", patch: { spec: { taints: null } } as never });
    await cluster.advance("2s");
    expect((await pods.get("web")).spec?.nodeName).toBe("new");
  });

  it("tries a pod again when another one has freed its resources", async () => {
    const { cluster, create, pods } = await start([small]);
    await using _ = cluster;
    await create("first", {}, "2");
    expect(scheduled(await create("second", {}, "1"))).toMatch(/1 Insufficient cpu.*No preemption victims found/);
    await cluster.advance("10s");
    await pods.delete("first");
    await cluster.settled();
    expect((await pods.get("second")).spec?.nodeName).toBe("small");
  });

  it("doesn't try a pod again after a change that doesn't help the plugin that rejected it", async () => {
    const { cluster, pods, create } = await start([{ ...small, labels: { disk: "ssd" } }]);
    await using _ = cluster;
    const message = scheduled(await create("web", { nodeSelector: { disk: "ssd" } }, "4"));
    expect(message).toContain("1 Insufficient cpu");
    const patch = { metadata: { labels: { disk: "hdd" } } };
    await cluster.client.resource(Node).patch("small", { type: "merge", patch });
    await cluster.advance("1m");
    expect(scheduled(await pods.get("web"))).toBe(message);
  });

  it("tries a pod again when another one that is nominated for its node ends", async () => {
    const { cluster, pods, create } = await start([small]);
    await using _ = cluster;
    await create("nominated", { nodeSelector: { disk: "ssd" } }, "2");
    const patch = { status: { nominatedNodeName: "small" } };
    await pods.subresource("status").patch("nominated", { type: "merge", patch });
    expect(scheduled(await create("web", {}, "2"))).toContain("1 Insufficient cpu");
    await pods.delete("nominated", { gracePeriodSeconds: 0 });
    await cluster.advance("2s");
    expect((await pods.get("web")).spec?.nodeName).toBe("small");
  });

  it("waits for scheduling gates", async () => {
    const { cluster, create, pods } = await start(1);
    await using _ = cluster;
    const gated = await create("web", { schedulingGates: [{ name: "example.com/quota" }] });
    expect(scheduled(gated)).toMatch(/^False SchedulingGated/);
    await cluster.advance("1m");
    expect((await pods.get("web")).spec?.nodeName).toBeUndefined();
    await pods.patch("web", { type: "merge", patch: { spec: { schedulingGates: null } } as never });
    await cluster.settled();
    expect((await pods.get("web")).spec?.nodeName).toBe("node-1");
  });

  it("schedules pods of a higher priority first", async () => {
    const { cluster, create, pods } = await start([small]);
    await using _ = cluster;
    const classes = cluster.client.resource(PriorityClass);
    await classes.create({ metadata: { name: "high" }, value: 1_000 });
    await classes.create({ metadata: { name: "low" }, value: 10, preemptionPolicy: "Never" });
    await create("first", { priorityClassName: "high" }, "2");
    await create("low", { priorityClassName: "low" }, "2");
    await create("high", { priorityClassName: "high" }, "2");
    await cluster.advance("1m");
    await pods.delete("first");
    await cluster.advance("20s");
    expect((await pods.get("high")).spec?.nodeName).toBe("small");
    expect((await pods.get("low")).spec?.nodeName).toBeUndefined();
  });

  it("preempts the least important pods, and none that a budget protects if it can", async () => {
    const { cluster, create, pods } = await start([
      { name: "a", capacity: { cpu: "2" } },
      { name: "b", capacity: { cpu: "2" } },
    ]);
    await using _ = cluster;
    await cluster.client.resource(PriorityClass).create({ metadata: { name: "high" }, value: 1_000 });
    const budgets = cluster.client.resource(PodDisruptionBudget).namespace("default");
    await create("one", { nodeSelector: { "kubernetes.io/hostname": "a" } }, "2");
    await create("two", { nodeSelector: { "kubernetes.io/hostname": "b" } }, "2");
    await budgets.create({
      metadata: { name: "one" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "one" } } },
    });
    await create("urgent", { priorityClassName: "high" }, "1");
    await cluster.advance("20s");
    expect((await pods.get("urgent")).spec?.nodeName).toBe("b");
    expect((await pods.list()).items.map(({ metadata }) => metadata!.name)).toEqual(["one", "urgent"]);
    const { uid } = (await pods.get("urgent")).metadata!;
    expect(await notes(cluster, "Preempted")).toEqual([`Preempted by pod ${uid!} on node b`]);
  });

  it("reports that a pod whose class never preempts waits", async () => {
    const { cluster, create } = await start([small]);
    await using _ = cluster;
    await cluster.client
      .resource(PriorityClass)
      .create({ metadata: { name: "polite" }, value: 9, preemptionPolicy: "Never" });
    await create("first", {}, "2");
    expect(scheduled(await create("second", { priorityClassName: "polite" }, "2"))).toBe(
      "False Unschedulable 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
    );
  });

  it("spreads pods that differ in nothing over the nodes", async () => {
    const { cluster, create } = await start(3);
    await using _ = cluster;
    const nodes: string[] = [];
    for (let index = 0; index < 6; index++) nodes.push((await create(`web-${index}`, {}, "1")).spec!.nodeName!);
    expect(nodes.slice().sort()).toEqual(["node-1", "node-1", "node-2", "node-2", "node-3", "node-3"]);
  });
});

describe("volumes of a pod to schedule", () => {
  const claim = (storageClassName: string): PersistentVolumeClaim => ({
    metadata: { name: "data" },
    spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];

  it("must exist, and be bound if their class binds at once", async () => {
    const { cluster, create } = await start(1);
    await using _ = cluster;
    expect(scheduled(await create("web", { volumes }))).toMatch(
      'False Unschedulable 0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
    );
    await cluster.client.resource(PersistentVolumeClaim).namespace("default").create(claim("now"));
    await cluster.advance("2s");
    const other = await create("other", { volumes });
    expect(scheduled(other)).toMatch("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.");
  });

  it("decide the node by their affinity, and are reserved for the pod", async () => {
    const { cluster, create, pods } = await start(3);
    await using _ = cluster;
    await cluster.client.resource(StorageClass).create({
      metadata: { name: "local" },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const required = {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-3"] }] },
      ],
    };
    const persistent = cluster.client.resource(PersistentVolume);
    await persistent.create({
      metadata: { name: "disk" },
      spec: {
        storageClassName: "local",
        capacity: { storage: "5Gi" },
        accessModes: ["ReadWriteOnce"],
        local: { path: "/mnt/disk" },
        nodeAffinity: { required },
      },
    } as never);
    await persistent.subresource("status").patch("disk", { type: "merge", patch: { status: { phase: "Available" } } });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create(claim("local"));
    await create("web", { volumes });
    expect((await persistent.get("disk")).spec?.claimRef?.name).toBe("data");
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    await claims.patch("data", {
      type: "merge",
      patch: { metadata: { annotations }, spec: { volumeName: "disk" } } as never,
    });
    await claims.subresource("status").patch("data", { type: "merge", patch: { status: { phase: "Bound" } } });
    await cluster.advance("2s");
    expect((await pods.get("web")).spec?.nodeName).toBe("node-3");
  });

  it("are used by one pod if the claim says so, on any node", async () => {
    const { cluster, create } = await start(3);
    await using _ = cluster;
    const { spec } = claim("");
    const own = { ...spec, accessModes: ["ReadWriteOncePod" as const], volumeName: "disk" };
    const capacity = { storage: "1Gi" };
    const disk = { storageClassName: "", capacity, accessModes: own.accessModes, nfs: { server: "nfs", path: "/" } };
    await cluster.client.resource(PersistentVolume).create({ metadata: { name: "disk" }, spec: disk });
    await cluster.client
      .resource(PersistentVolumeClaim)
      .namespace("default")
      .create({ metadata: { name: "data", annotations: { "pv.kubernetes.io/bind-completed": "yes" } }, spec: own });
    expect((await create("first", { volumes })).spec?.nodeName).toBeDefined();
    expect(scheduled(await create("second", { volumes }))).toBe(
      "False Unschedulable 0/3 nodes are available: 3 node(s) unavailable due to PersistentVolumeClaim with " +
        "ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, preemption: " +
        "0/3 nodes are available: 3 No preemption victims found for incoming pod.",
    );
  });

  it("are provisioned for the node that the scheduler has chosen", async () => {
    const { cluster, create } = await start(1);
    await using _ = cluster;
    await cluster.client.resource(StorageClass).create({
      metadata: { name: "cloud" },
      provisioner: "example.com/disk",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create(claim("cloud"));
    await create("web", { volumes });
    expect((await claims.get("data")).metadata?.annotations?.["volume.kubernetes.io/selected-node"]).toBe("node-1");
  });

  it("are tried again after a failure, which the pod reports", async () => {
    const { cluster, create } = await start(1);
    await using _ = cluster;
    await cluster.client.resource(StorageClass).create({
      metadata: { name: "cloud" },
      provisioner: "example.com/disk",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create(claim("cloud"));
    const match = { verb: "patch", resource: "persistentvolumeclaims" } as const;
    cluster.server.faults.add({ match, effect: { type: "status", code: 500 }, times: 1 });
    expect(scheduled(await create("web", { volumes }))).toMatch(
      'False SchedulerError running PreBind plugin "VolumeBinding": binding volumes: ',
    );
    expect((await claims.get("data")).metadata?.annotations).toBeUndefined();
    await cluster.advance("5s");
    expect((await claims.get("data")).metadata?.annotations?.["volume.kubernetes.io/selected-node"]).toBe("node-1");
  });

  it("are tried again after their driver gives up, and when it reports more capacity", async () => {
    const { cluster, create, pods } = await start(1);
    await using _ = cluster;
    const { client } = cluster;
    await client.resource(StorageClass).create({
      metadata: { name: "cloud" },
      provisioner: "disk.example.com",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    await client
      .resource(CSIDriver)
      .create({ metadata: { name: "disk.example.com" }, spec: { storageCapacity: true } });
    const claims = client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create(claim("cloud"));
    const message = "0/1 nodes are available: 1 node(s) did not have enough free storage. no new claims";
    expect(scheduled(await create("web", { volumes }))).toMatch(`False Unschedulable ${message}`);
    await client
      .resource(CSIStorageCapacity)
      .namespace("default")
      .create({ metadata: { name: "all" }, storageClassName: "cloud", nodeTopology: {}, capacity: "1Gi" });
    await cluster.advance("2s");
    const selected = "volume.kubernetes.io/selected-node";
    expect((await claims.get("data")).metadata?.annotations?.[selected]).toBe("node-1");
    expect((await pods.get("web")).status?.nominatedNodeName).toBe("node-1");
    await claims.patch("data", { type: "merge", patch: { metadata: { annotations: { [selected]: null } } } as never });
    await cluster.settled();
    expect((await pods.get("web")).status?.nominatedNodeName).toBeUndefined();
    expect(scheduled(await pods.get("web"))).toBe(
      'False SchedulerError running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
    );
    await cluster.advance("5s");
    expect((await claims.get("data")).metadata?.annotations?.[selected]).toBe("node-1");
  });
});

it("doesn't try a pod again because its claim was deleted", async () => {
  const { cluster, create } = await start(1);
  await using _ = cluster;
  const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
  const unbound = {
    storageClassName: "none",
    accessModes: ["ReadWriteOnce" as const],
    resources: { requests: { storage: "1Gi" } },
  };
  await claims.create({ metadata: { name: "data" }, spec: unbound });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const before = scheduled(await create("user", { volumes }));
  await cluster.advance("20s");
  await claims.patch("data", { type: "merge", patch: { metadata: { finalizers: null } } });
  await cluster.advance("20s");
  await claims.delete("data");
  await cluster.advance("20s");
  expect(scheduled(await cluster.client.resource(Pod).namespace("default").get("user"))).toBe(before);
  await claims.create({ metadata: { name: "data" }, spec: { ...unbound, storageClassName: "other" } });
  await cluster.advance("20s");
  expect(await notes(cluster, "FailedScheduling")).toHaveLength(2);
});
