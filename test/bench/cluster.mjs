// Measures the cluster in the process. Usage: node test/bench/cluster.mjs [--pods 1000] [--nodes 50] [--only TEXT] [--json]
//
// Every row runs in a process of its own: the time from `createCluster()` to the first ready pod, CPU time of a rollout,
// memory of many pods, CPU time of an idle cluster, and CPU time of a day with ten CronJobs.
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    pods: { type: "string", default: "1000" },
    nodes: { type: "string", default: "50" },
    only: { type: "string", default: "" },
    row: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const [podCount, nodeCount] = [Number(values.pods), Number(values.nodes)];
const dist = new URL("../../dist/", import.meta.url);

function cpuMs(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function deployment(replicas) {
  const containers = [{ name: "main", image: "web:1", resources: { requests: { cpu: "10m", memory: "16Mi" } } }];
  return {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    },
  };
}

const rows = {
  async "first ready pod (ms)"({ createCluster, Pod }) {
    const begin = performance.now();
    const cluster = await createCluster();
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "web:1" }] } });
    const isReady = (pod) => pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    await cluster.until(Pod, "default/web", isReady);
    return performance.now() - begin;
  },
  async [`rollout of ${podCount} pods on ${nodeCount} nodes (ms of CPU)`]({ createCluster, Deployment }) {
    const cluster = await createCluster({ nodes: nodeCount });
    const begin = process.cpuUsage();
    await cluster.client.resource(Deployment).namespace("default").create(deployment(podCount));
    await cluster.until(Deployment, "default/web", (web) => web?.status?.availableReplicas === podCount, {
      timeoutMs: 300_000,
    });
    return cpuMs(begin);
  },
  async [`${10 * podCount} pods on ${10 * nodeCount} nodes (MB of memory)`]({ createCluster, Deployment }) {
    const cluster = await createCluster({ nodes: 10 * nodeCount });
    await cluster.client
      .resource(Deployment)
      .namespace("default")
      .create(deployment(10 * podCount));
    await cluster.until(Deployment, "default/web", (web) => web?.status?.availableReplicas === 10 * podCount, {
      timeoutMs: 600_000,
    });
    return process.memoryUsage.rss() / 1e6;
  },
  async "idle cluster of 3 nodes for 10 s (ms of CPU)"({ createCluster, Deployment }) {
    const cluster = await createCluster({ nodes: 3 });
    await cluster.client.resource(Deployment).namespace("default").create(deployment(10));
    await cluster.until(Deployment, "default/web", (web) => web?.status?.availableReplicas === 10);
    await wait(2000);
    const begin = process.cpuUsage();
    await wait(10_000);
    return cpuMs(begin);
  },
  async "a day of ten CronJobs (ms of CPU)"({ createCluster, CronJob }) {
    const cluster = await createCluster({
      time: "virtual",
      images: { "*": { run: async ({ sleep }) => sleep("10s").then(() => 0) } },
    });
    const containers = [{ name: "main", image: "job:1" }];
    const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers } } } };
    for (let i = 0; i < 10; i += 1)
      await cluster.client
        .resource(CronJob)
        .namespace("default")
        .create({ metadata: { name: `job-${i}` }, spec: { schedule: `${i} * * * *`, jobTemplate } });
    const begin = process.cpuUsage();
    await cluster.advance("24h");
    return cpuMs(begin);
  },
};

if (values.row !== undefined) {
  const kinds = await Promise.all(
    ["cluster/index.js", "kinds/core/v1.js", "kinds/apps/v1.js", "kinds/batch/v1.js"].map(
      (path) => import(new URL(path, dist)),
    ),
  );
  const result = await rows[values.row](Object.assign({}, ...kinds));
  if (process.send === undefined) {
    console.log(result);
    process.exit();
  }
  process.send(result, () => process.exit());
} else {
  if (!existsSync(dist)) throw new Error("dist is missing: run npm run build first");
  const results = {};
  for (const row of Object.keys(rows).filter((name) => name.includes(values.only))) {
    const words = ["--row", row, "--pods", values.pods, "--nodes", values.nodes];
    const child = fork(fileURLToPath(import.meta.url), words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    results[row] = await new Promise((resolve) => {
      child.once("message", resolve);
      child.once("exit", () => resolve(undefined));
    });
    if (!values.json) console.log(`${row.padEnd(60)}${results[row]?.toFixed(1) ?? "failed"}`);
  }
  if (values.json) console.log(JSON.stringify(results));
}
