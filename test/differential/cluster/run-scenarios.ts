// Runs the scenarios on real components and on `createCluster`, with the same simulated nodes, and prints what differs:
//   REAL_KUBECONFIG=FILE npx tsx test/differential/cluster/run-scenarios.ts [--only NAME]… [--lanes N] [--part K/N] [--metrics] [--random COUNT] [--seed FIRST]
// With --part 2/5, the second fifth of them. With --metrics, the scenarios of autoscalers with usage.
// With --random 20 --seed 101, the random histories of the seeds 101 to 120, without events. The file leads to a kube-apiserver with kube-controller-manager and kube-scheduler, but without nodes.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createKubeletListener } from "../../../src/apiserver/node/kubelet-listener.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { joinCluster } from "../../../src/cluster/join-cluster.js";
import { isNotFound } from "../../../src/errors/predicates.js";
import { StatusError } from "../../../src/errors/status-error.js";
import { Namespace, Node, PersistentVolume, ServiceAccount } from "../../../src/kinds/core/v1.js";
import { ClusterRole } from "../../../src/kinds/rbac/v1.js";
import { DeviceClass, ResourceSlice } from "../../../src/kinds/resource/v1.js";
import { CSIDriver, CSINode, StorageClass } from "../../../src/kinds/storage/v1.js";
import type { Kind } from "../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../src/meta/object.js";
import { connect } from "../../../src/node/connection/connect.js";
import { describeDifferences, without } from "./compare-states.js";
import { withoutPace } from "./normal-state.js";
import { observe } from "./observed-state.js";
import { randomScenario } from "./random/random-scenario.js";
import { images, nodesOf, type ScenarioStep } from "./scenario.js";
import { autoscaling, scenarios } from "./scenarios/index.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    lanes: { type: "string", default: "20" },
    part: { type: "string", default: "1/1" },
    metrics: { type: "boolean", default: false },
    random: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
  },
});
const [part = 1, parts = 1] = values.part.split("/").map(Number);
const random = Array.from({ length: Number(values.random) }, (_, index) => randomScenario(Number(values.seed) + index));
const chosen = (random.length > 0 ? random : values.metrics ? autoscaling : scenarios)
  .filter(({ name }) => values.only?.some((word) => name.includes(word)) ?? true)
  .filter((_, index, { length }) => Math.floor((index * parts) / length) === part - 1);
const nodes = nodesOf(chosen);
const client = await connect({ kubeconfig: process.env["REAL_KUBECONFIG"]!, onWarning: () => undefined });
const kubelets = values.metrics ? createKubeletListener() : undefined;
const joined = await joinCluster(client, { nodes, images, kubelets, controllers: [], scheduler: false });
const own = await createCluster({ nodes, images, metrics: values.metrics, server: { rootCa: "any" } });
const view = random.length > 0 ? { events: false, view: withoutPace } : { events: true };
const sides = [
  { client, cluster: joined, observer: await observe(client, view) },
  { client: own.client, cluster: own, observer: await observe(own.client, view) },
];
/** Time in milliseconds without a change after which a namespace has settled. */
const quietMs = 2_500;
/** Time in milliseconds that the slower side has to catch up, so that a loaded machine makes no differences. */
const patienceMs = 15_000;
const run = String(Date.now() % 100_000);

/** Describes a refusal by what clients act on: code, reason and the fields of its causes. */
function describeProblem(error: unknown): string {
  if (!(error instanceof StatusError)) return String(error);
  const { code, reason = "", details } = error.status;
  const causes = (details?.causes ?? []).map(({ field = "", reason: cause = "" }) => `${field} ${cause}`.trim());
  return [code, reason, ...causes].join(", ");
}

type Side = (typeof sides)[number];

async function open({ client }: Side, namespace: string): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const accounts = client.resource(ServiceAccount).namespace(namespace);
  while ((await accounts.getOptional("default")) === undefined) await delay(50);
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

async function clean({ client }: Side, namespace: string): Promise<void> {
  await client.resource(Namespace).delete(namespace).catch(ignoreNotFound);
  const labelSelector = `scenario=${namespace}`;
  for (const kind of [ClusterRole, CSIDriver, CSINode, DeviceClass, PersistentVolume, ResourceSlice, StorageClass])
    await client.resource(kind as Kind<KubernetesObject>).deleteCollection({ labelSelector });
}

/** Plays a step on both sides. Returns the differences that remain when both have settled and the slower one has caught up. */
async function play({ title, run, waitMs = 6_000 }: ScenarioStep, namespace: string): Promise<string[]> {
  const problems = await Promise.all(
    sides.map((side) =>
      run({ ...side, namespace }).then(
        () => [],
        (error: unknown) => [`Problem ${JSON.stringify(`${title}: ${describeProblem(error)}`)}`],
      ),
    ),
  );
  await delay(waitMs);
  const isQuiet = (): boolean => sides.every(({ observer }) => observer.quietMs(namespace) >= quietMs);
  for (let more = 0; more < 40 && !isQuiet(); more++) await delay(500);
  for (const end = Date.now() + patienceMs; ; await delay(1_000)) {
    const [real, ours] = sides.map(({ observer }, side) => [...problems[side]!, ...observer.read(namespace)]);
    const differences = describeDifferences(without(real!, ours!), without(ours!, real!));
    if (differences.length === 0 || Date.now() > end) return differences;
  }
}

let [equal, total] = [0, 0];
const queue = [...chosen];
const lane = async (): Promise<void> => {
  for (let scenario = queue.shift(); scenario !== undefined; scenario = queue.shift()) {
    const { name, steps } = scenario;
    const namespace = `${name}-${run}`;
    const lines: string[] = [];
    let before: readonly string[] = [];
    await Promise.all(sides.map((side) => open(side, namespace)));
    for (const [index, step] of steps.entries()) {
      const differences = await play(step, namespace);
      total += 1;
      if (differences.length === 0) equal += 1;
      else
        lines.push(`${name}, step ${String(index + 1)}, ${step.title.slice(0, 120)}:`, ...without(differences, before));
      before = differences;
    }
    await Promise.all(sides.map((side) => clean(side, namespace)));
    console.log(lines.length === 0 ? `${name}: equal` : lines.join("\n"));
  }
};
try {
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
} finally {
  console.log(`${String(equal)} of ${String(total)} steps of ${String(chosen.length)} scenarios end alike`);
  await Promise.all(sides.map(({ observer }) => observer.close()));
  await own.close();
  await joined.close();
  for (const { name } of nodes) await client.resource(Node).delete(name);
  await client.close();
}
process.exitCode = equal === total ? 0 : 1;
