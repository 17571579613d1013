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
 * Returns the time of `head` in relation to that of `base`: the smaller of two estimates, because noise rarely inflates
 * both. One is the median of the ratios of neighbouring turns, the other the ratio of the fastest turns.
 */
export function ratioOf(base, head) {
  const paired = median(head.map((time, i) => time / base[i]));
  return Math.min(paired, Math.min(...head) / Math.min(...base));
}

/**
 * Compares two builds, whose `dist` folders are `base` and `head`, in the workloads that `wanted` accepts. Returns the
 * name of each workload with its ratio and the fastest turns in microseconds.
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
      rows.push({ name, ratio: ratioOf(times[0], times[1]), fastest: times.map((all) => Math.min(...all)) });
    }
  } finally {
    for (const worker of workers) await worker.close();
  }
  return rows;
}
