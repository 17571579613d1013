// Runs the same random histories of workloads on a real cluster (kube-apiserver, kube-controller-manager, kube-scheduler
// and kwok) and on `createCluster`, and compares the objects after each step:
//   REAL_KUBECONFIG=FILE npx tsx test/differential/cluster/main.ts [HISTORIES] [FIRST SEED] [LANES]
// Many histories run at once, each in a namespace and on nodes of its own.
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../../src/client/client.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import type { NodeTemplate } from "../../../src/cluster/nodes/node-agent.js";
import { createRandom } from "../../../src/cluster/time/random.js";
import { Namespace, Node, ServiceAccount } from "../../../src/kinds/core/v1.js";
import { connect } from "../../../src/node/connection/connect.js";
import { createOrUpdate } from "../../../src/objects/create-or-update.js";
import { describeDifferences, without } from "./compare-states.js";
import { historyOf, poolKey, type Step } from "./histories.js";
import { comparable } from "./normal-state.js";
import { type Observer, observe } from "./observed-state.js";

/** Time in milliseconds without a change after which a namespace has settled, and the longest wait for it. */
const quietMs = 3_000;
const limitMs = 120_000;
const stepsOfHistory = 6;
const nodesOfLane = 3;

const [count = 3, first = 1, lanes = 20] = process.argv.slice(2).map(Number);
const run = String(Date.now() % 100_000);
const capacity = { cpu: "32", memory: "256Gi", pods: "110" };
const poolOf = (lane: number): string => `lane-${String(lane)}`;
const nodesOf = (lane: number): NodeTemplate[] =>
  Array.from({ length: nodesOfLane }, (_, index) => ({
    name: `${poolOf(lane)}-${String(index + 1)}`,
    labels: { [poolKey]: poolOf(lane) },
    taints: [{ key: poolKey, value: poolOf(lane), effect: "NoSchedule" as const }],
    capacity,
  }));
const templates = Array.from({ length: lanes }, (_, lane) => nodesOf(lane)).flat();

interface Side {
  readonly client: Client;
  readonly observer: Observer;
}

/** Creates nodes for kwok. */
async function createNodes(client: Client): Promise<void> {
  const nodes = client.resource(Node);
  for (const { name, labels, taints } of templates) {
    await createOrUpdate(nodes, name, (node) => {
      node.metadata = {
        ...node.metadata,
        labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...labels },
        annotations: { "kwok.x-k8s.io/node": "fake" },
      };
      node.spec = { ...node.spec, taints: [...(taints ?? [])] };
    });
    const status = { allocatable: capacity, capacity };
    await nodes.subresource("status").patch(name, { type: "merge", patch: { status } });
  }
  const isReady = ({ status, spec }: Node): boolean =>
    status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true &&
    spec?.taints?.length === 1;
  for (;;) {
    const { items } = await nodes.list({ labelSelector: poolKey });
    if (items.every(isReady)) return;
    await delay(500);
  }
}

async function prepare(client: Client, namespace: string): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const accounts = client.resource(ServiceAccount).namespace(namespace);
  while ((await accounts.getOptional("default")) === undefined) await delay(100);
}

async function play({ client, observer }: Side, namespace: string, history: readonly Step[]): Promise<string[][]> {
  await prepare(client, namespace);
  const states: string[][] = [];
  for (const { run } of history) {
    await run(client, namespace);
    const since = Date.now();
    do await delay(500);
    while (
      Date.now() - since < limitMs &&
      (Date.now() - since < quietMs || observer.quietMs(namespace) < quietMs || !observer.isSettled(namespace))
    );
    states.push(observer.read(namespace));
  }
  await client.resource(Namespace).delete(namespace);
  return states;
}

const real = await connect({ kubeconfig: process.env["REAL_KUBECONFIG"]!, onWarning: () => undefined });
await createNodes(real);
const cluster = await createCluster({ nodes: templates, metrics: false });
const options = { events: false, view: comparable };
const sides: Side[] = await Promise.all(
  [real, cluster.client].map(async (client) => ({ client, observer: await observe(client, options) })),
);
let [equal, steps, alike] = [0, 0, 0];
let seed = first;
const lane = async (_: unknown, number: number): Promise<void> => {
  while (seed < first + count) {
    const own = seed++;
    const pool = poolOf(number);
    const nodes = nodesOf(number).map(({ name }) => name);
    const history = historyOf(createRandom(own), { nodes, pool, length: stepsOfHistory });
    const namespace = `history-${String(own)}-${run}`;
    const states = await Promise.all(sides.map((side) => play(side, namespace, history)));
    const lines: string[] = [];
    for (const [index, { title }] of history.entries()) {
      const [theirs = [], ours = []] = states.map((each) => each[index]!);
      const differences = describeDifferences(without(theirs, ours), without(ours, theirs));
      steps += 1;
      if (differences.length === 0) equal += 1;
      else lines.push(`seed ${String(own)}, step ${String(index + 1)}, ${title}:`, ...differences);
    }
    if (lines.length === 0) alike += 1;
    console.log(
      lines.length === 0 ? `seed ${String(own)}: all ${String(history.length)} steps end alike` : lines.join("\n"),
    );
  }
};
try {
  await Promise.all(Array.from({ length: lanes }).map(lane));
} finally {
  console.log(
    `${String(equal)} of ${String(steps)} steps and ${String(alike)} of ${String(count)} histories end alike`,
  );
  await Promise.all(sides.map(({ observer }) => observer.close()));
  await cluster.close();
  for (const { name } of templates) await real.resource(Node).delete(name);
  await real.close();
}
process.exitCode = equal === steps ? 0 : 1;
