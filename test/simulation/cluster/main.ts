import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { divide, playInProcesses } from "../jobs.js";
import { runClusterSeed } from "./run-cluster-seed.js";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    jobs: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const [from, count] = [Number(values.from), Number(values.count)];
const jobs = Number(values.jobs ?? (values.verbose || count < 20 ? 1 : availableParallelism()));
if (![from, count, jobs].every((value) => Number.isInteger(value)) || count < 1 || jobs < 1) {
  console.error("usage: simulate:cluster [--from SEED] [--count N] [--jobs PROCESSES] [--verbose]");
  process.exit(2);
}
const began = performance.now();
const failed =
  jobs > 1 ? await playInProcesses(fileURLToPath(import.meta.url), divide({ from, count }, jobs)) : await playHere();
console.log(`${((performance.now() - began) / count).toFixed(1)} ms per seed`);
console.log(`${String(count - failed)} passed, ${String(failed)} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function playHere(): Promise<number> {
  let failures = 0;
  for (let seed = from; seed < from + count; seed++) {
    const { faults, story } = await runClusterSeed(seed).catch((error: unknown) => ({
      faults: [String(error instanceof Error ? error.stack : error)],
      story: [],
    }));
    if (faults.length > 0) {
      failures++;
      console.log(`seed ${seed} failed; npm run simulate:cluster -- --from ${seed} --count 1 --verbose repeats it`);
      for (const fault of faults) console.log(`  ${fault}`);
    }
    if (values.verbose) for (const line of story) console.log(line);
  }
  return failures;
}
