// Rollouts and readiness compared with `kubectl rollout status`, for random states of workloads.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../src/client/client.js";
import { DaemonSet, Deployment, StatefulSet } from "../../src/kinds/apps/v1.js";
import { readinessOf } from "../../src/objects/readiness.js";
import { type RolloutProgress, rolloutStatus } from "../../src/operations/rollout-status.js";
import { bearerToken } from "../../src/transport/bearer-token.js";
import { handlerTransport } from "../../src/transport/handler.js";
import { createRandom, type Random } from "../simulation/random.js";
import { missing } from "./cluster.js";
import { type KubectlServer, runKubectl, startForKubectl } from "./kubectl.js";
import { findKubectl } from "./real-apiserver.js";

const kubectl = findKubectl();
const reason = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);
if (reason !== undefined) console.log(`kubectl rollout status: skipped: ${reason}`);

const selector = { matchLabels: { app: "a" } };
const template = { metadata: { labels: selector.matchLabels }, spec: { containers: [{ name: "a", image: "a" }] } };
const common = { selector, template };

/** Specification and status of a workload. Half of the numbers are those of a complete rollout. */
type State = readonly [spec: object, status: object];
const states: Readonly<Record<string, readonly [typeof Deployment, (random: Random) => State]>> = {
  deployment: [
    Deployment,
    (random) => {
      const wanted = random.int(4);
      const count = (most: number): number => (random.int(3) > 0 ? Math.min(wanted, most) : random.int(most + 1));
      const replicas = count(4);
      const readyReplicas = count(replicas);
      const progressing = random.pick([
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
        { type: "Progressing", status: "True", reason: "ReplicaSetUpdated" },
        { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" },
      ]);
      const conditions = [{ type: "Available", status: random.pick(["True", "True", "False"]) }, progressing];
      const counts = {
        replicas,
        updatedReplicas: count(replicas),
        readyReplicas,
        availableReplicas: count(readyReplicas),
      };
      return [{ replicas: wanted }, { ...counts, conditions }];
    },
  ],
  daemonset: [
    DaemonSet as unknown as typeof Deployment,
    (random) => {
      const wanted = random.int(4);
      const count = (): number => (random.int(3) > 0 ? wanted : random.int(wanted + 1));
      const spec = { updateStrategy: { type: random.pick(["RollingUpdate", "RollingUpdate", "OnDelete"]) } };
      const scheduled = { desiredNumberScheduled: wanted, currentNumberScheduled: count(), numberMisscheduled: 0 };
      return [spec, { ...scheduled, updatedNumberScheduled: count(), numberAvailable: count(), numberReady: count() }];
    },
  ],
  statefulset: [
    StatefulSet as unknown as typeof Deployment,
    (random) => {
      const wanted = random.int(4);
      const count = (most: number): number => (random.chance(0.85) ? Math.min(wanted, most) : random.int(most + 1));
      const replicas = count(4);
      const rollingUpdate = random.pick([undefined, { partition: 0 }, { partition: 0 }, { partition: 1 }]);
      const updateStrategy = random.chance(0.1) ? { type: "OnDelete" } : { type: "RollingUpdate", rollingUpdate };
      const counts = { replicas, readyReplicas: count(replicas), updatedReplicas: count(replicas), currentReplicas: 0 };
      return [
        { replicas: wanted, serviceName: "a", updateStrategy },
        { ...counts, currentRevision: "a-one", updateRevision: random.pick(["a-one", "a-two", "a-two"]) },
      ];
    },
  ],
};

/** Returns the numbers of a message, without those of names. */
const numbersOf = (message: string): number[] => (message.replace(/"[^"]*"/g, "").match(/\d+/g) ?? []).map(Number);

describe.skipIf(reason !== undefined)("rolloutStatus and readinessOf", () => {
  let served: KubectlServer;
  let client: Client;
  beforeAll(async () => {
    served = await startForKubectl(false);
    client = createClient({
      transport: handlerTransport(served.server.handle),
      interceptors: [bearerToken(() => "secret")],
      fieldManager: "t",
    });
  });
  afterAll(async () => {
    await client?.close();
    await served?.close();
  });

  it.each(Object.keys(states).flatMap((kind) => Array.from({ length: 20 }, (_, seed) => [kind, seed] as const)))(
    "agree with kubectl rollout status about a %s (seed %i)",
    async (resource, seed) => {
      const random = createRandom(seed, resource);
      const [kind, stateOf] = states[resource]!;
      const workloads = client.resource(kind).namespace("default");
      const name = `x${seed}`;
      const [spec, status] = stateOf(random);
      await workloads.create({ metadata: { name }, spec: { ...common, ...spec } as never });
      const changed = { spec: { template: { metadata: { annotations: { changed: "once" } } } } };
      const { metadata } = await workloads.patch(name, { type: "merge", patch: changed });
      const observedGeneration = metadata!.generation! - (random.chance(0.4) ? 1 : 0);
      await workloads
        .subresource("status")
        .patch(name, { type: "merge", patch: { status: { ...status, observedGeneration } as never } });

      const words = ["rollout", "status", `${resource}/${name}`, "--watch=false"];
      const { code, out, err } = await runKubectl(kubectl!, served.kubeconfig, served.folder, words);
      const expected =
        code === 0
          ? /successfully rolled out|roll out complete|rolling update complete/.test(out)
            ? "done"
            : "waiting"
          : "failed";
      if (expected === "failed") expect(err).toMatch(/exceeded its progress deadline|only available for RollingUpdate/);

      let progress: RolloutProgress | undefined;
      const actual = await rolloutStatus(workloads, name)
        .next()
        .then(({ value }) => {
          progress = value as RolloutProgress;
          return progress.done ? "done" : "waiting";
        })
        .catch(() => "failed");
      expect(actual, `${out}${err}${progress?.message}`).toBe(expected);
      // Of a StatefulSet, kubectl prints how many pods are not ready, or how many have the revision, without a total.
      if (actual === "waiting" && !/to be ready|at revision/.test(out))
        expect(numbersOf(progress!.message)).toEqual(numbersOf(out));

      const object = await workloads.get(name);
      const readiness = readinessOf(object).status;
      // For kubectl, what is updated by hand has no rollout; kstatus counts it as current or by its numbers.
      if (err.includes("only available for RollingUpdate")) return;
      if (readiness === "current") expect(expected).toBe("done");
      expect(readiness === "failed").toBe(expected === "failed");
    },
  );
});
