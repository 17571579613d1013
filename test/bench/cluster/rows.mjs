// The rows of the comparison. Each gets one side and returns its figure.
import { setTimeout as wait } from "node:timers/promises";

const namespace = "default";
const image = "web:1";

const isReady = (pod) => pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");

function deployment(replicas) {
  const containers = [{ name: "main", image, resources: { requests: { cpu: "10m", memory: "16Mi" } } }];
  return {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    },
  };
}

async function firstPod(side) {
  const begin = performance.now();
  const cluster = await side.start();
  const pods = cluster.client.resource(side.Pod).namespace(namespace);
  await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image }] } });
  await side.waitFor(pods, "web", isReady);
  const time = performance.now() - begin;
  await side.end(cluster);
  return time;
}

/** Waits until a Deployment of so many pods is available, and returns what `measure` says then. */
async function rollout(side, nodes, replicas, measure) {
  const cluster = await side.start({ nodes });
  const begin = side.cpuMs();
  const deployments = cluster.client.resource(side.Deployment).namespace(namespace);
  await deployments.create(deployment(replicas));
  const isComplete = (web) => web?.status?.availableReplicas === replicas;
  await side.waitFor(deployments, "web", isComplete, { timeoutMs: 900_000 });
  const result = await measure(side.cpuMs() - begin);
  await side.end(cluster);
  return result;
}

async function idle(side) {
  return rollout(side, 3, 10, async () => {
    await wait(2000);
    const begin = side.cpuMs();
    await wait(10_000);
    return side.cpuMs() - begin;
  });
}

/** A day of ten CronJobs that start a Job every hour, in virtual time. */
async function cronJobs(side) {
  const cluster = await side.start({
    time: "virtual",
    images: { "*": { run: async ({ sleep }) => sleep("10s").then(() => 0) } },
  });
  const containers = [{ name: "main", image }];
  const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers } } } };
  const jobs = cluster.client.resource(side.CronJob).namespace(namespace);
  for (let i = 0; i < 10; i += 1)
    await jobs.create({ metadata: { name: `job-${i}` }, spec: { schedule: `${i} * * * *`, jobTemplate } });
  const begin = side.cpuMs();
  await cluster.advance("24h");
  return side.cpuMs() - begin;
}

/** All rows by name. `times` is how often ours repeats its work; `onlyOurs` marks rows that a real cluster can't run. */
export function rowsFor({ pods, nodes }) {
  const cpuOfRollout = (side) => rollout(side, nodes, pods, (cpu) => cpu);
  const name = `rollout of ${pods.toLocaleString("en")} pods`;
  return {
    "first ready pod": { unit: "ms", run: firstPod },
    "first ready pod, again": { unit: "ms", times: 10, run: firstPod },
    [name]: { unit: "ms of CPU", run: cpuOfRollout },
    [`${name}, again`]: { unit: "ms of CPU", times: 3, run: cpuOfRollout },
    [`memory after a ${name}`]: { unit: "MB", run: (side) => rollout(side, nodes, pods, side.memory) },
    [`memory of ${(10 * pods).toLocaleString("en")} pods on ${10 * nodes} nodes`]: {
      unit: "MB",
      onlyOurs: true,
      run: (side) => rollout(side, 10 * nodes, 10 * pods, side.memory),
    },
    "10 seconds without work": { unit: "ms of CPU", run: idle },
    "a day of ten CronJobs": { unit: "ms of CPU", onlyOurs: true, run: cronJobs },
  };
}
