import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import {
  act,
  cpu,
  crash,
  create,
  image,
  onNodesOf,
  ownTaint,
  patch,
  patchNode,
  readiness,
  remove,
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
const claims = [
  {
    metadata: { name: "data" },
    spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
];
const always = { restartPolicy: "Always" };
const stateful = (spec: object): object => workload("db", { serviceName: "db", ...spec }, "db:1");

const workloads: readonly Scenario[] = [
  {
    name: "stateful-retention-changed",
    steps: [
      create(
        "StatefulSet",
        "db",
        stateful({
          replicas: 2,
          podManagementPolicy: "Parallel",
          volumeClaimTemplates: claims,
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" },
        }),
      ),
      patch("StatefulSet", "db", {
        spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain", whenDeleted: "Delete" } },
      }),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
      remove("StatefulSet", "db", { propagationPolicy: "Background" }, 10_000),
    ],
  },
  {
    name: "stateful-partition-deleted-pods",
    steps: [
      create("StatefulSet", "db", stateful({ replicas: 3 }), 10_000),
      patch("StatefulSet", "db", { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } }),
      patch("StatefulSet", "db", image("db:2"), 10_000),
      remove("Pod", "db-0", {}, 8_000),
      remove("Pod", "db-2", {}, 8_000),
      patch("StatefulSet", "db", { spec: { ordinals: { start: 1 } } }, 12_000),
    ],
  },
  {
    name: "daemon-surge-broken",
    nodes: 2,
    steps: [
      create(
        "DaemonSet",
        "web",
        web(
          { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
          "web:1",
          onNodesOf("daemon-surge-broken"),
          readiness,
        ),
      ),
      patch("DaemonSet", "web", unready, 10_000),
      patch("DaemonSet", "web", image("web:3", readiness), 15_000),
    ],
  },
  {
    name: "deployment-without-surge",
    steps: [
      create(
        "Deployment",
        "web",
        web(
          { replicas: 3, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "34%" } } },
          "web:1",
          {},
          readiness,
        ),
      ),
      create("PodDisruptionBudget", "web", {
        spec: { minAvailable: "50%", selector: { matchLabels: { app: "web" } } },
      }),
      patch("Deployment", "web", unready, 8_000),
      patch("Deployment", "web", { spec: { replicas: 5 } }, 8_000),
      patch("Deployment", "web", image("web:3", readiness), 15_000),
    ],
  },
  {
    name: "quota-counts-workloads",
    steps: [
      create("ResourceQuota", "all", {
        spec: { hard: { "count/deployments.apps": "1", "count/replicasets.apps": "2", "limits.cpu": "1" } },
      }),
      create("LimitRange", "limits", {
        spec: { limits: [{ type: "Container", default: { cpu: "400m" }, max: { cpu: "500m" } }] },
      }),
      create("Deployment", "web", web({ replicas: 2 })),
      create("Deployment", "more", web({ replicas: 1 })),
      patch("Deployment", "web", { spec: { template: { metadata: { annotations: { version: "2" } } } } }, 10_000),
      patch("Deployment", "web", { spec: { template: { metadata: { annotations: { version: "3" } } } } }, 10_000),
      patch("ResourceQuota", "all", { spec: { hard: { "count/replicasets.apps": "5", "limits.cpu": "2" } } }, 15_000),
    ],
  },
];

const jobs: readonly Scenario[] = [
  {
    name: "job-replacement-suspended",
    steps: [
      create("Job", "job", {
        spec: { podReplacementPolicy: "Failed", completions: 2, parallelism: 2, template: jobPod("stay:1") },
      }),
      patch("Job", "job", { spec: { suspend: true } }, 8_000),
      patch("Job", "job", { spec: { suspend: false, parallelism: 1 } }, 8_000),
      crash("app=job", 1, 15_000),
      remove("Job", "job", { propagationPolicy: "Foreground" }, 10_000),
    ],
  },
  {
    name: "job-no-retries",
    steps: [
      create("Job", "job", { spec: { backoffLimit: 0, completions: 3, parallelism: 2, template: jobPod("stay:1") } }),
      crash("app=job", 1, 10_000),
    ],
  },
  {
    name: "job-init-fails",
    steps: [
      create(
        "Job",
        "job",
        {
          spec: {
            backoffLimit: 1,
            template: jobPod("exit-0:1", { initContainers: [{ name: "init", image: "exit-3:1" }] }),
          },
        },
        35_000,
      ),
    ],
  },
  {
    name: "cron-zone-changed",
    steps: [
      create("CronJob", "tick", {
        spec: {
          schedule: "* * * * *",
          timeZone: "Asia/Kathmandu",
          startingDeadlineSeconds: 30,
          jobTemplate: { spec: { template: jobPod("exit-0:1") } },
        },
      }),
      patch("CronJob", "tick", { spec: { timeZone: "America/St_Johns", startingDeadlineSeconds: null } }),
      patch("CronJob", "tick", { spec: { timeZone: null, schedule: "0 0 1 1 *" } }),
      patch("CronJob", "tick", { spec: { timeZone: "Local" } }, 500),
    ],
  },
];

const pods: readonly Scenario[] = [
  {
    name: "pod-sidecars-end",
    steps: [
      create("Pod", "web", {
        metadata: { name: "web", finalizers: ["example.com/hold"] },
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 2,
          initContainers: [
            { name: "proxy", image: "stay:1", ...always },
            { name: "log", image: "stay:1", ...always },
          ],
          containers: [{ name: "main", image: "stay:1" }],
        },
      }),
      remove("Pod", "web", {}, 8_000),
      patch("Pod", "web", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "tolerations-without-time",
    nodes: 1,
    steps: [
      ...[0, -5, 10].map((tolerationSeconds, index) =>
        create("Pod", `web-${String(index)}`, {
          spec: {
            ...onNodesOf("tolerations-without-time"),
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "main", image: "web:1" }],
            tolerations: [
              { key: "scenario", operator: "Exists" },
              { key: "example.com/x", operator: "Exists", effect: "NoExecute", tolerationSeconds },
            ],
          },
        }),
      ),
      patchNode(
        "tolerations-without-time-1",
        { spec: { taints: [ownTaint("tolerations-without-time"), { key: "example.com/x", effect: "NoExecute" }] } },
        20_000,
      ),
    ],
  },
  {
    name: "preempt-forbidden",
    nodes: 1,
    steps: [
      act("create priority classes", async ({ client }) => {
        for (const value of [10, 20, 1_000])
          await createOrUpdate(client.resource(PriorityClass), `priority-${String(value)}`, (existing) => {
            existing.value = value;
          });
      }),
      create("PodDisruptionBudget", "low", { spec: { maxUnavailable: 0, selector: { matchLabels: { app: "low" } } } }),
      create(
        "Deployment",
        "low",
        workload(
          "low",
          { replicas: 2 },
          "web:1",
          { ...onNodesOf("preempt-forbidden"), priorityClassName: "priority-10", terminationGracePeriodSeconds: 1 },
          cpu("1500m"),
        ),
      ),
      create("Pod", "high", {
        spec: {
          ...onNodesOf("preempt-forbidden"),
          priorityClassName: "priority-1000",
          containers: [{ name: "main", image: "web:1", ...cpu("2") }],
        },
      }),
      create("Pod", "middle", {
        spec: {
          ...onNodesOf("preempt-forbidden"),
          priorityClassName: "priority-20",
          containers: [{ name: "main", image: "web:1", ...cpu("3") }],
        },
      }),
    ],
  },
  {
    name: "node-cordoned-daemons",
    nodes: 2,
    steps: [
      create("DaemonSet", "web", web({}, "web:1", onNodesOf("node-cordoned-daemons"))),
      patchNode("node-cordoned-daemons-1", { spec: { unschedulable: true } }),
      patch("DaemonSet", "web", image("web:2"), 12_000),
      create(
        "Deployment",
        "api",
        workload("api", { replicas: 2 }, "web:1", { ...onNodesOf("node-cordoned-daemons"), priority: undefined }),
      ),
      patchNode("node-cordoned-daemons-1", { metadata: { labels: { pool: "none" } } }, 10_000),
    ],
  },
];

export const userEdges: readonly Scenario[] = [...workloads, ...jobs, ...pods];
