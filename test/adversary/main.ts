import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { Outcome } from "./supervisor.js";
import { Supervisor } from "./supervisor.js";
import { targetGroups, targetNames } from "./targets/targets.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    target: { type: "string" },
    cases: { type: "string" },
    jobs: { type: "string", default: String(Math.min(availableParallelism(), 4)) },
    verbose: { type: "boolean", default: false },
  },
});
const [seconds, seed, jobs] = [Number(values.seconds), Number(values.seed), Number(values.jobs)];
/** Cases of each target. */
const cases = values.cases === undefined ? Infinity : Number(values.cases);
const targets = targetNames.filter((name) => values.target === undefined || name.startsWith(values.target));
const valid = Number.isSafeInteger(seed) && seconds > 0 && cases >= 1 && jobs >= 1 && targets.length > 0;
if (!valid) {
  console.error(
    `usage: test:adversary [--seconds N] [--seed S] [--target NAME] [--cases N] [--jobs N] [--verbose]\ntargets: ${targetNames.join(" ")}`,
  );
  process.exit(2);
}

const endsAt = performance.now() + seconds * 1_000;
const worst = new Map<string, Outcome>();
const failed: Outcome[] = [];
/** Cases that only exceeded a bound. They run again at the end, alone. */
const exceeded: { readonly outcome: Outcome; readonly supervisor: Supervisor }[] = [];
let ran = 0;

/** Targets of each group, their supervisor, and the number of cases that have started. */
const lanes = Object.entries(targetGroups)
  .map(([group, names]) => ({
    targets: names.filter((name) => targets.includes(name)),
    supervisor: new Supervisor(group),
    next: 0,
    busy: false,
  }))
  .filter((lane) => lane.targets.length > 0);

/** Returns the free group that has run the fewest seeds: each seed runs for every target before the next seed. */
function nextLane(): (typeof lanes)[number] | undefined {
  const free = lanes.filter((lane) => !lane.busy && lane.next < cases * lane.targets.length);
  const turn = (lane: (typeof lanes)[number]): number => lane.next / lane.targets.length;
  return free.toSorted((a, b) => turn(a) - turn(b))[0];
}

/** Runs cases. Each group has a child of its own, which runs one case at a time. */
async function work(): Promise<void> {
  for (let lane = nextLane(); lane !== undefined && performance.now() < endsAt; lane = nextLane()) {
    lane.busy = true;
    const at = lane.next++;
    const target = lane.targets[at % lane.targets.length]!;
    const outcome = await lane.supervisor.run(target, seed + Math.floor(at / lane.targets.length));
    lane.busy = false;
    ran++;
    if (values.verbose) console.log(row(outcome));
    if (outcome.exceeded) exceeded.push({ outcome, supervisor: lane.supervisor });
    else if (outcome.problems.length > 0) fail(outcome);
    const before = worst.get(outcome.target);
    if (before === undefined || share(outcome) > share(before)) worst.set(outcome.target, outcome);
  }
}

/** Runs the cases that exceeded a bound next to others again. A case that exceeds it alone, too, fails. */
async function repeatExceeded(): Promise<void> {
  for (const { supervisor } of lanes) supervisor[Symbol.dispose]();
  for (const { outcome, supervisor } of exceeded) {
    const again = await supervisor.repeat(outcome);
    supervisor[Symbol.dispose]();
    if (again.problems.length > 0) fail(again);
    else console.log(`exceeded first: ${outcome.problems.join("; ")}\n  ${row(again)}`);
  }
}

function fail(outcome: Outcome): void {
  failed.push(outcome);
  report(outcome);
}

function report({ target, seed: failing, plan, problems }: Outcome): void {
  console.log(`FAILED ${target}, seed ${String(failing)}: ${plan}`);
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`  npm run test:adversary -- --target ${target} --seed ${String(failing)} --cases 1 repeats it`);
}

/** Returns the larger part of a bound that a case used. */
function share({ cpuMs, memory }: Outcome): number {
  return Math.max(cpuMs[0] / cpuMs[1], memory[0] / memory[1]) || 0;
}

function row(outcome: Outcome): string {
  const { target, cpuMs, memory, factor, plan } = outcome;
  const megabytes = memory.map((bytes) => (bytes / 1024 / 1024).toFixed(0));
  const cpu = cpuMs.map((ms) => ms.toFixed(0));
  return `${target.padEnd(22)} seed ${String(outcome.seed)}  CPU ${cpu.join("/")} ms (${factor.toFixed(0)} × JSON.parse)  memory ${megabytes.join("/")} MB  ${plan.slice(0, 150)}`;
}

console.log(`seed ${String(seed)}, ${String(targets.length)} targets, ${String(seconds)} s`);
await Promise.all(Array.from({ length: jobs }, work));
await repeatExceeded();
for (const { supervisor } of lanes) supervisor[Symbol.dispose]();
console.log("the case of each target that came nearest to a bound:");
for (const target of targets) if (worst.has(target)) console.log(row(worst.get(target)!));
const first = exceeded.length - failed.filter((outcome) => outcome.exceeded).length;
console.log(
  `${String(ran - failed.length)} passed (${String(first)} exceeded a bound first), ${String(failed.length)} failed`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
