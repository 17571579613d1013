import { describe, expect, it } from "vitest";
import { createInformer } from "../../../src/cache/index.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../src/cluster/is-available.js";
import { CustomResourceDefinition } from "../../../src/kinds/apiextensions/v1.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { Job } from "../../../src/kinds/batch/v1.js";
import { ConfigMap, Node, Pod } from "../../../src/kinds/core/v1.js";
import { defineKind } from "../../../src/meta/define-kind.js";

const container = { name: "main", image: "web:1" };
/** Keeps the pods away from the node that the first test cuts off. */
const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "NotIn" as const, values: ["node-3"] }] },
      ],
    },
  },
};
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { affinity, containers: [container] } },
  },
};

describe("cluster.restore", () => {
  it("brings back objects, time, nodes, pods, paused controllers and the numbers of the seed", async () => {
    await using cluster = await createCluster({ nodes: 3, time: "virtual", seed: 1 });
    const deployments = cluster.client.resource(Deployment).namespace("default");
    await deployments.create(web);
    await cluster.until(Deployment, "default/web", isAvailable);
    cluster.controllers.pause("cronjob");
    await cluster.nodes("node-3").partition();
    const baseline = await cluster.snapshot();
    const before = cluster.server.dump();

    const disturb = async (): Promise<unknown> => {
      cluster.controllers.resume("cronjob");
      cluster.controllers.pause("deployment");
      await cluster.nodes("node-3").recover();
      await cluster.nodes("node-1").crash();
      await cluster
        .pods("app=web")
        .crash()
        .catch(() => undefined);
      const pods = cluster.client.resource(Pod).namespace("default");
      await pods.create({ metadata: { generateName: "job-" }, spec: { containers: [container] } });
      await cluster.advance("10m");
      await deployments.delete("web");
      await cluster.settled();
      return cluster.server.dump().map(({ metadata }) => [metadata?.name, metadata?.uid]);
    };
    await disturb();
    await cluster.restore(baseline);
    expect(cluster.server.dump()).toEqual(before);
    expect(cluster.now()).toBe(baseline.timeMs);
    const again = await disturb();
    await cluster.restore(baseline);
    expect(await disturb()).toEqual(again);
    await cluster.restore(baseline);
    await cluster.advance("1m");
    const nodes = (await cluster.client.resource(Node).list()).items;
    const ready = nodes.map(({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.status);
    expect(ready).toEqual(["True", "True", "Unknown"]);
    await deployments.patch("web", { type: "merge", patch: { spec: { replicas: 4 } } });
    // A pod on the lost node is evicted after five minutes.
    await cluster.until(Deployment, "default/web", isAvailable, { timeoutMs: 600_000 });
  });

  it("lets containers run on with their logs, restarts and back-off", async () => {
    let runs = 0;
    await using cluster = await createCluster({
      time: "virtual",
      seed: 1,
      images: {
        "web:*": {
          async run({ stdout, sleep }) {
            stdout.write(`run ${++runs}\n`);
            await sleep("1d");
          },
        },
        "broken:*": { run: () => Promise.resolve(3) },
      },
    });
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "web" }, spec: { containers: [container] } });
    await pods.create({ metadata: { name: "broken" }, spec: { containers: [{ name: "main", image: "broken:1" }] } });
    await cluster.pods({ name: "web" }).crash();
    await cluster.advance("45s");
    const states = async (): Promise<unknown> => {
      const { items } = await pods.list();
      return items.map(({ metadata, status }) => [metadata?.name, status?.containerStatuses]);
    };
    const baseline = await cluster.snapshot();
    const before = await states();
    await cluster.advance("5m");
    const after = await states();
    const log = async (): Promise<string> => await readText(cluster, "/api/v1/namespaces/default/pods/web/log");
    await pods.delete("web");
    await cluster.advance("1m");
    await cluster.restore(baseline);
    expect(await states()).toEqual(before);
    expect(await log()).toBe("run 2\nrun 3\n");
    await cluster.advance("5m");
    expect(await states()).toEqual(after);
  });

  it("shows informers the differences as events, also for custom resources whose definition was deleted", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const definitions = cluster.client.resource(CustomResourceDefinition);
    const schema = { openAPIV3Schema: { type: "object" } };
    await definitions.create({
      metadata: { name: "wheels.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "wheels", kind: "Wheel" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await cluster.settled();
    const Wheel = defineKind<object>()({
      group: "example.com",
      version: "v1",
      kind: "Wheel",
      plural: "wheels",
      scope: "Namespaced",
    });
    const wheels = cluster.client.resource(Wheel).namespace("default");
    await wheels.create({ metadata: { name: "front" } });
    const configMaps = cluster.client.resource(ConfigMap).namespace("default");
    await configMaps.create({ metadata: { name: "kept" }, data: { version: "1" } });
    const baseline = await cluster.snapshot();

    const informer = createInformer(configMaps);
    const seen: string[] = [];
    informer.addHandler(({ type, key }) => void seen.push(`${type} ${key}`));
    await informer.synced();
    await configMaps.create({ metadata: { name: "added" } });
    await configMaps.patch("kept", { type: "merge", patch: { data: { version: "2" } } });
    await cluster.settled();
    seen.length = 0;
    await definitions.delete("wheels.example.com");
    await cluster.advance("10s");
    await cluster.restore(baseline);
    expect(seen.sort()).toEqual(["deleted default/added", "updated default/kept"]);
    expect((await wheels.list()).items.map(({ metadata }) => metadata?.name)).toEqual(["front"]);
    await configMaps.create({ metadata: { name: "later" } });
    await cluster.settled();
    expect(informer.store.list().map(({ metadata }) => metadata?.name)).toContain("later");
    await informer.close();
  });

  it("refuses the snapshot of another cluster and two restores at once", async () => {
    await using one = await createCluster({ time: "virtual" });
    await using two = await createCluster({ time: "virtual" });
    const snapshot = await one.snapshot();
    await expect(two.restore(snapshot)).rejects.toThrow("snapshot must come from this cluster's snapshot()");
    const first = one.restore(snapshot);
    await expect(one.restore(snapshot)).rejects.toThrow("another call is restoring the cluster");
    await first;
  });
});

it("ten tests in any order that share a cluster don't see each other, and have the same history", async () => {
  await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
  const baseline = await cluster.snapshot();
  const jobs = cluster.client.resource(Job).namespace("default");
  const histories = new Set<string>();
  for (let test = 1; test <= 10; test++) {
    await cluster.restore(baseline);
    expect((await jobs.list()).items).toEqual([]);
    expect(cluster.now()).toBe(baseline.timeMs);
    const spec = { template: { spec: { restartPolicy: "Never" as const, containers: [container] } } };
    await jobs.create({ metadata: { name: "work" }, spec });
    await cluster.until(Job, "default/work", (job) => job?.status?.succeeded === 1);
    const { metadata, spec: completed, status } = await jobs.get("work");
    histories.add(JSON.stringify([metadata?.uid, completed, status, await cluster.events()]));
    if (test % 2 === 0) await cluster.nodes("node-1").crash();
    if (test === 4) await cluster.advance("10m");
    if (test % 5 === 0) cluster.server.faults.add({ effect: { type: "status", code: 500 } });
  }
  expect([...histories]).toHaveLength(1);
});

async function readText(cluster: Awaited<ReturnType<typeof createCluster>>, path: string): Promise<string> {
  return await (await cluster.server.handle(new Request(`http://server${path}`))).text();
}
