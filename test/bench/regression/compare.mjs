// Measures two builds against each other. Each has a process of its own; turns alternate, so that other work on the
// machine affects both.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const workerFile = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** Starts a process for a build and returns functions that run turns in it and end it. */
async function startWorker(folder) {
  const child = fork(workerFile, [folder], { execArgv: ["--single-threaded-gc"] });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`the process of ${folder} ended with code ${code}`);
  });
  failed.catch(() => undefined);
  const message = async () => (await Promise.race([once(child, "message"), failed]))[0];
  const { names } = await message();
  return {
    names,
    async turns(name, turns) {
      child.send({ name, turns });
      return (await message()).times;
    },
    async close() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Summarizes what pairs of processes measured of a workload: the fastest turns of both builds, and the time of the head
 * in relation to that of the base. The ratio is the smaller of two estimates, because noise rarely inflates both. One is
 * the median over the pairs of their neighbouring turns' median ratio, the other the ratio of the fastest turns of all.
 */
export function summary(pairs) {
  const paired = median(pairs.map(({ before, now }) => median(now.map((time, i) => time / before[i]))));
  const fastest = [Math.min(...pairs.flatMap(({ before }) => before)), Math.min(...pairs.flatMap(({ now }) => now))];
  return { ratio: Math.min(paired, fastest[1] / fastest[0]), fastest };
}

/**
 * Compares two builds, whose `dist` folders are `base` and `head`, in the workloads that `wanted` accepts. Returns the
 * name of each workload with the times of its turns in microseconds.
 */
export async function compareBuilds({ base, head, turns, wanted = () => true }) {
  const workers = [await startWorker(base), await startWorker(head)];
  const rows = [];
  try {
    for (const name of workers[1].names) {
      if (!workers[0].names.includes(name) || !wanted(name)) continue;
      for (const worker of workers) await worker.turns(name, Math.ceil(turns / 2));
      const times = [[], []];
      for (let i = 0; i < turns; i += 1)
        for (const at of i % 2 === 0 ? [0, 1] : [1, 0]) times[at].push(...(await workers[at].turns(name, 1)));
      rows.push({ name, base: times[0], head: times[1] });
    }
  } finally {
    for (const worker of workers) await worker.close();
  }
  return rows;
}
