import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/index.js";
import { Pod } from "../../../../src/kinds/core/v1.js";

const containers = [{ name: "main", image: "web:1" }];

it("kubelet syncs a pod once to start it, and not again for its own status or new labels", async () => {
  let syncs = 0;
  await using cluster = await createCluster({
    time: "virtual",
    seed: 1,
    log: ({ controller, message }) => {
      if (controller === "kubelet" && message.startsWith("reconcile")) syncs++;
    },
  });
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "web" }, spec: { containers } });
  await cluster.until(Pod, "default/web", (pod) => pod?.status?.phase === "Running");
  await cluster.settled();
  await pods.patch("web", { type: "merge", patch: { metadata: { labels: { tier: "front" } } } });
  await cluster.settled();
  expect(syncs).toBe(1);
  await cluster.pods().crash({ exitCode: 1 });
  await cluster.settled();
  expect(syncs).toBe(2);
});

it("kubelet doesn't write the status of a finished pod that is being deleted", async () => {
  const failures: string[] = [];
  await using cluster = await createCluster({
    time: "virtual",
    seed: 1,
    images: { "*": { run: () => 0 } },
    log: ({ controller, level, message }) => {
      if (controller === "kubelet" && level === "error") failures.push(message);
    },
  });
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "web" }, spec: { restartPolicy: "Never", containers } });
  await cluster.until(Pod, "default/web", (pod) => pod?.status?.phase === "Succeeded");
  await pods.delete("web");
  await cluster.until(Pod, "default/web", (pod) => pod === undefined);
  await cluster.settled();
  expect(failures).toEqual([]);
});
