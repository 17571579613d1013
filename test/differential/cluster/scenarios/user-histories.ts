import { drain } from "../../../../src/operations/drain.js";
import {
  act,
  crash,
  create,
  image,
  onNodesOf,
  patch,
  patchFirst,
  patchNode,
  readiness,
  remove,
  removeFirst,
  type Scenario,
  unready,
  web,
  workload,
} from "../scenario.js";

const jobPod = (name: string, spec: object = {}): object => ({
  metadata: { labels: { app: "job" } },
  spec: {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "main", image: name }],
    ...spec,
  },
});
const stateful = (spec: object, pod: object = {}, container: object = {}): object =>
  workload("db", { serviceName: "db", ...spec }, "db:1", pod, container);

const rollouts: readonly Scenario[] = [
  {
    name: "deployment-scaled-in-rollout",
    steps: [
      create("Deployment", "web", web({ replicas: 3 }, "web:1", {}, readiness)),
      patch("Deployment", "web", unready),
      patch("Deployment", "web", { spec: { replicas: 6 } }),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
      patch("Deployment", "web", { spec: { replicas: 0 } }),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "deployment-strategy-changed",
    steps: [
      create("Deployment", "web", web({ replicas: 3 }, "web:1", {}, readiness)),
      patch("Deployment", "web", unready),
      patch("Deployment", "web", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }, 8_000),
      patch("Deployment", "web", { spec: { strategy: { type: "RollingUpdate" } } }),
      patch("Deployment", "web", { spec: { revisionHistoryLimit: 0 } }),
    ],
  },
  {
    name: "deployment-all-unavailable",
    steps: [
      create(
        "Deployment",
        "web",
        web(
          { replicas: 4, minReadySeconds: 2, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "100%" } } },
          "web:1",
          {},
          readiness,
        ),
        8_000,
      ),
      patch("Deployment", "web", unready),
      removeFirst("app=web"),
      patch("Deployment", "web", { spec: { minReadySeconds: 0, progressDeadlineSeconds: 3 } }, 9_000),
      patch("Deployment", "web", image("web:1", readiness), 8_000),
    ],
  },
  {
    name: "deployment-rolled-at-zero",
    steps: [
      create("Deployment", "web", web({ replicas: 0 })),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", { spec: { paused: true, replicas: 2 } }),
      patch("Deployment", "web", image("web:3")),
      patch("Deployment", "web", { spec: { paused: false } }),
    ],
  },
  {
    name: "replica-set-pods-released",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2 })),
      patchFirst("app=web", { metadata: { labels: { app: "debug" } } }),
      patch("ReplicaSet", "web", { spec: { replicas: 1 } }),
      patchFirst("app=debug", { metadata: { labels: { app: "web" } } }),
      patchFirst("app=web", { metadata: { ownerReferences: null } }),
    ],
  },
  {
    name: "replica-set-pod-held",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2 })),
      patchFirst("app=web", { metadata: { finalizers: ["example.com/hold"] } }),
      removeFirst("app=web"),
      patch("ReplicaSet", "web", { spec: { replicas: 1 } }),
      remove("ReplicaSet", "web", { propagationPolicy: "Foreground" }),
    ],
  },
];

const sets: readonly Scenario[] = [
  {
    name: "stateful-on-delete-parallel",
    steps: [
      create(
        "StatefulSet",
        "db",
        stateful({ replicas: 3, podManagementPolicy: "Parallel", updateStrategy: { type: "OnDelete" } }),
      ),
      patch("StatefulSet", "db", image("db:2")),
      remove("Pod", "db-1"),
      patch("StatefulSet", "db", { spec: { replicas: 4 } }),
      patch("StatefulSet", "db", { spec: { updateStrategy: { type: "RollingUpdate" } } }, 10_000),
    ],
  },
  {
    name: "stateful-scaled-while-stuck",
    steps: [
      create("StatefulSet", "db", stateful({ replicas: 2 }, {}, readiness), 8_000),
      patch("StatefulSet", "db", unready, 8_000),
      patch("StatefulSet", "db", { spec: { replicas: 3 } }),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
      patch("StatefulSet", "db", image("db:3", readiness)),
      remove("Pod", "db-0", {}, 8_000),
    ],
  },
  {
    name: "stateful-pod-held",
    steps: [
      create("StatefulSet", "db", stateful({ replicas: 2 }), 8_000),
      patch("Pod", "db-0", { metadata: { finalizers: ["example.com/hold"] } }),
      remove("Pod", "db-0"),
      patch("StatefulSet", "db", { spec: { replicas: 3 } }),
      patch("Pod", "db-0", { metadata: { finalizers: null } }, 10_000),
    ],
  },
  {
    name: "stateful-unavailable-two",
    steps: [
      create(
        "StatefulSet",
        "db",
        stateful(
          { replicas: 4, podManagementPolicy: "Parallel", updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } },
          {},
          readiness,
        ),
      ),
      patch("StatefulSet", "db", unready, 8_000),
      patch("StatefulSet", "db", { spec: { replicas: 5 } }),
      patch("StatefulSet", "db", image("db:3", readiness), 15_000),
    ],
  },
  {
    name: "daemon-node-labels",
    nodes: 2,
    steps: [
      create("DaemonSet", "web", web({}, "web:1", onNodesOf("daemon-node-labels"))),
      patchNode("daemon-node-labels-1", { metadata: { labels: { pool: "none" } } }),
      patch("DaemonSet", "web", { spec: { template: { spec: { nodeSelector: { pool: "none" } } } } }, 8_000),
      patchFirst("app=web", { metadata: { finalizers: ["example.com/hold"] } }),
      patchNode("daemon-node-labels-1", { metadata: { labels: { pool: "daemon-node-labels" } } }),
      patchFirst("app=web", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "daemon-drained",
    nodes: 2,
    steps: [
      create("DaemonSet", "agent", workload("agent", {}, "agent:1", onNodesOf("daemon-drained"))),
      create("Deployment", "web", web({ replicas: 2 }, "web:1", onNodesOf("daemon-drained"))),
      act(
        "drain a node",
        ({ client }) =>
          drain(client, "daemon-drained-1", { ignoreDaemonSets: true, signal: AbortSignal.timeout(20_000) }),
        8_000,
      ),
      patch("DaemonSet", "agent", image("agent:2"), 8_000),
      patch("Deployment", "web", { spec: { replicas: 4 } }),
      patchNode("daemon-drained-1", { spec: { unschedulable: false } }),
    ],
  },
];

const batch: readonly Scenario[] = [
  {
    name: "job-limits-changed",
    steps: [
      create("Job", "job", {
        spec: {
          completions: 3,
          parallelism: 1,
          backoffLimit: 3,
          activeDeadlineSeconds: 600,
          template: jobPod("stay:1"),
        },
      }),
      crash("app=job", 1, 15_000),
      patch("Job", "job", { spec: { backoffLimit: 0 } }),
      crash("app=job", 1, 8_000),
    ],
  },
  {
    name: "job-deadline-lowered",
    steps: [
      create("Job", "job", {
        spec: { parallelism: 2, completions: 2, activeDeadlineSeconds: 600, template: jobPod("stay:1") },
      }),
      patch("Job", "job", { spec: { parallelism: 0 } }),
      patch("Job", "job", { spec: { parallelism: 1 } }),
      patch("Job", "job", { spec: { activeDeadlineSeconds: 3 } }, 8_000),
    ],
  },
  {
    name: "job-ttl-suspended",
    steps: [
      create("Job", "job", { spec: { suspend: true, ttlSecondsAfterFinished: 3, template: jobPod("exit-0:1") } }),
      patch("Job", "job", { metadata: { finalizers: ["example.com/hold"] }, spec: { suspend: false } }, 12_000),
      patch("Job", "job", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "job-policy-not-in",
    steps: [
      create("Job", "job", {
        spec: {
          completions: 2,
          parallelism: 2,
          backoffLimit: 1,
          podFailurePolicy: {
            rules: [
              { action: "FailJob", onExitCodes: { containerName: "main", operator: "NotIn", values: [1, 3] } },
              { action: "Ignore", onExitCodes: { operator: "In", values: [3] } },
            ],
          },
          template: jobPod("stay:1"),
        },
      }),
      crash("app=job", 3, 15_000),
      crash("app=job", 1, 15_000),
      crash("app=job", 42, 10_000),
    ],
  },
  {
    name: "cron-orphan",
    steps: [
      create(
        "CronJob",
        "tick",
        {
          spec: {
            schedule: "* * * * *",
            concurrencyPolicy: "Forbid",
            startingDeadlineSeconds: 20,
            jobTemplate: { spec: { template: jobPod("stay:1") } },
          },
        },
        125_000,
      ),
      remove("CronJob", "tick", { propagationPolicy: "Orphan" }),
      crash("app=job", 0, 8_000),
    ],
  },
];

/** Histories of workloads as users of a test cluster write them. */
export const userHistories: readonly Scenario[] = [...rollouts, ...sets, ...batch];
