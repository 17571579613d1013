import { Deployment, ReplicaSet } from "../../../../src/kinds/apps/v1.js";
import { Node, Pod, type Taint } from "../../../../src/kinds/core/v1.js";
import { undoRollout } from "../../../../src/operations/rollout.js";
import {
  act,
  crash,
  create,
  image,
  onNodesOf,
  ownTaint,
  patch,
  patchNode,
  remove,
  type Scenario,
  type ScenarioStep,
  template,
  unready,
  wait,
  web,
  workload,
} from "../scenario.js";

const db = (spec: object, ...rest: [name?: string, pod?: object, container?: object]): object =>
  workload("db", { serviceName: "db", ...spec }, ...rest);
const job = (spec: object, image: string, pod: object = {}, container: object = {}): object => ({
  spec: { ...spec, template: template("job", image, { restartPolicy: "Never", ...pod }, container) },
});
const scale = (kind: string, name: string, replicas: number, waitMs?: number): ScenarioStep =>
  patch(kind, name, { spec: { replicas } }, waitMs);

const deployments: readonly Scenario[] = [
  {
    name: "deployment-paused-changes",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      patch("Deployment", "web", { spec: { paused: true } }),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", image("web:3", { env: [{ name: "A", value: "1" }] })),
      scale("Deployment", "web", 4),
      patch("Deployment", "web", { spec: { paused: false, revisionHistoryLimit: 0 } }, 10_000),
    ],
  },
  {
    name: "deployment-deadline-recovers",
    steps: [
      create("Deployment", "web", web({ replicas: 2, progressDeadlineSeconds: 5 })),
      patch("Deployment", "web", unready, 12_000),
      patch("Deployment", "web", { spec: { progressDeadlineSeconds: 600 } }),
      scale("Deployment", "web", 3),
      patch("Deployment", "web", image("web:1", { readinessProbe: null }), 10_000),
    ],
  },
  {
    name: "deployment-rounding",
    steps: [
      create("Deployment", "web", web({ replicas: 3 })),
      patch("Deployment", "web", unready),
      patch("Deployment", "web", { spec: { strategy: { rollingUpdate: { maxSurge: "0%", maxUnavailable: "1%" } } } }),
      patch("Deployment", "web", { spec: { strategy: { rollingUpdate: { maxSurge: "34%", maxUnavailable: "67%" } } } }),
      patch("Deployment", "web", { spec: { strategy: { rollingUpdate: { maxSurge: "250%" } } } }),
      scale("Deployment", "web", 0),
    ],
  },
  {
    name: "deployments-of-one-selector",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      create("Deployment", "other", web({ replicas: 1 }, "web:2")),
      remove("Deployment", "web", { propagationPolicy: "Orphan" }),
      patch("Deployment", "other", image("web:1"), 10_000),
    ],
  },
  {
    name: "deployment-undo-twice",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      patch("Deployment", "web", image("web:2"), 10_000),
      patch("Deployment", "web", image("web:3"), 10_000),
      act(
        "undo to revision 1",
        ({ client, namespace }) =>
          undoRollout(
            client.resource(Deployment).namespace(namespace),
            client.resource(ReplicaSet).namespace(namespace),
            "web",
            { toRevision: 1 },
          ),
        10_000,
      ),
      patch("Deployment", "web", image("web:2"), 10_000),
    ],
  },
  {
    name: "replica-set-terminating",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2 }, "stubborn:1", { terminationGracePeriodSeconds: 15 })),
      scale("ReplicaSet", "web", 0, 4_000),
      scale("ReplicaSet", "web", 1, 4_000),
      wait(15_000),
    ],
  },
  {
    name: "replication-controller-template",
    steps: [
      create("ReplicationController", "web", {
        spec: { replicas: 2, selector: { app: "web" }, template: template("web") },
      }),
      patch("ReplicationController", "web", image("web:2")),
      scale("ReplicationController", "web", 3),
      patch(
        "ReplicationController",
        "web",
        { spec: { selector: { app: "web", tier: "a" }, template: { metadata: { labels: { tier: "a" } } } } },
        8_000,
      ),
      remove("ReplicationController", "web", { propagationPolicy: "Orphan" }),
    ],
  },
];

const claims = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

const statefulSets: readonly Scenario[] = [
  {
    name: "stateful-broken-revision",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3 }), 12_000),
      patch("StatefulSet", "db", unready, 10_000),
      patch("StatefulSet", "db", image("web:1", { readinessProbe: null }), 10_000),
      remove("Pod", "db-2", {}, 15_000),
      scale("StatefulSet", "db", 1, 12_000),
    ],
  },
  {
    name: "stateful-parallel-broken",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3, podManagementPolicy: "Parallel" })),
      patch("StatefulSet", "db", unready, 10_000),
      scale("StatefulSet", "db", 5, 8_000),
      patch("StatefulSet", "db", image("web:3", { readinessProbe: null }), 15_000),
      scale("StatefulSet", "db", 0, 8_000),
    ],
  },
  {
    name: "stateful-claims-again",
    steps: [
      create(
        "StatefulSet",
        "db",
        db({
          replicas: 3,
          ...claims,
          podManagementPolicy: "Parallel",
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain", whenDeleted: "Retain" },
        }),
      ),
      scale("StatefulSet", "db", 1),
      scale("StatefulSet", "db", 3),
      remove("StatefulSet", "db", { propagationPolicy: "Background" }),
      create("StatefulSet", "db", db({ replicas: 2, ...claims, podManagementPolicy: "Parallel" })),
    ],
  },
  {
    name: "stateful-pod-unscheduled",
    nodes: 1,
    steps: [
      create(
        "StatefulSet",
        "db",
        db({ replicas: 3 }, "web:1", onNodesOf("stateful-pod-unscheduled"), { resources: { requests: { cpu: "2" } } }),
        15_000,
      ),
      patch("StatefulSet", "db", image("web:2", { resources: { requests: { cpu: "1" } } }), 10_000),
      remove("Pod", "db-2", {}, 15_000),
    ],
  },
];

const dedicated = (effect: "NoSchedule" | "NoExecute"): Taint => ({ key: "dedicated", value: "x", effect });
const daemonSets: readonly Scenario[] = [
  {
    name: "daemon-taints",
    nodes: 3,
    steps: [
      create("DaemonSet", "agent", workload("agent", {}, "web:1", onNodesOf("daemon-taints"))),
      patchNode("daemon-taints-1", { spec: { unschedulable: true } }),
      patchNode("daemon-taints-2", { spec: { taints: [ownTaint("daemon-taints"), dedicated("NoSchedule")] } }),
      patchNode("daemon-taints-3", { spec: { taints: [ownTaint("daemon-taints"), dedicated("NoExecute")] } }, 8_000),
      patch("DaemonSet", "agent", { spec: { template: { spec: { tolerations: [{ operator: "Exists" }] } } } }, 10_000),
      patchNode("daemon-taints-1", { spec: { unschedulable: null }, metadata: { labels: { pool: "elsewhere" } } }),
    ],
  },
  {
    name: "daemon-node-rejoins",
    nodes: 2,
    steps: [
      create("DaemonSet", "agent", workload("agent", {}, "web:1", onNodesOf("daemon-node-rejoins"))),
      act(
        "remove a node",
        async ({ client, cluster }) => {
          await cluster.nodes("daemon-node-rejoins-2").crash();
          await client.resource(Node).delete("daemon-node-rejoins-2");
        },
        70_000,
      ),
      act("the node joins again", ({ cluster }) => cluster.nodes("daemon-node-rejoins-2").recover(), 10_000),
    ],
  },
];

const jobs: readonly Scenario[] = [
  {
    name: "job-success-terminating",
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            completionMode: "Indexed",
            completions: 3,
            parallelism: 3,
            successPolicy: { rules: [{ succeededIndexes: "0" }] },
          },
          "stubborn:1",
          { terminationGracePeriodSeconds: 12 },
        ),
      ),
      crash("batch.kubernetes.io/job-completion-index=0", 0, 4_000),
      wait(14_000),
    ],
  },
  {
    name: "job-failure-terminating",
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            completions: 3,
            parallelism: 3,
            podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] },
          },
          "stubborn:1",
          { terminationGracePeriodSeconds: 12 },
        ),
      ),
      act(
        "one pod fails",
        async ({ client, cluster, namespace }) => {
          const { items } = await client.resource(Pod).namespace(namespace).list();
          await cluster.pods({ namespace, name: items[0]!.metadata!.name! }).crash({ exitCode: 42 });
        },
        4_000,
      ),
      wait(14_000),
    ],
  },
  {
    name: "job-index-retried",
    steps: [
      create(
        "Job",
        "job",
        job(
          { completionMode: "Indexed", completions: 3, parallelism: 1, backoffLimitPerIndex: 1, maxFailedIndexes: 3 },
          "exit-at:1",
          {},
          { args: ["1"] },
        ),
        40_000,
      ),
    ],
  },
  {
    name: "job-suspended-midway",
    steps: [
      create(
        "Job",
        "job",
        job({ completionMode: "Indexed", completions: 4, parallelism: 2 }, "stay:1", {
          terminationGracePeriodSeconds: 1,
        }),
      ),
      crash("batch.kubernetes.io/job-completion-index=0", 0),
      patch("Job", "job", { spec: { suspend: true } }),
      patch("Job", "job", { spec: { parallelism: 4 } }),
      patch("Job", "job", {
        spec: { template: { metadata: { annotations: { queue: "a" } }, spec: { nodeSelector: { pool: "common" } } } },
      }),
      patch("Job", "job", { spec: { suspend: false } }),
      crash("app=job", 0, 8_000),
    ],
  },
  {
    name: "job-sidecar",
    steps: [
      create(
        "Job",
        "job",
        job({ backoffLimit: 1 }, "exit-0:1", {
          initContainers: [{ name: "proxy", image: "stay:1", restartPolicy: "Always" }],
        }),
        10_000,
      ),
    ],
  },
  {
    name: "job-deadline-of-pod",
    steps: [create("Job", "job", job({ backoffLimit: 0 }, "stay:1", { activeDeadlineSeconds: 4 }), 12_000)],
  },
];

/** Workloads that change while they roll out, shrink or end. */
export const workloadChanges: readonly Scenario[] = [...deployments, ...statefulSets, ...daemonSets, ...jobs];
