// Compares the order of dispatch of our queue set with upstream's, over random arrivals:
//
//   npm run test:fair-queues [-- CASES [SEED]]
//
// Needs Go; skips without it.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { QueueSet } from "../../../src/fairness/queue-set.js";
import { createVirtualClock } from "../../../src/fairness/virtual-clock.js";
import { randomFrom } from "../../support/random-writes.js";

interface Arrival {
  readonly atMs: number;
  readonly hash: string;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
  readonly serviceMs: number;
}

interface Case {
  readonly seats: number;
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
  readonly arrivals: readonly Arrival[];
}

interface Outcome {
  readonly dispatched: readonly { readonly index: number; readonly atMs: number }[];
  readonly rejected: readonly number[];
}

/** Creates arrivals that come and go in bursts, of narrow and of wide requests. */
function randomCase(random: () => number): Case {
  const upTo = (most: number): number => Math.floor(random() * most);
  const queues = 1 + upTo(24);
  const flows = Array.from({ length: 1 + upTo(12) }, () => ({
    hash: String(BigInt(upTo(2 ** 30)) * 2n ** 30n + BigInt(upTo(2 ** 30))),
    serviceMs: 1 + upTo(random() < 0.3 ? 500 : 30),
    initialSeats: random() < 0.3 ? 1 + upTo(12) : 1,
    writes: random() < 0.2,
  }));
  const spanMs = 50 + upTo(4000);
  const arrivals = Array.from({ length: 20 + upTo(400) }, () => {
    const flow = flows[upTo(flows.length)]!;
    return {
      atMs: upTo(spanMs),
      hash: flow.hash,
      initialSeats: flow.initialSeats,
      finalSeats: flow.writes ? 1 + upTo(10) : 0,
      additionalLatencyMs: flow.writes ? 1 + upTo(50) : 0,
      serviceMs: 1 + upTo(2 * flow.serviceMs),
    };
  });
  return {
    seats: 1 + upTo(12),
    queues,
    handSize: 1 + upTo(Math.min(queues, 8)),
    queueLengthLimit: 1 + upTo(50),
    arrivals,
  };
}

function simulate({ seats, arrivals, ...queuing }: Case): Outcome {
  const clock = createVirtualClock();
  const set = new QueueSet<number>(clock);
  set.configure(queuing, seats);
  const dispatched: { index: number; atMs: number }[] = [];
  const rejected: number[] = [];
  for (const [index, arrival] of arrivals.entries())
    clock.setTimer(() => {
      const request = set.start({
        schema: "schema",
        hash: BigInt(arrival.hash),
        work: arrival,
        details: index,
        onDispatch: () => {
          dispatched.push({ index, atMs: clock.now() });
          clock.setTimer(() => set.finish(request!), arrival.serviceMs);
        },
      });
      if (request === undefined) rejected.push(index);
    }, arrival.atMs);
  clock.runUntil(Number.MAX_SAFE_INTEGER);
  return { dispatched, rejected };
}

/** True if both dispatched in the same order at the same times. Upstream rounds times to nanoseconds, and prints whole ms. */
function agree(ours: Outcome, theirs: Outcome): boolean {
  return (
    isDeepStrictEqual(ours.rejected, theirs.rejected) &&
    ours.dispatched.length === theirs.dispatched.length &&
    ours.dispatched.every(({ index, atMs }, at) => {
      const other = theirs.dispatched[at]!;
      return index === other.index && atMs > other.atMs - 0.01 && atMs < other.atMs + 1.01;
    })
  );
}

/** Builds upstream's side, or returns `undefined` if Go is missing. */
function build(): string | undefined {
  if (spawnSync("go", ["version"]).status !== 0) return undefined;
  const program = join(mkdtempSync(join(tmpdir(), "fair-queues-")), "fair-queues");
  execFileSync("go", ["build", "-o", program, "."], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: "inherit",
  });
  return program;
}

const cases = Number(process.argv[2] ?? 500);
const seed = Number(process.argv[3] ?? process.env["KUBESTREAM_SEED"] ?? 1);
const program = process.env["FAIR_QUEUES_PROGRAM"] ?? build();
if (program === undefined) {
  console.log("skipped: Go is missing");
  process.exit(0);
}
const random = randomFrom(seed);
const all = Array.from({ length: cases }, () => randomCase(random));
const text = execFileSync(program, {
  input: all.map((each) => JSON.stringify(each)).join("\n"),
  maxBuffer: 1 << 30,
}).toString();
const upstream = text
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Outcome);
let requests = 0;
let differing = 0;
for (const [at, each] of all.entries()) {
  const ours = simulate(each);
  requests += each.arrivals.length;
  if (agree(ours, upstream[at]!)) continue;
  differing += 1;
  if (differing > 3) continue;
  const theirs = upstream[at]!;
  const first = ours.dispatched.findIndex(({ index }, i) => index !== theirs.dispatched[i]?.index);
  console.log(`case ${String(at)} differs at dispatch ${String(first)}:`, {
    ours: ours.dispatched.slice(first, first + 3),
    upstream: theirs.dispatched.slice(first, first + 3),
    rejected: [ours.rejected.length, theirs.rejected.length],
    seats: each.seats,
    queues: each.queues,
    handSize: each.handSize,
  });
}
console.log(
  `${String(cases - differing)} of ${String(cases)} cases agree, ${String(requests)} requests (seed ${String(seed)})`,
);
process.exit(differing === 0 ? 0 : 1);
