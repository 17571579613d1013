import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { simulate } from "./jobs.js";
import { plants } from "./plants.js";
import type { Plant } from "./run-seed.js";
import { runSeed } from "./run-seed.js";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string" },
    jobs: { type: "string" },
    seconds: { type: "string", default: "Infinity" },
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
const seconds = Number(values.seconds);
if (![from, count, jobs].every((value) => Number.isInteger(value)) || count < 1 || jobs < 1 || !(seconds > 0)) {
  console.error(
    "usage: simulate [--from SEED] [--count N] [--seconds N] [--jobs PROCESSES] [--plant NAME|all] [--verbose]",
  );
  process.exit(2);
}
const script = fileURLToPath(import.meta.url);
process.exitCode =
  values.plant === undefined
    ? await simulate({ command: "simulate", script, from, count, jobs, seconds, verbose: values.verbose, run: runSeed })
    : await plantAll(values.plant);

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
