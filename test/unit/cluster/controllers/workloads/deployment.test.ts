import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Deployment, ReplicaSet } from "../../../../../src/kinds/apps/v1.js";
import { Event, Pod, ResourceQuota } from "../../../../../src/kinds/core/v1.js";
import type { DeepReadonly } from "../../../../../src/meta/object.js";
import { pauseRollout, resumeRollout, setImages, undoRollout } from "../../../../../src/operations/rollout.js";

function deployment(name: string, replicas: number, spec: object = {}): Deployment {
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
      ...spec,
    },
  };
}

/** Same rules as `kubectl rollout status`. */
function rolledOut(web: DeepReadonly<Deployment> | undefined): boolean {
  const { replicas, updatedReplicas, availableReplicas, observedGeneration } = web?.status ?? {};
  const desired = web?.spec?.replicas;
  return (
    observedGeneration === web?.metadata?.generation &&
    [replicas, updatedReplicas, availableReplicas].every((count) => count === desired)
  );
}

async function start(seed: number, object: Deployment) {
  const cluster = await createCluster({ nodes: 2, time: "virtual", seed });
  const deployments = cluster.client.resource(Deployment).namespace("default");
  await deployments.create(object);
  await cluster.until(Deployment, `default/${object.metadata!.name}`, rolledOut);
  return { cluster, deployments, sets: cluster.client.resource(ReplicaSet).namespace("default") };
}

async function notes(cluster: Cluster, reason: string): Promise<string[]> {
  const { items } = await cluster.client.resource(Event).list();
  return items.filter((event) => event.reason === reason).map(({ message }) => message!);
}

describe("Deployment in a cluster", () => {
  it("keeps the observed generation, and says why, while a quota refuses its new ReplicaSet", async () => {
    const { cluster, deployments } = await start(1, deployment("web", 1));
    await using _ = cluster;
    const quotas = cluster.client.resource(ResourceQuota).namespace("default");
    await quotas.create({ metadata: { name: "sets" }, spec: { hard: { "count/replicasets.apps": "1" } } });
    await cluster.settled();
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.advance("1m");
    const { metadata, status } = await deployments.get("web");
    expect([metadata?.generation, status?.observedGeneration, status?.updatedReplicas]).toEqual([2, 1, 1]);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Progressing", status: "False", reason: "ReplicaSetCreateError" }),
    );
    const [note] = await notes(cluster, "ReplicaSetCreateError");
    expect(note).toMatch(/^Failed to create new replica set "web-\w+": .*exceeded quota: sets/);
    await quotas.delete("sets");
    await cluster.until(Deployment, "default/web", rolledOut);
  });

  it("adopts the ReplicaSet that another Deployment with its selector leaves behind", async () => {
    const { cluster, deployments, sets } = await start(1, deployment("web", 2));
    await using _ = cluster;
    await deployments.create({ ...deployment("web", 1), metadata: { name: "other" } });
    await setImages(deployments, "other", { main: "web:2" });
    await cluster.settled();
    await deployments.delete("web", { propagationPolicy: "Orphan" });
    await cluster.settled();
    const owners = (await sets.list()).items.map(({ metadata }) => metadata?.ownerReferences?.[0]?.name);
    expect(new Set(owners)).toEqual(new Set(["other"]));
    expect((await cluster.client.resource(Pod).namespace("default").list()).items).toHaveLength(1);
  });

  it("rolls out its first template and reports it", async () => {
    const { cluster, deployments, sets } = await start(1, deployment("web", 3));
    await using _ = cluster;
    const web = await deployments.get("web");
    expect(web.metadata?.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    expect(web.metadata?.generation).toBe(1);
    expect(web.status).toMatchObject({
      availableReplicas: 3,
      observedGeneration: web.metadata?.generation,
      readyReplicas: 3,
      replicas: 3,
      updatedReplicas: 3,
    });
    expect(web.status?.unavailableReplicas).toBeUndefined();
    expect(web.status?.conditions).toMatchObject([
      { type: "Available", status: "True", reason: "MinimumReplicasAvailable" },
      { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
    ]);
    const [set] = (await sets.list()).items;
    expect(set!.metadata?.annotations).toEqual({
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
      "deployment.kubernetes.io/revision": "1",
    });
    const hash = set!.metadata!.labels!["pod-template-hash"]!;
    expect(set!.metadata?.name).toBe(`web-${hash}`);
    expect(set!.spec?.selector.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
    expect(await notes(cluster, "ScalingReplicaSet")).toEqual([`Scaled up replica set web-${hash} from 0 to 3`]);
  });

  it("never has fewer available pods or more pods than its limits during a rolling update", async () => {
    const { cluster, deployments, sets } = await start(2, deployment("web", 4));
    await using _ = cluster;
    const seen = { least: Number.POSITIVE_INFINITY, most: 0 };
    const watched = cluster.client.resource(Deployment).namespace("default").watch();
    const reading = (async () => {
      for await (const { type, object } of watched) {
        if (type === "BOOKMARK") continue;
        seen.least = Math.min(seen.least, object.status?.availableReplicas ?? 0);
        seen.most = Math.max(seen.most, object.status?.replicas ?? 0);
      }
    })();
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.until(Deployment, "default/web", rolledOut);
    await watched.return();
    await reading;
    expect(seen.least).toBeGreaterThanOrEqual(3);
    expect(seen.most).toBeLessThanOrEqual(5);
    const { items } = await sets.list();
    expect(
      items
        .map(({ spec, metadata }) => [metadata!.annotations!["deployment.kubernetes.io/revision"], spec!.replicas])
        .sort(),
    ).toEqual([
      ["1", 0],
      ["2", 4],
    ]);
    const pods = (await cluster.client.resource(Pod).list()).items;
    expect(pods.map(({ spec }) => spec!.containers[0]!.image)).toEqual(["web:2", "web:2", "web:2", "web:2"]);
  });

  it("stops all old pods before it starts new ones with the strategy Recreate", async () => {
    const { cluster, deployments } = await start(3, deployment("web", 2, { strategy: { type: "Recreate" } }));
    await using _ = cluster;
    const images = new Set<string>();
    const mixed: boolean[] = [];
    const informer = cluster.client.resource(Pod).namespace("default").watch();
    const live = new Map<string, string>();
    const reading = (async () => {
      for await (const event of informer) {
        if (event.type === "BOOKMARK") continue;
        const { metadata, spec } = event.object;
        if (event.type === "DELETED") live.delete(metadata!.uid!);
        else live.set(metadata!.uid!, spec!.containers[0]!.image!);
        for (const image of live.values()) images.add(image);
        mixed.push(new Set(live.values()).size > 1);
      }
    })();
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.until(Deployment, "default/web", rolledOut);
    await informer.return();
    await reading;
    expect([...images].sort()).toEqual(["web:1", "web:2"]);
    expect(mixed).not.toContain(true);
  });

  it("goes back to the previous template with a new revision", async () => {
    const { cluster, deployments, sets } = await start(4, deployment("web", 1));
    await using _ = cluster;
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.until(Deployment, "default/web", rolledOut);
    await cluster.settled();
    await undoRollout(deployments, sets, "web");
    await cluster.until(Deployment, "default/web", rolledOut);
    const web = await deployments.get("web");
    expect(web.spec?.template.spec?.containers[0]?.image).toBe("web:1");
    expect(web.metadata?.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
    const first = (await sets.list()).items.find(({ spec }) => spec?.replicas === 1);
    expect(first?.metadata?.annotations?.["deployment.kubernetes.io/revision-history"]).toBe("1");
  });

  it("counts revisions with 64 bits", async () => {
    const { cluster, deployments, sets } = await start(5, deployment("web", 1));
    await using _ = cluster;
    const revision = "deployment.kubernetes.io/revision";
    const [old] = (await sets.list()).items;
    const annotations = { [revision]: "3546343826724305832" };
    await sets.patch(old!.metadata!.name!, { type: "merge", patch: { metadata: { annotations } } });
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.settled();
    expect((await deployments.get("web")).metadata?.annotations?.[revision]).toBe("3546343826724305833");
  });

  it("doesn't roll out while it's paused", async () => {
    const { cluster, deployments, sets } = await start(5, deployment("web", 1));
    await using _ = cluster;
    await pauseRollout(deployments, "web");
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.advance("1h");
    expect((await sets.list()).items).toHaveLength(1);
    const paused = await deployments.get("web");
    expect(paused.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Progressing", status: "Unknown", reason: "DeploymentPaused" }),
    );
    await resumeRollout(deployments, "web");
    await cluster.until(Deployment, "default/web", rolledOut);
    expect((await sets.list()).items).toHaveLength(2);
  });

  it("counts its deadline again from the end of a pause that was longer", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 6 });
    const deployments = cluster.client.resource(Deployment).namespace("default");
    await deployments.create(deployment("web", 1, { progressDeadlineSeconds: 60 }));
    await cluster.advance("30s");
    const reason = async (): Promise<string | undefined> =>
      (await deployments.get("web")).status?.conditions?.find(({ type }) => type === "Progressing")?.reason;
    await pauseRollout(deployments, "web");
    await cluster.advance("5m");
    await resumeRollout(deployments, "web");
    await cluster.advance("50s");
    expect(await reason()).toBe("DeploymentResumed");
    await cluster.advance("15s");
    expect(await reason()).toBe("ProgressDeadlineExceeded");
  });

  it("shortens its own name, and not the hash, in a name of a ReplicaSet that is too long", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 6 });
    const object = deployment("web", 1);
    const metadata = { ...object.metadata, name: "a".repeat(253) };
    await cluster.client
      .resource(Deployment)
      .namespace("default")
      .create({ ...object, metadata });
    await cluster.settled();
    const [set] = (await cluster.client.resource(ReplicaSet).namespace("default").list()).items;
    expect(set?.metadata?.name).toHaveLength(253);
    expect(set?.metadata?.name).toMatch(/-[a-z0-9]{8,10}$/);
  });

  it("reports a rollout that makes no progress before its deadline", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 6 });
    const deployments = cluster.client.resource(Deployment).namespace("default");
    await deployments.create(deployment("web", 1, { progressDeadlineSeconds: 60 }));
    const before = cluster.now();
    await cluster.until(
      Deployment,
      "default/web",
      (web) => web?.status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded") === true,
      { timeoutMs: 600_000 },
    );
    expect(cluster.now() - before).toBeGreaterThanOrEqual(60_000);
    expect(cluster.now() - before).toBeLessThan(65_000);
  });

  it("copies a revision that isn't a number from its ReplicaSet", async () => {
    const { cluster, deployments, sets } = await start(1, deployment("web", 1));
    await using _ = cluster;
    const [set] = (await sets.list()).items;
    const annotations = { "deployment.kubernetes.io/revision": "many" };
    await sets.patch(set!.metadata!.name!, { type: "merge", patch: { metadata: { annotations } } });
    await cluster.settled();
    expect((await sets.get(set!.metadata!.name!)).metadata?.annotations).toMatchObject(annotations);
    expect((await deployments.get("web")).metadata?.annotations).toEqual(annotations);
  });

  it("restores the revision that an annotation requests, and reports one that doesn't exist", async () => {
    const { cluster, deployments } = await start(8, deployment("web", 1));
    await using _ = cluster;
    await setImages(deployments, "web", { main: "web:2" });
    await cluster.until(Deployment, "default/web", rolledOut);
    const rollBack = async (revision: string): Promise<unknown> => {
      const annotations = { "deprecated.deployment.rollback.to": revision };
      await deployments.patch("web", { type: "merge", patch: { metadata: { annotations } } });
      await cluster.until(Deployment, "default/web", rolledOut);
      const { metadata, spec } = await deployments.get("web");
      return [spec?.template.spec?.containers[0]?.image, metadata?.annotations];
    };
    expect(await rollBack("1")).toEqual(["web:1", { "deployment.kubernetes.io/revision": "3" }]);
    expect(await rollBack("0")).toEqual(["web:2", { "deployment.kubernetes.io/revision": "4" }]);
    expect(await rollBack("4")).toEqual(["web:2", { "deployment.kubernetes.io/revision": "4" }]);
    expect(await rollBack("9")).toEqual(["web:2", { "deployment.kubernetes.io/revision": "4" }]);
    await cluster.settled();
    expect(await notes(cluster, "DeploymentRollback")).toEqual([
      'Rolled back deployment "web" to revision 1',
      'Rolled back deployment "web" to revision 2',
    ]);
    expect(await notes(cluster, "DeploymentRollbackTemplateUnchanged")).toHaveLength(1);
    expect(await notes(cluster, "DeploymentRollbackRevisionNotFound")).toHaveLength(1);
  });

  it("keeps as many old ReplicaSets as its history limit says", async () => {
    const { cluster, deployments, sets } = await start(7, deployment("web", 1, { revisionHistoryLimit: 1 }));
    await using _ = cluster;
    for (const image of ["web:2", "web:3", "web:4"]) {
      await setImages(deployments, "web", { main: image });
      await cluster.until(Deployment, "default/web", rolledOut);
    }
    await cluster.advance("1m");
    const { items } = await sets.list();
    expect(items.map(({ spec }) => spec?.template?.spec?.containers[0]?.image).sort()).toEqual(["web:3", "web:4"]);
  });

  it("loses its surplus history while it's paused, although its rollout isn't complete", async () => {
    const { cluster, deployments, sets } = await start(7, deployment("web", 1));
    await using _ = cluster;
    for (const image of ["web:2", "web:3"]) {
      await setImages(deployments, "web", { main: image });
      await cluster.until(Deployment, "default/web", rolledOut);
    }
    await pauseRollout(deployments, "web");
    await setImages(deployments, "web", { main: "web:4" });
    await deployments.patch("web", { type: "merge", patch: { spec: { revisionHistoryLimit: 0 } } });
    await cluster.advance("1m");
    const { items } = await sets.list();
    expect(items.map(({ spec }) => spec?.template?.spec?.containers[0]?.image)).toEqual(["web:3"]);
  });
});
