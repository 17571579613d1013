import { expect, it } from "vitest";
import { createCluster } from "../../../../../src/cluster/index.js";
import { CronJob } from "../../../../../src/kinds/batch/v1.js";

const containers = [{ name: "main", image: "web:1" }];

it("CronJob is synced for the start and the end of its Jobs, and not for what happens between", async () => {
  let syncs = 0;
  await using cluster = await createCluster({
    time: "virtual",
    seed: 1,
    images: { "*": { run: async ({ sleep }) => sleep("10s").then(() => 0) } },
    log: ({ controller, message }) => {
      if (controller === "cronjob" && message.startsWith("reconcile")) syncs++;
    },
  });
  const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never" as const, containers } } } };
  const cronJobs = cluster.client.resource(CronJob).namespace("default");
  await cronJobs.create({ metadata: { name: "report" }, spec: { schedule: "* * * * *", jobTemplate } });
  await cluster.advance("1m");
  syncs = 0;
  await cluster.advance("30s");
  // The end of the Job, and the status that shows it.
  expect(syncs).toBe(2);
  const { status } = await cronJobs.get("report");
  expect([status?.active, status?.lastSuccessfulTime]).toEqual([undefined, "2026-01-01T00:01:10Z"]);
});
