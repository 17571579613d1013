// Sends random sequences of requests to a real kube-apiserver and to ours, and reports the shortest ones with different
// results.
//
// PROBE_KUBECONFIG=… tsx test/differential/random.ts [--count N] [--seed N] [--kinds NAME,…] [--parallel N] [--compact]
// [--shrink N]
//
// A seed always gives the same sequence: `--seed N --count 1` repeats it. With `--compact`, history is discarded during
// the sequences, which run one at a time.
import { parseArgs } from "node:util";
import { masked } from "./random/identities.js";
import { randomKinds } from "./random/kinds.js";
import type { Run, RunOptions } from "./random/run.js";
import { classOf, prepare, runSequence, shrink } from "./random/run.js";
import { ownServer, realServer } from "./servers.js";

const { values } = parseArgs({
  options: {
    count: { type: "string" },
    seed: { type: "string" },
    kinds: { type: "string" },
    parallel: { type: "string" },
    shrink: { type: "string" },
    compact: { type: "boolean" },
  },
});

const written = (value: unknown): string =>
  typeof value === "string" ? masked(value) : value === undefined ? "absent" : JSON.stringify(value);

const cut = (value: unknown, from = 0): string => {
  const text = written(value);
  return `${from > 60 ? "…" : ""}${text.slice(from > 60 ? from - 50 : 0).slice(0, 300)}`;
};

/** Returns the position of the first difference between two serialized values. */
function firstDifference(real: unknown, own: unknown): number {
  const [wanted, got] = [written(real), written(own)];
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at += 1;
  return typeof real === typeof own ? at : 0;
}

function tell({ seed, requests, finding }: Run, times: number): void {
  console.log(`DIFF seed ${String(seed)} (${String(times)} times): ${finding!.request.slice(0, 900)}`);
  for (const request of requests) console.log(`   ${request.length > 1500 ? `${request.slice(0, 1500)}…` : request}`);
  for (const { at, real, own } of finding!.differences.slice(0, 5)) {
    const from = firstDifference(real, own);
    console.log(`   ${at}\n      real ${cut(real, from)}\n      ours ${cut(own, from)}`);
  }
}

const kubeconfig = process.env["PROBE_KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("PROBE_KUBECONFIG is required: the kubeconfig of a kube-apiserver");
const servers = { real: realServer(kubeconfig), own: await ownServer() };
const first = Number(values.seed ?? Date.now() % 1_000_000);
const count = Number(values.count ?? 100);
const kinds =
  values.kinds === undefined ? randomKinds : randomKinds.filter(({ name }) => values.kinds!.split(",").includes(name));
const optionsOf = (seed: number): RunOptions => ({
  seed,
  kinds,
  alone: values.compact === true,
});
console.log(`seeds ${String(first)} to ${String(first + count - 1)}`);
const found = new Map<string, Run[]>();
let steps = 0;
try {
  await prepare(servers);
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + count) {
      const run = await runSequence(servers, optionsOf(next++));
      steps += run.requests.length;
      if (run.finding === undefined) continue;
      const name = classOf(run.finding);
      found.set(name, [...(found.get(name) ?? []), run]);
    }
  };
  await Promise.all(Array.from({ length: values.compact === true ? 1 : Number(values.parallel ?? 6) }, work));
  let left = Number(values.shrink ?? 40);
  for (const runs of [...found.values()].sort((a, b) => b.length - a.length)) {
    const [shortest] = runs.sort((a, b) => a.requests.length - b.requests.length);
    tell(left-- > 0 ? await shrink(servers, optionsOf(shortest!.seed), shortest!) : shortest!, runs.length);
  }
} finally {
  await servers.real.close();
  await servers.own.close();
}
console.log(
  `${String(count)} sequences, ${String(steps)} requests of theirs, ${String([...found.values()].flat().length)} differ in ${String(found.size)} ways`,
);
process.exit(found.size === 0 ? 0 : 1);
