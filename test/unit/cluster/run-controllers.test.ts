import { expect, it } from "vitest";
import type { Cluster } from "../../../src/cluster/cluster.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { Deployment, ReplicaSet } from "../../../src/kinds/apps/v1.js";
import { Pod } from "../../../src/kinds/core/v1.js";

const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
} as const;

/** Returns the resources of `apps` that the cluster's own programs watch. */
async function watchedApps({ server }: Cluster): Promise<string[]> {
  const response = await server.handle(new Request("http://server/metrics"));
  const lines = (await response.text()).matchAll(
    /^apiserver_longrunning_requests\{group="apps",resource="(\w+)",verb="WATCH",version="v1"\} [1-9]/gm,
  );
  return [...lines].map(([, resource = ""]) => resource).sort();
}

it("a controller starts with the first object that it acts on", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  expect(await watchedApps(cluster)).toEqual([]);
  await cluster.client.resource(ReplicaSet).namespace("default").create(web);
  await cluster.settled();
  expect(await watchedApps(cluster)).toEqual(["replicasets"]);
  await cluster.client.resource(Deployment).namespace("default").create(web);
  await cluster.settled();
  expect(await watchedApps(cluster)).toEqual(["deployments", "replicasets"]);
});

it("a controller that was paused before its first object does nothing until it's resumed", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  cluster.controllers.pause("replicaset");
  await cluster.client.resource(ReplicaSet).namespace("default").create(web);
  await cluster.settled();
  expect((await cluster.client.resource(Pod).list()).items).toEqual([]);
  cluster.controllers.resume("replicaset");
  await cluster.settled();
  expect((await cluster.client.resource(Pod).list()).items).toHaveLength(2);
});

it("a controller that ran before a snapshot runs after it's restored, also without an object to act on", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const sets = cluster.client.resource(ReplicaSet).namespace("default");
  await sets.create(web);
  await cluster.settled();
  await sets.delete("web");
  const snapshot = await cluster.snapshot();
  await cluster.restore(snapshot);
  expect(await watchedApps(cluster)).toEqual(["replicasets"]);
});

it("a controller that doesn't run can't be paused or resumed", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1, controllers: ["job", "deployment"] });
  const message = 'no controller "replicaset" runs: job, deployment';
  expect(() => cluster.controllers.pause("replicaset")).toThrow(new RangeError(message));
  expect(() => cluster.controllers.resume("replicaset")).toThrow(new RangeError(message));
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, "-5m", ""])(
  "a cluster rejects the time %s to skip",
  async (time) => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    await expect(cluster.advance(time)).rejects.toThrow(/^invalid duration /);
  },
);
