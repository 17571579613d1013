// A process that runs turns of the workloads on one build: `node worker.mjs DIST`. A message names the workload; the
// answer is the CPU time of its turn in microseconds.
import { createWorkloads } from "./workloads.mjs";

const workloads = await createWorkloads(process.argv[2]);

process.on("message", async ({ name, turns }) => {
  const workload = workloads[name];
  const times = [];
  for (let i = 0; i < turns; i += 1) {
    const state = workload.prepare();
    const before = process.cpuUsage();
    await workload.run(state);
    const { user, system } = process.cpuUsage(before);
    times.push(user + system);
  }
  process.send({ times });
});
process.send({ names: Object.keys(workloads) });
