import { parseArgs } from "node:util";
import { plants } from "./plants.js";
import type { Plant } from "./run-seed.js";
import { runSeed } from "./run-seed.js";

const { values } = parseArgs({
  options: { from: { type: "string", default: "1" }, count: { type: "string", default: "100" }, plant: { type: "string" }, verbose: { type: "boolean", default: false } },
});
const from = Number(values.from);
const count = Number(values.count);
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error("usage: simulate [--from SEED] [--count N] [--plant NAME|all] [--verbose]");
  process.exit(2);
}
process.exitCode = values.plant === undefined ? await simulate() : await plantAll(values.plant);

/** Plays a range of seeds. */
async function simulate(): Promise<number> {
  let failed = 0;
  const began = performance.now();
  for (let seed = from; seed < from + count; seed++) {
    const { faults, story } = await runSeed(seed);
    if (faults.length > 0) {
      failed++;
      console.log(`seed ${String(seed)} failed; npm run simulate -- --from ${String(seed)} --count 1 --verbose plays it again`);
      for (const fault of faults) console.log(`  ${fault}`);
    }
    if (values.verbose) for (const line of story) console.log(line);
  }
  console.log(`${((performance.now() - began) / count).toFixed(1)} ms per seed`);
  console.log(`${String(count - failed)} passed, ${String(failed)} failed`);
  return failed > 0 ? 1 : 0;
}

/** Plants bugs, one after the other, and plays seeds until each is found. */
async function plantAll(name: string): Promise<number> {
  const chosen: readonly Plant[] = name === "all" ? plants : plants.filter((plant) => plant.name === name);
  if (chosen.length === 0) {
    console.error(`no plant "${name}"; there are: ${plants.map((plant) => plant.name).join(", ")}`);
    return 2;
  }
  let missed = 0;
  for (const plant of chosen) {
    let found: string | undefined;
    let seeds = 0;
    while (found === undefined && seeds < count) found = (await runSeed(from + seeds++, plant)).faults[0];
    if (found === undefined) missed++;
    const verdict = found === undefined ? `NOT found in ${String(seeds)} seeds` : `found after ${String(seeds)} ${seeds === 1 ? "seed" : "seeds"}: ${found}`;
    console.log(`${plant.name}: ${plant.about}\n  ${verdict.slice(0, 200)}`);
  }
  console.log(`${String(chosen.length - missed)} of ${String(chosen.length)} planted bugs found`);
  return missed > 0 ? 1 : 0;
}
