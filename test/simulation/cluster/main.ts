import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { simulate } from "../jobs.js";
import { runClusterSeed } from "./run-cluster-seed.js";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    seconds: { type: "string", default: "Infinity" },
    jobs: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const [from, count, seconds] = [Number(values.from), Number(values.count), Number(values.seconds)];
const jobs = Number(values.jobs ?? (values.verbose || count < 20 ? 1 : availableParallelism()));
if (![from, count, jobs].every((value) => Number.isInteger(value)) || count < 1 || jobs < 1 || !(seconds > 0)) {
  console.error("usage: simulate:cluster [--from SEED] [--count N] [--seconds N] [--jobs PROCESSES] [--verbose]");
  process.exit(2);
}
process.exitCode = await simulate({
  command: "simulate:cluster",
  script: fileURLToPath(import.meta.url),
  from,
  count,
  jobs,
  seconds,
  verbose: values.verbose,
  run: runClusterSeed,
});
