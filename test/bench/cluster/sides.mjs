// The two sides under test: clusters in this process, and a real one that is already running.
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const dist = new URL("../../../dist/", import.meta.url);
const load = (path) => import(new URL(path, dist));

/** The modules that all rows need, loaded before the time starts. */
async function modules() {
  const paths = ["cluster/index.js", "cache/index.js", "kinds/core/v1.js", "kinds/apps/v1.js", "kinds/batch/v1.js"];
  return Object.assign({}, ...(await Promise.all(paths.map(load))));
}

/** Clusters in this process. `start()` creates one. */
export async function openOurs() {
  const { createCluster, ...kinds } = await modules();
  return {
    ...kinds,
    start: createCluster,
    end: (cluster) => cluster[Symbol.asyncDispose](),
    cpuMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    memory: () => process.memoryUsage.rss() / 1e6,
  };
}

/** A cluster of several processes. `start()` connects to it, and `end()` deletes what a row has created. */
export async function openReal(kubeconfig, pids) {
  const { connect } = await load("node/index.js");
  const kinds = await modules();
  const { Deployment, Pod } = kinds;
  return {
    ...kinds,
    start: async () => ({ client: await connect({ kubeconfig }) }),
    async end({ client }) {
      for (const kind of [Deployment, Pod]) await client.resource(kind).namespace("default").deleteCollection();
      const pods = client.resource(Pod).namespace("default");
      while ((await pods.list()).items.length > 0) await wait(500);
      await client.close();
    },
    cpuMs: () => sum(pids, (pid) => cpuTicks(pid) * 10),
    memory: () => sum(pids, residentKilobytes) / 1e3,
  };
}

const sum = (pids, of) => pids.reduce((total, pid) => total + of(pid), 0);

/** CPU time of a process in ticks of 10 ms: `utime` and `stime` of `/proc/PID/stat`, behind the name in parentheses. */
function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function residentKilobytes(pid) {
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}
