import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../../../src/cluster/is-available.js";
import { StatefulSet } from "../../../../../src/kinds/apps/v1.js";
import {
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  Pod,
  ResourceQuota,
} from "../../../../../src/kinds/core/v1.js";
import { StorageClass, VolumeAttributesClass } from "../../../../../src/kinds/storage/v1.js";

async function start(): Promise<Cluster> {
  return await createCluster({ nodes: 2, time: "virtual", seed: 1 });
}

const requests = { storage: "1Gi" };
const claimSpec: PersistentVolumeClaimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests } };

async function createClaim(cluster: Cluster, spec: PersistentVolumeClaimSpec = claimSpec): Promise<void> {
  const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
  await claims.create({ metadata: { name: "data" }, spec });
  await cluster.settled();
}

async function createVolume(cluster: Cluster, name: string, storage: string, more: object = {}): Promise<void> {
  await cluster.client.resource(PersistentVolume).create({
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
      storageClassName: "",
      ...more,
    },
  });
  await cluster.settled();
}

async function createPod(cluster: Cluster): Promise<void> {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const containers = [{ name: "main", image: "db:1" }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "db" }, spec: { containers, volumes } });
  await cluster.settled();
}

async function claim(cluster: Cluster): Promise<string> {
  const { spec, status } = await cluster.client.resource(PersistentVolumeClaim).namespace("default").get("data");
  return [status?.phase, spec?.storageClassName ?? "none", spec?.volumeName?.replace(/^pvc-.*/, "provisioned")]
    .join(" ")
    .trim();
}

async function volumes(cluster: Cluster): Promise<string[]> {
  await cluster.settled();
  const { items } = await cluster.client.resource(PersistentVolume).list();
  return items.map(({ metadata, status }) => `${metadata!.name!.replace(/^pvc-.*/, "provisioned")} ${status?.phase}`);
}

describe("a PersistentVolumeClaim", () => {
  it("without a class waits for its first pod, and gets a volume on the pod's node", async () => {
    await using cluster = await start();
    await createClaim(cluster);
    expect(await claim(cluster)).toBe("Pending standard");
    expect((await cluster.events("default/data")).map(({ reason }) => reason)).toContain("WaitForFirstConsumer");
    await createPod(cluster);
    expect(await claim(cluster)).toBe("Bound standard provisioned");
    expect(await volumes(cluster)).toEqual(["provisioned Bound"]);
    const [volume] = (await cluster.client.resource(PersistentVolume).list()).items;
    const { spec, status } = await cluster.client.resource(Pod).namespace("default").get("db");
    expect(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values).toEqual([
      spec!.nodeName,
    ]);
    expect(status?.phase).toBe("Running");
  });

  it("of an immediate class gets a volume at once", async () => {
    await using cluster = await start();
    await cluster.client.resource(StorageClass).create({ metadata: { name: "fast" }, provisioner: "example.com/fast" });
    await createClaim(cluster, { ...claimSpec, storageClassName: "fast" });
    expect(await claim(cluster)).toBe("Bound fast provisioned");
  });

  it("names its provisioner in annotations and an event before its volume is created", async () => {
    await using cluster = await start();
    await cluster.client.resource(StorageClass).create({ metadata: { name: "fast" }, provisioner: "example.com/fast" });
    await createClaim(cluster, { ...claimSpec, storageClassName: "fast" });
    const { metadata } = await cluster.client.resource(PersistentVolumeClaim).namespace("default").get("data");
    expect(metadata?.annotations).toEqual({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/fast",
      "volume.kubernetes.io/storage-provisioner": "example.com/fast",
    });
    const events = await cluster.events("default/data");
    expect(events.map(({ reason, count }) => `${reason} ${count}`)).toEqual([
      "ExternalProvisioning 1",
      "ProvisioningSucceeded 1",
    ]);
  });

  it("gets the smallest volume that is large enough", async () => {
    await using cluster = await start();
    await createVolume(cluster, "small", "500Mi");
    await createVolume(cluster, "large", "100Gi");
    await createVolume(cluster, "right", "2Gi");
    await createVolume(cluster, "shared", "1Gi", { accessModes: ["ReadOnlyMany"] });
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    expect(await claim(cluster)).toBe("Bound  right");
    expect(await volumes(cluster)).toEqual(["large Available", "right Bound", "shared Available", "small Available"]);
  });

  it("gets the volume that is reserved for it also if that is of another class", async () => {
    await using cluster = await start();
    const claimRef = { namespace: "default", name: "data" };
    await createVolume(cluster, "reserved", "1Gi", { claimRef, storageClassName: "other" });
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    expect(await claim(cluster)).toBe("Bound  reserved");
  });

  it("without a fitting volume waits until there is one", async () => {
    await using cluster = await start();
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    expect(await claim(cluster)).toBe("Pending");
    expect((await cluster.events("default/data")).map(({ reason }) => reason)).toContain("FailedBinding");
    await createVolume(cluster, "late", "1Gi");
    expect(await claim(cluster)).toBe("Bound  late");
  });

  it("gets the volume that is reserved for it, and only that one", async () => {
    await using cluster = await start();
    await createVolume(cluster, "reserved", "9Gi", { claimRef: { namespace: "default", name: "data" } });
    await createVolume(cluster, "free", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    expect(await claim(cluster)).toBe("Bound  reserved");
    expect(await volumes(cluster)).toEqual(["free Available", "reserved Bound"]);
  });
});

describe("a PersistentVolume whose claim is deleted", () => {
  const csi = { hostPath: null, csi: { driver: "example.com", volumeHandle: "v" } };
  const rows: readonly [source: string, policy: string, spec: object, left: string[], message?: string][] = [
    ["hostPath", "Retain", {}, ["v Released"]],
    ["hostPath in /tmp", "Delete", { hostPath: { path: "/tmp/v" } }, []],
    [
      "hostPath elsewhere",
      "Delete",
      {},
      ["v Failed"],
      "VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /data",
    ],
    ["csi", "Delete", csi, ["v Released"]],
    [
      "nfs",
      "Delete",
      { hostPath: null, nfs: { server: "nfs", path: "/" } },
      ["v Failed"],
      'VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    ["hostPath", "Recycle", {}, ["v Available"], "VolumeRecycled: Volume recycled"],
    ["csi", "Recycle", csi, ["v Failed"], "VolumeFailedRecycle: No recycler plugin found for the volume!"],
  ];
  it.each(rows)("of the source %s with the policy %s", async (_, policy, spec, left, message) => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi", { persistentVolumeReclaimPolicy: policy, ...spec });
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    expect(await volumes(cluster)).toEqual(["v Bound"]);
    await cluster.client.resource(PersistentVolumeClaim).namespace("default").delete("data");
    expect(await volumes(cluster)).toEqual(left);
    const events = (await cluster.events("v")).map((event) => `${event.reason}: ${event.message}`);
    expect(events).toEqual(message === undefined ? [] : [message]);
  });
});

describe("a PersistentVolumeClaim whose volume changes", () => {
  it("is lost when the volume is reserved for another claim", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    const handle = cluster.client.resource(PersistentVolume);
    const claimRef = { name: "other", uid: null };
    await handle.patch("v", { type: "merge", patch: { spec: { claimRef } } as object });
    expect(await volumes(cluster)).toEqual(["v Available"]);
    expect(await claim(cluster)).toBe("Lost  v");
    expect((await cluster.events("default/data")).map(({ reason }) => reason)).toContain("ClaimMisbound");
  });

  it("doesn't get the volume that it names while another claim has it reserved", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi", { claimRef: { namespace: "default", name: "other" } });
    await createClaim(cluster, { ...claimSpec, storageClassName: "", volumeName: "v" });
    expect(await claim(cluster)).toBe("Pending  v");
    const [event] = await cluster.events("default/data");
    expect(event?.message).toBe('volume "v" already bound to a different claim.');
  });

  it("releases a second volume that was bound to it", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    const { metadata } = await cluster.client.resource(PersistentVolumeClaim).namespace("default").get("data");
    const claimRef = { namespace: "default", name: "data", uid: metadata!.uid! };
    await createVolume(cluster, "second", "1Gi", { claimRef });
    expect(await volumes(cluster)).toEqual(["second Available", "v Bound"]);
    expect((await cluster.client.resource(PersistentVolume).get("second")).spec?.claimRef?.uid).toBeUndefined();
  });

  it("clears the message of a phase that ends", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi");
    const handle = cluster.client.resource(PersistentVolume).subresource("status");
    await handle.patch("v", { type: "merge", patch: { status: { phase: "Failed", message: "by hand" } } });
    await cluster.settled();
    const { status } = await cluster.client.resource(PersistentVolume).get("v");
    expect([status?.phase, status?.message]).toEqual(["Available", undefined]);
  });
});

it("a deleted claim stays until the pod that used it is gone, also after the pod has ended", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1, images: { "task:*": { run: () => 0 } } });
  const { client } = cluster;
  await createClaim(cluster);
  const pods = client.resource(Pod).namespace("default");
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const containers = [{ name: "main", image: "task:1" }];
  await pods.create({ metadata: { name: "task" }, spec: { restartPolicy: "Never", containers, volumes } });
  await cluster.until(Pod, "default/task", (pod) => pod?.status?.phase === "Succeeded");
  const claims = client.resource(PersistentVolumeClaim).namespace("default");
  await claims.delete("data");
  await cluster.advance("1m");
  expect((await claims.get("data")).metadata?.deletionTimestamp).toBeDefined();
  await pods.delete("task");
  await cluster.settled();
  expect(await claims.getOptional("data")).toBeUndefined();
});

it("a deleted claim of an ephemeral volume goes before its ended pod if a finalizer keeps the pod", async () => {
  await using cluster = await start();
  const pods = cluster.client.resource(Pod).namespace("default");
  const ephemeral = { volumeClaimTemplate: { spec: claimSpec } };
  const volumes = [{ name: "data", ephemeral }];
  const spec = { containers: [{ name: "main", image: "db:1" }], volumes };
  await pods.create({ metadata: { name: "db", finalizers: ["example.com/hold"] }, spec });
  await cluster.settled();
  const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
  await claims.delete("db-data");
  await cluster.settled();
  expect(await claims.getOptional("db-data")).toBeDefined();
  await pods.delete("db");
  await cluster.advance("1m");
  expect((await pods.get("db")).metadata?.deletionGracePeriodSeconds).toBe(0);
  expect(await claims.getOptional("db-data")).toBeUndefined();
});

it("a StatefulSet with claim templates becomes available, and an ephemeral volume goes with its pod", async () => {
  await using cluster = await start();
  const labels = { app: "db" };
  const ephemeral = { volumeClaimTemplate: { spec: claimSpec } };
  const podSpec = { containers: [{ name: "main", image: "db:1" }], volumes: [{ name: "scratch", ephemeral }] };
  const spec = {
    replicas: 2,
    serviceName: "db",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }],
  };
  await cluster.client
    .resource(StatefulSet)
    .namespace("default")
    .create({ metadata: { name: "db" }, spec });
  await cluster.until(StatefulSet, "default/db", isAvailable);
  const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
  const names = async (): Promise<string[]> => (await claims.list()).items.map(({ metadata }) => metadata!.name!);
  expect(await names()).toEqual(["data-db-0", "data-db-1", "db-0-scratch", "db-1-scratch"]);
  await cluster.client.resource(StatefulSet).namespace("default").delete("db");
  await cluster.advance("2m");
  expect(await names()).toEqual(["data-db-0", "data-db-1"]);
});

it("a pod reports why the server refuses the claim of its ephemeral volume", async () => {
  await using cluster = await start();
  const hard = { persistentvolumeclaims: "0" };
  await cluster.client
    .resource(ResourceQuota)
    .namespace("default")
    .create({ metadata: { name: "q" }, spec: { hard } });
  await cluster.settled();
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }];
  const containers = [{ name: "main", image: "db:1" }];
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "db" }, spec: { containers, volumes } });
  await cluster.advance("1s");
  const failures = (await cluster.events("default/db")).filter(({ reason }) => reason === "FailedBinding");
  expect(failures.map(({ message }) => message)).toEqual([
    'ephemeral volume scratch: create PVC db-scratch: persistentvolumeclaims "db-scratch" is forbidden: exceeded quota: q, ' +
      "requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0",
  ]);
});

it("a claim gets its attributes class with its volume, also with a provisioned one", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client
    .resource(VolumeAttributesClass)
    .create({ metadata: { name: "gold" }, driverName: "example.com", parameters: { iops: "1" } });
  await client.resource(StorageClass).create({ metadata: { name: "disk" }, provisioner: "example.com/disk" });
  await createClaim(cluster, { ...claimSpec, storageClassName: "disk", volumeAttributesClassName: "gold" });
  const [volume] = (await client.resource(PersistentVolume).list()).items;
  expect(volume?.spec?.volumeAttributesClassName).toBe("gold");
  const { status } = await client.resource(PersistentVolumeClaim).namespace("default").get("data");
  expect(status).toMatchObject({ phase: "Bound", currentVolumeAttributesClassName: "gold" });
});

describe("a bound claim", () => {
  it("keeps its capacity if the one of its volume changes", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    const patch = { spec: { capacity: { storage: "5Gi" } } };
    await cluster.client.resource(PersistentVolume).patch("v", { type: "merge", patch });
    await cluster.settled();
    const { status } = await cluster.client.resource(PersistentVolumeClaim).namespace("default").get("data");
    expect(status).toMatchObject({ phase: "Bound", capacity: { storage: "1Gi" } });
  });

  const reasonsOf = async (cluster: Cluster): Promise<(string | undefined)[]> =>
    (await cluster.events("default/data")).map(({ reason }) => reason);
  const grow = async (cluster: Cluster, storage: string): Promise<string | undefined> => {
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.patch("data", { type: "merge", patch: { spec: { resources: { requests: { storage } } } } });
    await cluster.settled();
    return (await claims.get("data")).status?.capacity?.["storage"];
  };

  it("of a provisioned volume gets the space that it requests later", async () => {
    await using cluster = await start();
    const storageClass = { metadata: { name: "disk" }, provisioner: "example.com/disk", allowVolumeExpansion: true };
    await cluster.client.resource(StorageClass).create(storageClass);
    await createClaim(cluster, { ...claimSpec, storageClassName: "disk" });
    expect(await grow(cluster, "3Gi")).toBe("3Gi");
    const [volume] = (await cluster.client.resource(PersistentVolume).list()).items;
    expect(volume?.spec?.capacity).toEqual({ storage: "3Gi" });
    expect(await reasonsOf(cluster)).toEqual(
      expect.arrayContaining(["ProvisioningSucceeded", "ExternalExpanding", "VolumeResizeSuccessful"]),
    );
  });

  it("of another volume waits for a controller of its driver", async () => {
    await using cluster = await start();
    const storageClass = {
      metadata: { name: "local" },
      provisioner: "kubernetes.io/no-provisioner",
      allowVolumeExpansion: true,
    };
    await cluster.client.resource(StorageClass).create(storageClass);
    await createVolume(cluster, "v", "1Gi", { storageClassName: "local" });
    await createClaim(cluster, { ...claimSpec, storageClassName: "local" });
    expect(await grow(cluster, "3Gi")).toBe("1Gi");
    expect(await reasonsOf(cluster)).toEqual(["ExternalExpanding"]);
  });

  it("reports that its volume is gone", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    const volumes = cluster.client.resource(PersistentVolume);
    await volumes.delete("v");
    await volumes.patch("v", { type: "merge", patch: { metadata: { finalizers: null } } });
    await cluster.settled();
    expect(await reasonsOf(cluster)).toEqual(["ClaimLost"]);
    expect(await claim(cluster)).toBe("Lost  v");
  });
});

describe("a claim that its pod can't use", () => {
  const local = { metadata: { name: "local" }, provisioner: "kubernetes.io/no-provisioner" };
  const messagesOf = async (cluster: Cluster, name: string): Promise<string[]> =>
    (await cluster.events(name)).map(({ reason, message }) => `${reason}: ${message}`);

  it("waits for the pod after 15 seconds in which no node has a volume for it", async () => {
    await using cluster = await start();
    await cluster.client.resource(StorageClass).create({ ...local, volumeBindingMode: "WaitForFirstConsumer" });
    await createClaim(cluster, { ...claimSpec, storageClassName: "local" });
    await createPod(cluster);
    await cluster.advance("20s");
    expect(await messagesOf(cluster, "default/data")).toEqual([
      "WaitForFirstConsumer: waiting for first consumer to be created before binding",
      "WaitForPodScheduled: waiting for pod db to be scheduled",
    ]);
    await createVolume(cluster, "v", "1Gi", { storageClassName: "local" });
    expect(await claim(cluster)).toBe("Bound local v");
    const volume = await cluster.client.resource(PersistentVolume).get("v");
    expect(volume.metadata?.annotations).toMatchObject({ "pv.kubernetes.io/bound-by-controller": "yes" });
  });

  it("that names the volume of another claim says so", async () => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi", { claimRef: { namespace: "default", name: "other", uid: "1" } });
    await createClaim(cluster, { ...claimSpec, storageClassName: "", volumeName: "v" });
    expect(await messagesOf(cluster, "default/data")).toEqual([
      'FailedBinding: volume "v" already bound to a different claim.',
    ]);
  });

  const mismatches: readonly [what: string, spec: Partial<PersistentVolumeClaimSpec>, problem: string][] = [
    ["is too small", { resources: { requests: { storage: "2Gi" } } }, "requested PV is too small"],
    ["is of another class", { storageClassName: "other" }, "storageClassName does not match"],
    ["has other access modes", { accessModes: ["ReadWriteMany"] }, "incompatible accessMode"],
    ["has another mode", { volumeMode: "Block" }, "incompatible volumeMode"],
    ["has other attributes", { volumeAttributesClassName: "gold" }, "volumeAttributesClassName does not match"],
  ];
  it.each(mismatches)("that names a volume that %s says so", async (_, spec, problem) => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "", volumeName: "v", ...spec });
    expect(await messagesOf(cluster, "default/data")).toEqual([
      `VolumeMismatch: Cannot bind to requested volume "v": ${problem}`,
    ]);
    expect(await volumes(cluster)).toEqual(["v Available"]);
  });

  it.each([
    ["another claim has its volume", "v", "ClaimMisbound"],
    ["its volume is missing", "w", "ClaimLost"],
  ])("because it was restored although %s is lost", async (_, volumeName, reason) => {
    await using cluster = await start();
    await createVolume(cluster, "v", "1Gi", { claimRef: { namespace: "default", name: "other", uid: "1" } });
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create({ metadata: { name: "data", annotations }, spec: { ...claimSpec, volumeName } });
    await cluster.settled();
    expect((await claims.get("data")).status?.phase).toBe("Lost");
    expect((await cluster.events("default/data")).map((event) => event.reason)).toEqual([reason]);
  });

  it("that has the name of its ephemeral volume's claim keeps it unscheduled", async () => {
    await using cluster = await start();
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create({ metadata: { name: "db-data" }, spec: { ...claimSpec, storageClassName: "" } });
    const volumes = [{ name: "data", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }];
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .create({ metadata: { name: "db" }, spec: { containers: [{ name: "main", image: "db:1" }], volumes } });
    await cluster.settled();
    const problem = "PVC default/db-data was not created for pod default/db (pod is not owner)";
    expect(await messagesOf(cluster, "default/db")).toEqual(
      expect.arrayContaining([
        `FailedBinding: ephemeral volume data: ${problem}`,
        `FailedScheduling: 0/2 nodes are available: ${problem}. not found`,
      ]),
    );
    // The pod isn't on a node and doesn't use the claim, so the claim goes, and the pod gets one of its own.
    await claims.delete("db-data");
    await cluster.advance("1m");
    expect((await claims.get("db-data")).metadata?.ownerReferences?.[0]?.name).toBe("db");
  });
});

it("a deleted VolumeAttributesClass stays until no claim and no volume uses it", async () => {
  await using cluster = await start();
  const classes = cluster.client.resource(VolumeAttributesClass);
  for (const name of ["gold", "silver"])
    await classes.create({ metadata: { name }, driverName: "example.com", parameters: { iops: "1" } });
  const csi = { driver: "example.com", volumeHandle: "v" };
  await createVolume(cluster, "v", "1Gi", { csi, hostPath: undefined, volumeAttributesClassName: "gold" });
  await createClaim(cluster, { ...claimSpec, storageClassName: "none", volumeAttributesClassName: "gold" });
  const left = async (): Promise<unknown[]> => {
    await cluster.settled();
    return (await classes.list()).items.map(({ metadata }) => metadata!.name);
  };
  await classes.delete("silver");
  await classes.delete("gold");
  expect(await left()).toEqual(["gold"]);
  await cluster.client.resource(PersistentVolumeClaim).namespace("default").delete("data");
  expect(await left()).toEqual(["gold"]);
  await cluster.client.resource(PersistentVolume).delete("v");
  expect(await left()).toEqual([]);
});

describe("the finalizer that protects storage in use", () => {
  it.each([
    { kind: "PersistentVolumeClaim", finalizer: "kubernetes.io/pvc-protection" },
    { kind: "PersistentVolume", finalizer: "kubernetes.io/pv-protection" },
  ])("is added again after it was taken from a $kind", async ({ kind, finalizer }) => {
    await using cluster = await start();
    await createVolume(cluster, "data", "1Gi");
    await createClaim(cluster, { ...claimSpec, storageClassName: "" });
    const handle =
      kind === "PersistentVolume"
        ? cluster.client.resource(PersistentVolume)
        : cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await handle.patch("data", { type: "merge", patch: { metadata: { finalizers: null } } });
    await cluster.settled();
    expect((await handle.get("data")).metadata?.finalizers).toEqual([finalizer]);
  });
});
