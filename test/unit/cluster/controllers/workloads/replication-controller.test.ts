import { expect, it } from "vitest";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Job } from "../../../../../src/kinds/batch/v1.js";
import { Pod, ReplicationController } from "../../../../../src/kinds/core/v1.js";

it("a ReplicationController keeps its number of pods, and reports them like a ReplicaSet", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const sets = cluster.client.resource(ReplicationController).namespace("default");
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  await sets.create({ metadata: { name: "web" }, spec: { replicas: 2, selector: { app: "web" }, template } });
  await cluster.settled();
  expect((await sets.get("web")).status).toEqual({
    availableReplicas: 2,
    fullyLabeledReplicas: 2,
    observedGeneration: 1,
    readyReplicas: 2,
    replicas: 2,
  });
  const { items } = await cluster.client.resource(Pod).list();
  expect(items[0]!.metadata!.ownerReferences).toMatchObject([
    { apiVersion: "v1", kind: "ReplicationController", name: "web", controller: true },
  ]);
  await cluster.client.resource(Pod).namespace("default").delete(items[0]!.metadata!.name!, { gracePeriodSeconds: 0 });
  await cluster.settled();
  expect((await sets.get("web")).status?.availableReplicas).toBe(2);
});

it("a finished Job is deleted with its pods when its time to live is over", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1, images: { "*": { run: async () => 0 } } });
  const jobs = cluster.client.resource(Job).namespace("default");
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "job:1" }] } };
  await jobs.create({ metadata: { name: "short" }, spec: { ttlSecondsAfterFinished: 60, template } });
  await jobs.create({ metadata: { name: "kept" }, spec: { template } });
  await cluster.advance("59s");
  expect((await jobs.list()).items).toHaveLength(2);
  await cluster.advance("10s");
  expect((await jobs.list()).items.map(({ metadata }) => metadata?.name)).toEqual(["kept"]);
  const { items } = await cluster.client.resource(Pod).list();
  expect(items.map(({ metadata }) => metadata?.labels?.["job-name"])).toEqual(["kept"]);
});
