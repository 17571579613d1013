import { describe, expect, it } from "vitest";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { ReplicaSet } from "../../../src/kinds/apps/v1.js";
import { Pod } from "../../../src/kinds/core/v1.js";

describe("error of a wait that failed", () => {
  it("shows the object's conditions, its pods with their states, and the events about all of them", async () => {
    await using cluster = await createCluster({
      time: "virtual",
      seed: 1,
      images: { "bad:*": { run: () => 3 } },
    });
    const labels = { app: "web" };
    const resources = { requests: { cpu: "5" } };
    const containers = [{ name: "main", image: "bad:1", resources }];
    await cluster.client
      .resource(ReplicaSet)
      .namespace("default")
      .create({
        metadata: { name: "web" },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      });
    const wait = cluster.until(ReplicaSet, "default/web", () => false, { timeoutMs: 5_000 });
    const error = await wait.then(
      () => "",
      (thrown: Error) => thrown.message,
    );
    expect(error).toMatch(/default\/web did not meet the condition within 5000 ms/);
    expect(error).toMatch(/web-\w+ Running on node-1/);
    expect(error).toMatch(/main: CrashLoopBackOff, 1 restarts: back-off 10s restarting failed container=main/);
    expect(error).toMatch(/web-\w+ Pending on no node/);
    expect(error).toMatch(/PodScheduled=False Unschedulable 0\/1 nodes are available: 1 Insufficient cpu\./);
    expect(error).toMatch(/default-scheduler: Pod web-\w+: FailedScheduling: 0\/1 nodes are available/);
    expect(error).toMatch(/replicaset-controller: ReplicaSet web: SuccessfulCreate: Created pod: web-/);
  });

  it("says that the object doesn't exist", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
    await expect(cluster.until(Pod, "default/none", () => false, { timeoutMs: 1_000 })).rejects.toThrow(
      /Pod default\/none does not exist/,
    );
  });
});
