import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { divide, playInProcesses } from "./jobs.js";
import { plants } from "./plants.js";
import type { Plant } from "./run-seed.js";
import { runSeed } from "./run-seed.js";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string" },
    jobs: { type: "string" },
    plant: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const from = Number(values.from);
// With a plant, this is the number of seeds in which it must be found. Some bugs show in one of a hundred seeds.
const count = Number(values.count ?? (values.plant === undefined ? 100 : 2_000));
/** Minimum number of seeds that is worth starting a process. A story needs just one. */
const seedsPerJob = 50;
const jobs = Number(
  values.jobs ?? (values.verbose ? 1 : Math.min(availableParallelism(), Math.ceil(count / seedsPerJob))),
);
if (![from, count, jobs].every((value) => Number.isInteger(value)) || count < 1 || jobs < 1) {
  console.error("usage: simulate [--from SEED] [--count N] [--jobs PROCESSES] [--plant NAME|all] [--verbose]");
  process.exit(2);
}
process.exitCode = values.plant === undefined ? await simulate() : await plantAll(values.plant);

/** Runs a range of seeds. */
async function simulate(): Promise<number> {
  const began = performance.now();
  const failed =
    jobs > 1 ? await playInProcesses(fileURLToPath(import.meta.url), divide({ from, count }, jobs)) : await playHere();
  console.log(`${((performance.now() - began) / count).toFixed(1)} ms per seed`);
  console.log(`${String(count - failed)} passed, ${String(failed)} failed`);
  return failed > 0 ? 1 : 0;
}

async function playHere(): Promise<number> {
  let failed = 0;
  for (let seed = from; seed < from + count; seed++) {
    const { faults, story } = await runSeed(seed);
    if (faults.length > 0) {
      failed++;
      console.log(
        `seed ${String(seed)} failed; npm run simulate -- --from ${String(seed)} --count 1 --verbose repeats it`,
      );
      for (const fault of faults) console.log(`  ${fault}`);
    }
    if (values.verbose) for (const line of story) console.log(line);
  }
  return failed;
}

/** Plants bugs, one after the other, and runs seeds until each is found. */
async function plantAll(name: string): Promise<number> {
  const chosen: readonly Plant[] = name === "all" ? plants : plants.filter((plant) => plant.name === name);
  if (chosen.length === 0) {
    console.error(`unknown plant "${name}"; expected all or one of ${plants.map((plant) => plant.name).join(", ")}`);
    return 2;
  }
  let missed = 0;
  for (const plant of chosen) {
    let found: string | undefined;
    let seeds = 0;
    while (found === undefined && seeds < count) found = (await runSeed(from + seeds++, plant)).faults[0];
    if (found === undefined) missed++;
    const verdict =
      found === undefined
        ? `NOT found in ${String(seeds)} seeds`
        : `found after ${String(seeds)} ${seeds === 1 ? "seed" : "seeds"}: ${found}`;
    console.log(`${plant.name}: ${plant.about}\n  ${verdict.slice(0, 200)}`);
  }
  console.log(`${String(chosen.length - missed)} of ${String(chosen.length)} planted bugs found`);
  return missed > 0 ? 1 : 0;
}
