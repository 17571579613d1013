// Rules of single controllers, found by reading their source.
import { setTimeout as delay } from "node:timers/promises";
import { Job } from "../../../../src/kinds/batch/v1.js";
import { ConfigMap, Pod } from "../../../../src/kinds/core/v1.js";
import { ClusterRole } from "../../../../src/kinds/rbac/v1.js";
import {
  act,
  crash,
  create,
  image,
  note,
  onNodesOf,
  patch,
  patchFirst,
  patchNode,
  readiness,
  remove,
  type Scenario,
  type ScenarioStep,
  wait,
  workload,
} from "../scenario.js";
import { job as batchJob } from "./batch-edges.js";

const db = (spec: object, name?: string): object => workload("db", { serviceName: "db", ...spec }, name, {}, readiness);
const agent = (name: string, spec: object, imageName = "web:1", pod: object = {}): object =>
  workload("agent", spec, imageName, { ...onNodesOf(name), ...pod });
const deletePods = (labelSelector: string, waitMs?: number): ScenarioStep =>
  act(
    `delete pods with ${labelSelector}`,
    ({ client, namespace }) => client.resource(Pod).namespace(namespace).deleteCollection({ labelSelector }),
    waitMs,
  );
const evict = (labels: string, waitMs?: number): ScenarioStep =>
  act(`evict ${labels}`, ({ cluster, namespace }) => cluster.pods({ labels, namespace }).evict(), waitMs);
const job = (spec: object): object => batchJob(spec, "stay:1");
const tick = (spec: object): object => ({ spec: { jobTemplate: batchJob({}), ...spec } });
/** Waits for the sixth second of a minute. */
const startOfMinute = act("wait for a new minute", () => delay(66_000 - (Date.now() % 60_000)), 500);

export const statefulSetRules: readonly Scenario[] = [
  {
    name: "stateful-parallel-one-unready",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3, podManagementPolicy: "Parallel" })),
      act("fail db-0", ({ cluster, namespace }) => cluster.pods({ name: "db-0", namespace }).failProbe("readiness")),
      patch("StatefulSet", "db", image("web:2"), 15_000),
    ],
  },
  {
    name: "stateful-parallel-all-unready",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3, podManagementPolicy: "Parallel" }, "unready:1")),
      patch("StatefulSet", "db", image("unready:2"), 15_000),
      patch("StatefulSet", "db", image("web:2"), 15_000),
    ],
  },
  {
    name: "stateful-changed-at-zero",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, updateStrategy: { rollingUpdate: { partition: 2 } } })),
      patch("StatefulSet", "db", { spec: { replicas: 0 } }, 8_000),
      patch("StatefulSet", "db", image("web:2")),
      patch("StatefulSet", "db", { spec: { replicas: 3 } }, 10_000),
    ],
  },
  {
    name: "stateful-scaled-down-early",
    steps: [
      create("StatefulSet", "db", db({ replicas: 1, minReadySeconds: 20 }), 25_000),
      patch("StatefulSet", "db", { spec: { replicas: 2 } }, 4_000),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }, 1_000),
    ],
  },
];

export const daemonSetRules: readonly Scenario[] = [
  {
    name: "daemon-evicted",
    nodes: 1,
    steps: [
      create("DaemonSet", "agent", agent("daemon-evicted", {})),
      evict("app=agent", 400),
      evict("app=agent", 10_000),
      evict("app=agent", 400),
      note("pods", ({ client, namespace }) => podPhases(client.resource(Pod).namespace(namespace))),
      wait(10_000),
    ],
  },
  {
    name: "daemon-succeeded",
    nodes: 1,
    steps: [
      create("DaemonSet", "agent", agent("daemon-succeeded", {})),
      act("end the pod", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const [pod] = (await pods.list()).items;
        const patch = { status: { phase: "Succeeded" as const } };
        await pods.subresource("status").patch(pod!.metadata!.name!, { type: "merge", patch });
      }),
    ],
  },
  {
    name: "daemon-surge-deleted",
    nodes: 1,
    steps: [
      create(
        "DaemonSet",
        "agent",
        agent(
          "daemon-surge-deleted",
          { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
          "stubborn:1",
          { terminationGracePeriodSeconds: 40 },
        ),
      ),
      deletePods("app=agent", 4_000),
      wait(40_000),
    ],
  },
  {
    name: "daemon-surge-tainted",
    nodes: 2,
    steps: [
      create(
        "DaemonSet",
        "agent",
        agent("daemon-surge-tainted", {
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        }),
      ),
      patchNode("daemon-surge-tainted-1", {
        spec: { taints: [{ key: "other", value: "x", effect: "NoSchedule" }] },
      }),
      patch("DaemonSet", "agent", image("web:2"), 10_000),
    ],
  },
];

async function podPhases(pods: { list(): Promise<{ items: readonly Pod[] }> }): Promise<unknown> {
  return (await pods.list()).items.map(({ status }) => status?.phase).sort();
}

export const batchRules: readonly Scenario[] = [
  {
    name: "job-orphaned",
    steps: [
      create("Job", "job", job({ parallelism: 2 })),
      remove("Job", "job", { propagationPolicy: "Orphan" }),
      deletePods("app=job"),
    ],
  },
  {
    name: "job-pod-released",
    steps: [
      create("Job", "job", job({})),
      patchFirst("app=job", { metadata: { labels: { "batch.kubernetes.io/controller-uid": "other" } } }),
    ],
  },
  {
    name: "job-adopts",
    steps: [
      create("Pod", "early", {
        metadata: { name: "early", labels: { app: "job" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "stay:1" }] },
      }),
      create("Job", "job", job({ manualSelector: true, selector: { matchLabels: { app: "job" } } })),
      crash("app=job", 0),
    ],
  },
  {
    name: "job-suspended-start",
    steps: [
      create("Job", "job", job({})),
      patch("Job", "job", { spec: { suspend: true } }),
      note("started", async ({ client, namespace }) => {
        const { status } = await client.resource(Job).namespace(namespace).get("job");
        return status?.startTime !== undefined;
      }),
    ],
  },
  {
    name: "job-queue-narrowed",
    steps: [
      create("Job", "job", job({ parallelism: 3 })),
      act("end one pod", async ({ client, cluster, namespace }) => {
        const [pod] = (await client.resource(Pod).namespace(namespace).list()).items;
        await cluster.pods({ name: pod!.metadata!.name!, namespace }).crash({ exitCode: 0 });
      }),
      patch("Job", "job", { spec: { parallelism: 1 } }),
      crash("app=job", 0),
    ],
  },
  {
    name: "cron-schedule-changed-later",
    steps: [
      startOfMinute,
      create("CronJob", "tick", tick({ schedule: "0 0 1 1 *" }), 1_000),
      startOfMinute,
      patch("CronJob", "tick", { spec: { schedule: "* * * * *" } }, 5_000),
      note(
        "jobs",
        async ({ client, namespace }) => (await client.resource(Job).namespace(namespace).list()).items.length,
      ),
      wait(55_000),
      note(
        "times",
        async ({ client, namespace }) => (await client.resource(Job).namespace(namespace).list()).items.length,
      ),
    ],
  },
  {
    name: "cron-zoned",
    steps: [
      create("CronJob", "tick", tick({ schedule: "* * * * *", timeZone: "Asia/Tokyo" }), 65_000),
      note("zone", async ({ client, namespace }) => {
        const [first] = (await client.resource(Job).namespace(namespace).list()).items;
        return first?.metadata?.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]?.slice(19);
      }),
    ],
  },
];

export const ownerRules: readonly Scenario[] = [
  {
    name: "replica-set-finds-ended",
    steps: [
      create("Pod", "early", {
        metadata: { name: "early", labels: { app: "web" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "exit-0:1" }] },
      }),
      create("ReplicaSet", "web", workload("web", { replicas: 1 })),
      remove("ReplicaSet", "web"),
    ],
  },
  {
    name: "owner-in-namespace",
    steps: [
      create("ConfigMap", "owner", {}),
      act("let it own objects without a namespace and in another one", async ({ client, namespace }) => {
        const { metadata } = await client.resource(ConfigMap).namespace(namespace).get("owner");
        const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata!.uid! }];
        await client
          .resource(ClusterRole)
          .create({ metadata: { name: `owned-${namespace}`, labels: { scenario: namespace }, ownerReferences } });
        await client
          .resource(ConfigMap)
          .namespace("default")
          .create({ metadata: { name: `owned-${namespace}`, ownerReferences } });
      }),
      note("others", async ({ client, namespace }) => {
        const { items } = await client.resource(ConfigMap).namespace("default").list();
        return items.filter(({ metadata }) => metadata?.name === `owned-${namespace}`).length;
      }),
      remove("ConfigMap", "owner"),
    ],
  },
];
