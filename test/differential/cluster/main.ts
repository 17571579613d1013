// Runs the same random histories of workloads on a real cluster (kube-apiserver, kube-controller-manager, kube-scheduler
// and kwok) and on `createCluster`, and compares the objects after each step:
//   REAL_KUBECONFIG=FILE npx tsx test/differential/cluster/main.ts [HISTORIES] [FIRST SEED]
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../../src/client/client.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { createRandom } from "../../../src/cluster/time/random.js";
import { Namespace, Node, ServiceAccount } from "../../../src/kinds/core/v1.js";
import { connect } from "../../../src/node/connection/connect.js";
import { historyOf } from "./histories.js";
import { readState } from "./normal-state.js";

const limitMs = 120_000;
const stepsOfHistory = 6;

/** Waits until a namespace doesn't change any more. Returns its state. */
async function settle(client: Client, namespace: string): Promise<string[]> {
  let before = "";
  for (const since = Date.now(); ; await delay(700)) {
    const { objects, isSettled } = await readState(client, namespace);
    const text = objects.join("\n");
    if ((isSettled && text === before) || Date.now() - since > limitMs) return objects;
    before = text;
  }
}

async function prepare(client: Client, namespace: string): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const accounts = client.resource(ServiceAccount).namespace(namespace);
  while ((await accounts.getOptional("default")) === undefined) await delay(50);
}

/** Lists the lines of the first list that the second doesn't have as often. */
function without(a: readonly string[], b: readonly string[]): string[] {
  const rest = [...b];
  return a.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** Describes objects that only one side has. Of two of the same kind, it shows only the fields that differ. */
function describe(theirs: readonly string[], ours: readonly string[]): string[] {
  const kindOf = (line: string): string => line.slice(0, line.indexOf(" "));
  const left = [...ours];
  const lines: string[] = [];
  for (const line of theirs) {
    const at = left.findIndex((each) => kindOf(each) === kindOf(line));
    if (at < 0) {
      lines.push(`  only real: ${line}`);
      continue;
    }
    const [other = ""] = left.splice(at, 1);
    const [a, b] = [line, other].map((text) => fieldsOf(JSON.parse(text.slice(text.indexOf(" "))), kindOf(text)));
    lines.push(
      ...without(a!, b!).map((field) => `  real: ${field}`),
      ...without(b!, a!).map((field) => `  ours: ${field}`),
    );
  }
  return [...new Set([...lines, ...left.map((line) => `  only ours: ${line}`)])];
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, `${path}.${name}`));
}

const [count = 3, first = 1] = process.argv.slice(2).map(Number);
const real = await connect({ kubeconfig: process.env["REAL_KUBECONFIG"]! });
const { items } = await real.resource(Node).list();
const nodes = items.map(({ metadata }) => metadata!.name!).sort();
const cluster = await createCluster({
  nodes: items.map(({ metadata }) => ({
    name: metadata!.name!,
    labels: metadata!.labels,
    capacity: { cpu: "32", memory: "256Gi", pods: "110" },
  })),
});
let [equal, steps] = [0, 0];
try {
  for (let seed = first; seed < first + count; seed++) {
    const namespace = `history-${String(seed)}`;
    const equalBefore = equal;
    const history = historyOf(createRandom(seed), nodes, stepsOfHistory);
    const both = [real, cluster.client];
    await Promise.all(both.map((client) => prepare(client, namespace)));
    for (const [index, { title, run }] of history.entries()) {
      const [theirs = [], ours = []] = await Promise.all(
        both.map(async (client) => {
          await run(client, namespace);
          return await settle(client, namespace);
        }),
      );
      steps += 1;
      const differences = describe(without(theirs, ours), without(ours, theirs));
      if (differences.length === 0) equal += 1;
      else console.log(`seed ${String(seed)}, step ${String(index + 1)}, ${title}:\n${differences.join("\n")}`);
    }
    console.log(`seed ${String(seed)}: ${String(equal - equalBefore)} of ${String(history.length)} steps end alike`);
    await Promise.all(both.map((client) => client.resource(Namespace).delete(namespace)));
  }
} finally {
  console.log(`${String(equal)} of ${String(steps)} steps of ${String(count)} histories end alike`);
  await cluster.close();
  await real.close();
}
process.exitCode = equal === steps ? 0 : 1;
