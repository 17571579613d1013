import { expect, it } from "vitest";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../src/cluster/is-available.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";

it("events of a cluster that happen at one moment are listed in the order of their writes", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  await cluster.client
    .resource(Deployment)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } });
  await cluster.until(Deployment, "default/web", isAvailable);
  await cluster.advance("1s");
  const events = await cluster.events("default/web");
  expect(new Set(events.map(({ timeMs }) => timeMs)).size).toBe(1);
  expect(events.map(({ reason }) => reason).slice(0, 5)).toEqual([
    "ScalingReplicaSet",
    "SuccessfulCreate",
    "Pulled",
    "Created",
    "Started",
  ]);
});
