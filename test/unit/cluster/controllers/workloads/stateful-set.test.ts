import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ControllerRevision, StatefulSet, type StatefulSetSpec } from "../../../../../src/kinds/apps/v1.js";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota } from "../../../../../src/kinds/core/v1.js";
import { Event } from "../../../../../src/kinds/events/v1.js";

const createTestCluster = (nodes = 1): Promise<Cluster> => createCluster({ nodes, time: "virtual", seed: 1 });

async function createSet(cluster: Cluster, spec: Partial<StatefulSetSpec> = {}): Promise<void> {
  await cluster.client
    .resource(StatefulSet)
    .namespace("default")
    .create({
      metadata: { name: "db" },
      spec: {
        replicas: 3,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image: "db:1" }] } },
        ...spec,
      },
    });
  await cluster.settled();
}

async function patchSet(cluster: Cluster, spec: object): Promise<void> {
  const patch = { spec };
  await cluster.client.resource(StatefulSet).namespace("default").patch("db", { type: "strategic", patch });
}

const dataClaim: PersistentVolumeClaim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

const volumeFor = (name: string): PersistentVolume => ({
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    claimRef: { namespace: "default", name },
    hostPath: { path: "/data" },
  },
});

const useImage = (image: string): object => ({ template: { spec: { containers: [{ name: "main", image }] } } });

async function readPods(cluster: Cluster): Promise<Pod[]> {
  return (await cluster.client.resource(Pod).namespace("default").list()).items;
}

/** Returns the pods as `db-0 db:1`. */
async function images(cluster: Cluster): Promise<string[]> {
  return (await readPods(cluster)).map(({ metadata, spec }) => `${metadata?.name} ${spec?.containers[0]?.image}`);
}

async function isRolledOut(cluster: Cluster): Promise<void> {
  await cluster.until(StatefulSet, "default/db", (set) => {
    const { currentRevision, updateRevision, readyReplicas } = set?.status ?? {};
    return currentRevision === updateRevision && readyReplicas === set?.spec?.replicas;
  });
}

async function podEvents(cluster: Cluster): Promise<(string | undefined)[]> {
  const { items } = await cluster.client.resource(Event).namespace("default").list();
  return items
    .filter(({ regarding }) => regarding?.kind === "StatefulSet")
    .sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1))
    .map(({ note }) => note);
}

describe("StatefulSet in a cluster", () => {
  it("creates pods with stable names one after the other", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster);
    await isRolledOut(cluster);
    const pods = await readPods(cluster);
    expect(pods.map(({ metadata, spec }) => [metadata?.name, spec?.hostname, spec?.subdomain])).toEqual(
      [0, 1, 2].map((ordinal) => [`db-${ordinal}`, `db-${ordinal}`, "db"]),
    );
    const { status } = await cluster.client.resource(StatefulSet).namespace("default").get("db");
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3, currentReplicas: 3 });
    expect(pods[1]?.metadata?.labels).toEqual({
      app: "db",
      "apps.kubernetes.io/pod-index": "1",
      "controller-revision-hash": status?.currentRevision,
      "statefulset.kubernetes.io/pod-name": "db-1",
    });
    expect(await podEvents(cluster)).toEqual([
      "Create Pod db-0 in StatefulSet db successful",
      "Create Pod db-1 in StatefulSet db successful",
      "Create Pod db-2 in StatefulSet db successful",
    ]);
  });

  it.each<["OrderedReady" | "Parallel", string[]]>([
    ["OrderedReady", ["db-0"]],
    ["Parallel", ["db-0", "db-1", "db-2"]],
  ])("with the policy %s and pods that never start has %j", async (podManagementPolicy, names) => {
    await using cluster = await createTestCluster(0);
    await createSet(cluster, { podManagementPolicy });
    await cluster.advance("10m");
    expect((await readPods(cluster)).map(({ metadata }) => metadata?.name)).toEqual(names);
  });

  it("removes the pods of the highest ordinals, and numbers them from the start that the spec names", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { ordinals: { start: 5 } });
    await isRolledOut(cluster);
    await patchSet(cluster, { replicas: 1 });
    await cluster.advance("5m");
    expect(await images(cluster)).toEqual(["db-5 db:1"]);
  });

  it("replaces its pods from the highest ordinal down when the template changes", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster);
    await isRolledOut(cluster);
    await patchSet(cluster, useImage("db:2"));
    await cluster.advance("10m");
    await isRolledOut(cluster);
    expect(await images(cluster)).toEqual(["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
    const deletions = (await podEvents(cluster)).filter((note) => note?.startsWith("Delete"));
    expect(deletions).toEqual([2, 1, 0].map((ordinal) => `Delete Pod db-${ordinal} in StatefulSet db successful`));
    const { items } = await cluster.client.resource(ControllerRevision).namespace("default").list();
    expect(items.map(({ revision }) => revision).sort()).toEqual([1, 2]);
  });

  it("keeps the pods below the partition of a rolling update, also when they are replaced", async () => {
    await using cluster = await createTestCluster();
    // The partition counts from the first ordinal.
    const updateStrategy = { type: "RollingUpdate" as const, rollingUpdate: { partition: 2 } };
    await createSet(cluster, { ordinals: { start: 3 }, updateStrategy });
    await isRolledOut(cluster);
    await patchSet(cluster, useImage("db:2"));
    await cluster.advance("5m");
    await cluster.client.resource(Pod).namespace("default").delete("db-3");
    await cluster.advance("5m");
    expect(await images(cluster)).toEqual(["db-3 db:1", "db-4 db:1", "db-5 db:2"]);
    const { status } = await cluster.client.resource(StatefulSet).namespace("default").get("db");
    expect(status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
  });

  it("replaces the last old pod of a parallel set first, whether those before it are ready or not", async () => {
    await using cluster = await createTestCluster();
    const readinessProbe = { exec: { command: ["true"] } };
    const containers = [{ name: "main", image: "db:1", readinessProbe }];
    const template = { metadata: { labels: { app: "db" } }, spec: { containers } };
    await createSet(cluster, { podManagementPolicy: "Parallel", template });
    await isRolledOut(cluster);
    await cluster.pods({ name: "db-0" }).failProbe("readiness");
    await cluster.advance("1m");
    await patchSet(cluster, useImage("db:2"));
    await isRolledOut(cluster);
    expect(await images(cluster)).toEqual(["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
  });

  it("counts a change as rolled out while it should have no pods", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { updateStrategy: { rollingUpdate: { partition: 2 } } });
    await patchSet(cluster, { replicas: 0 });
    await cluster.advance("1m");
    await patchSet(cluster, useImage("db:2"));
    await cluster.settled();
    await patchSet(cluster, { replicas: 3 });
    await isRolledOut(cluster);
    expect(await images(cluster)).toEqual(["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
  });

  it("scales down a pod that isn't available for long enough yet", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { replicas: 1, minReadySeconds: 600 });
    await cluster.advance("11m");
    await patchSet(cluster, { replicas: 2 });
    await cluster.advance("1m");
    await patchSet(cluster, { replicas: 1 });
    await cluster.advance("1m");
    expect(await images(cluster)).toEqual(["db-0 db:1"]);
  });

  it("updates with OnDelete only the pods that someone deletes", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { updateStrategy: { type: "OnDelete" } });
    await cluster.advance("1m");
    await patchSet(cluster, useImage("db:2"));
    await cluster.advance("1m");
    await cluster.client.resource(Pod).namespace("default").delete("db-1");
    await cluster.advance("5m");
    expect(await images(cluster)).toEqual(["db-0 db:1", "db-1 db:2", "db-2 db:1"]);
  });

  it("returns to the first revision when a change is taken back", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { replicas: 1 });
    await isRolledOut(cluster);
    const sets = cluster.client.resource(StatefulSet).namespace("default");
    const first = (await sets.get("db")).status?.currentRevision;
    for (const image of ["db:2", "db:1"]) {
      await patchSet(cluster, useImage(image));
      await cluster.advance("5m");
    }
    expect((await sets.get("db")).status).toMatchObject({ currentRevision: first, updateRevision: first });
    const { items } = await cluster.client.resource(ControllerRevision).namespace("default").list();
    expect(items.find(({ metadata }) => metadata?.name === first)?.revision).toBe(3);
  });

  it.each(["Retain", "Delete"] as const)(
    "creates the claims of each pod and deletes those of removed ones, with whenDeleted %s",
    async (whenDeleted) => {
      await using cluster = await createTestCluster(0);
      await createSet(cluster, {
        podManagementPolicy: "Parallel",
        replicas: 2,
        persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: "Delete" },
        volumeClaimTemplates: [dataClaim],
      });
      const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
      const names = async (): Promise<(string | undefined)[]> =>
        (await claims.list()).items.map(({ metadata }) => metadata?.name);
      expect(await names()).toEqual(["data-db-0", "data-db-1"]);
      expect((await readPods(cluster))[1]?.spec?.volumes?.[0]).toEqual({
        name: "data",
        persistentVolumeClaim: { claimName: "data-db-1" },
      });
      await patchSet(cluster, { replicas: 1 });
      await cluster.advance("1m");
      expect(await names()).toEqual(["data-db-0"]);
      const [claim] = (await claims.list()).items;
      expect(claim?.metadata?.ownerReferences?.map(({ kind, controller }) => [kind, controller])).toEqual(
        whenDeleted === "Delete" ? [["StatefulSet", true]] : undefined,
      );
    },
  );

  it("labels a pod of its name that it adopts, and waits for one that it doesn't select to go", async () => {
    await using cluster = await createTestCluster();
    const pods = cluster.client.resource(Pod).namespace("default");
    const spec = { containers: [{ name: "main", image: "db:1" }] };
    await pods.create({ metadata: { name: "db-0", labels: { app: "db" } }, spec });
    await pods.create({ metadata: { name: "db-1" }, spec });
    await createSet(cluster, { replicas: 2 });
    await cluster.advance("5m");
    expect((await pods.get("db-0")).metadata!.labels).toMatchObject({
      "statefulset.kubernetes.io/pod-name": "db-0",
      "apps.kubernetes.io/pod-index": "0",
    });
    expect(await podEvents(cluster)).toEqual(["Update Pod db-0 in StatefulSet db successful"]);
    await pods.delete("db-1");
    await cluster.advance("20m");
    expect((await pods.get("db-1")).metadata!.labels).toMatchObject({ app: "db" });
  });

  it.each(["OrderedReady", "Parallel"] as const)(
    "can't give claims to pods that it adopts with the policy %s: it says so for the first, and replaces none",
    async (podManagementPolicy) => {
      await using cluster = await createTestCluster();
      const pods = cluster.client.resource(Pod).namespace("default");
      for (const name of ["db-0", "db-1"]) {
        const spec = { containers: [{ name: "main", image: "db:0" }] };
        await pods.create({ metadata: { name, labels: { app: "db" } }, spec });
      }
      await cluster.advance("10s");
      await createSet(cluster, { replicas: 2, podManagementPolicy, volumeClaimTemplates: [dataClaim] });
      await cluster.advance("1m");
      expect(await images(cluster)).toEqual(["db-0 db:0", "db-1 db:0"]);
      const claims = await cluster.client.resource(PersistentVolumeClaim).namespace("default").list();
      expect(claims.items.map(({ metadata }) => metadata?.name)).toEqual(["data-db-0"]);
      expect(new Set(await podEvents(cluster))).toEqual(
        new Set([
          "Create Claim data-db-0 Pod db-0 in StatefulSet db success",
          expect.stringMatching(/^Update Pod db-0 in StatefulSet db failed error: Pod "db-0" is invalid: spec/),
        ]),
      );
    },
  );

  it("gives a pending pod a new claim after its claim was deleted", async () => {
    await using cluster = await createTestCluster(0);
    await createSet(cluster, { replicas: 1, volumeClaimTemplates: [dataClaim] });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    const { metadata } = await claims.get("data-db-0");
    await claims.delete("data-db-0");
    await cluster.advance("1m");
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .patch("db-0", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
    await cluster.settled();
    const claim = await claims.get("data-db-0");
    expect(claim.metadata!.uid).not.toBe(metadata!.uid);
  });

  it("says which claim keeps a pod from being created", async () => {
    await using cluster = await createTestCluster();
    await cluster.client
      .resource(ResourceQuota)
      .namespace("default")
      .create({ metadata: { name: "none" }, spec: { hard: { persistentvolumeclaims: "0" } } });
    await cluster.settled();
    await createSet(cluster, { replicas: 1, volumeClaimTemplates: [dataClaim] });
    const quota =
      'persistentvolumeclaims "data-db-0" is forbidden: exceeded quota: none, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0';
    expect((await podEvents(cluster)).sort()).toEqual([
      `Create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: ${quota}`,
      `Create Pod db-0 in StatefulSet db failed error: failed to create PVC data-db-0: ${quota}`,
    ]);
  });

  it("adopts the revisions of a set of the same name that left its pods behind", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster);
    await isRolledOut(cluster);
    await cluster.client.resource(StatefulSet).namespace("default").delete("db", { propagationPolicy: "Orphan" });
    await cluster.advance("10s");
    await createSet(cluster);
    await isRolledOut(cluster);
    const { metadata } = await cluster.client.resource(StatefulSet).namespace("default").get("db");
    const { items } = await cluster.client.resource(ControllerRevision).namespace("default").list();
    expect(items.map((revision) => revision.metadata?.ownerReferences?.map(({ uid }) => uid))).toEqual([
      [metadata?.uid],
    ]);
  });

  it("keeps a revision that has lost its labels, and uses it", async () => {
    await using cluster = await createTestCluster();
    await createSet(cluster, { replicas: 1 });
    const revisions = cluster.client.resource(ControllerRevision).namespace("default");
    const [revision] = (await revisions.list()).items;
    await revisions.patch(revision!.metadata!.name!, { type: "merge", patch: { metadata: { labels: null } } as never });
    await patchSet(cluster, { revisionHistoryLimit: 3 });
    await cluster.advance("1m");
    const { items } = await revisions.list();
    expect(items.map(({ metadata }) => metadata?.ownerReferences)).toEqual([revision!.metadata!.ownerReferences]);
  });

  it("records that a retention policy doesn't apply to a claim of another controller", async () => {
    await using cluster = await createTestCluster();
    const owner = { apiVersion: "v1", kind: "Node", name: "node-1", uid: "", controller: true };
    owner.uid = (await cluster.client.resource(Node).get("node-1")).metadata!.uid!;
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create({ ...dataClaim, metadata: { name: "data-db-0", ownerReferences: [owner] } });
    await createSet(cluster, {
      replicas: 1,
      volumeClaimTemplates: [dataClaim],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
    });
    await cluster.advance("1m");
    const { items } = await cluster.client.resource(Event).namespace("default").list();
    expect(items.filter(({ reason }) => reason === "ConflictingController").map(({ note }) => note)).toEqual([
      "PersistentVolumeClaim data-db-0 has a conflicting OwnerReference that acts as a manging controller, " +
        "the retention policy is ignored for this claim",
    ]);
    expect((await claims.get("data-db-0")).metadata?.ownerReferences).toEqual([owner]);
  });

  it("changes the owners of claims with the retention policy once their pod is available, and reports it", async () => {
    await using cluster = await createTestCluster();
    const readinessProbe = { exec: { command: ["true"] } };
    const containers = [{ name: "main", image: "db:1", readinessProbe }];
    const template = { metadata: { labels: { app: "db" } }, spec: { containers } };
    await createSet(cluster, { replicas: 2, template, volumeClaimTemplates: [dataClaim] });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    for (const name of ["data-db-0", "data-db-1"]) {
      await cluster.client.resource(PersistentVolume).create(volumeFor(name));
      await cluster.advance("1m");
    }
    await isRolledOut(cluster);
    await cluster.pods({ name: "db-1" }).failProbe("readiness");
    await cluster.advance("1m");
    await patchSet(cluster, { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } });
    await cluster.advance("1m");
    const owners = async (): Promise<(string | undefined)[]> =>
      (await claims.list()).items.map(({ metadata }) => metadata?.ownerReferences?.[0]?.kind);
    expect(await owners()).toEqual(["StatefulSet", undefined]);
    const updates = (await podEvents(cluster)).filter((note) => note?.startsWith("Update"));
    expect(updates).toEqual(["Update Pod db-0 in StatefulSet db successful"]);
  });
});
