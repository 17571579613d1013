import { expect, it } from "vitest";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import type { LogEntry } from "../../../src/controller/reconcile/controller-log.js";
import { HorizontalPodAutoscaler } from "../../../src/kinds/autoscaling/v1.js";
import { Pod } from "../../../src/kinds/core/v1.js";

it("a controller whose kind the server doesn't serve ends with a log entry, and the others go on", async () => {
  const entries: LogEntry[] = [];
  await using cluster = await createCluster({
    nodes: 1,
    time: "virtual",
    seed: 1,
    controllers: ["horizontal-pod-autoscaler", "pod-garbage-collector"],
    server: { runtimeConfig: { "autoscaling/v2": false } },
    log: (entry) => entries.push(entry),
  });
  const autoscalers = cluster.client.resource(HorizontalPodAutoscaler).namespace("default");
  await autoscalers.create({
    metadata: { name: "web" },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  });
  await cluster.advance("3m");
  await expect
    .poll(() => entries.filter(({ level }) => level === "error"))
    .toMatchObject([
      {
        message: "controller failed",
        controller: "horizontal-pod-autoscaler",
        error: { message: expect.stringContaining("cache not synced") as unknown },
      },
    ]);
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({
    metadata: { name: "orphan" },
    spec: { nodeName: "missing", containers: [{ name: "main", image: "a:1" }] },
  });
  await cluster.advance("2m");
  expect(await pods.getOptional("orphan")).toBeUndefined();
});
