import { DaemonSet, Deployment, ReplicaSet } from "../../../../src/kinds/apps/v1.js";
import { Job } from "../../../../src/kinds/batch/v1.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import {
  act,
  crash,
  create,
  image,
  note,
  onNodesOf,
  patch,
  readiness,
  remove,
  type Scenario,
  type ScenarioStep,
  type Stage,
  template,
  unready,
  wait,
  web,
  workload,
} from "../scenario.js";

const setsOf = ({ client, namespace }: Stage) => client.resource(ReplicaSet).namespace(namespace);
const podsOf = ({ client, namespace }: Stage) => client.resource(Pod).namespace(namespace);
const annotate = (annotations: object): ScenarioStep =>
  patch("Deployment", "web", { metadata: { annotations } }, 8_000);
/** Sets a condition of all pods with a readiness gate. */
const setGate = (status: "True" | "False"): ScenarioStep =>
  act(`set the gate to ${status}`, async (stage) => {
    const { items } = await podsOf(stage).list({ labelSelector: "app=web" });
    for (const { metadata } of items)
      await podsOf(stage)
        .subresource("status")
        .patch(metadata!.name!, {
          type: "strategic",
          patch: { status: { conditions: [{ type: "example.com/gate", status }] } },
        });
  });

const deployments: readonly Scenario[] = [
  {
    name: "deployment-hash-collision",
    steps: [
      create("Deployment", "web", web({ replicas: 1 })),
      remove("Deployment", "web", { propagationPolicy: "Orphan" }),
      act("change the template of the ReplicaSet that stays", async (stage) => {
        const { items } = await setsOf(stage).list();
        await setsOf(stage).patch(items[0]!.metadata!.name!, {
          type: "merge",
          patch: { spec: { template: { metadata: { annotations: { changed: "x" } } } } },
        });
      }),
      create("Deployment", "web", web({ replicas: 1 }), 12_000),
      note("collisions", async ({ client, namespace }) => {
        const { status } = await client.resource(Deployment).namespace(namespace).get("web");
        return status?.collisionCount;
      }),
    ],
  },
  {
    name: "deployment-rollback-annotation",
    steps: [
      create("Deployment", "web", web({ replicas: 1 })),
      patch("Deployment", "web", image("web:2"), 8_000),
      annotate({ "deprecated.deployment.rollback.to": "1" }),
      annotate({ "deprecated.deployment.rollback.to": "0" }),
      annotate({ "deprecated.deployment.rollback.to": "9" }),
    ],
  },
  {
    name: "deployment-gates",
    steps: [
      create(
        "Deployment",
        "web",
        web({ replicas: 2, progressDeadlineSeconds: 10 }, "web:1", {
          readinessGates: [{ conditionType: "example.com/gate" }],
        }),
      ),
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      wait(12_000),
      setGate("True"),
      setGate("False"),
    ],
  },
  {
    name: "deployment-flapping",
    steps: [
      create("Deployment", "web", web({ replicas: 2, minReadySeconds: 10 }, "web:1", {}, readiness), 18_000),
      act("let probes fail", ({ cluster, namespace }) =>
        cluster.pods({ namespace, labels: "app=web" }).failProbe("readiness"),
      ),
      act("let probes pass", ({ cluster, namespace }) =>
        cluster.pods({ namespace, labels: "app=web" }).passProbe("readiness"),
      ),
      wait(10_000),
      patch("Deployment", "web", { spec: { minReadySeconds: 0 } }),
    ],
  },
  {
    name: "deployment-deadline-paused",
    steps: [
      create("Deployment", "web", web({ replicas: 1, progressDeadlineSeconds: 8 })),
      patch("Deployment", "web", unready, 4_000),
      patch("Deployment", "web", { spec: { paused: true } }, 15_000),
      patch("Deployment", "web", { spec: { paused: false } }, 15_000),
      patch("Deployment", "web", image("web:3", readiness), 12_000),
    ],
  },
  {
    name: "deployment-set-scaled-by-hand",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      act("scale the ReplicaSet", async (stage) => {
        const { items } = await setsOf(stage).list();
        await setsOf(stage)
          .subresource("scale")
          .patch(items[0]!.metadata!.name!, { type: "merge", patch: { spec: { replicas: 5 } } });
      }),
      act("take the ReplicaSet's owner away", async (stage) => {
        const { items } = await setsOf(stage).list();
        await setsOf(stage).patch(items[0]!.metadata!.name!, {
          type: "merge",
          patch: { metadata: { ownerReferences: null } },
        });
      }),
      act("take the ReplicaSet's label away", async (stage) => {
        const { items } = await setsOf(stage).list();
        await setsOf(stage).patch(items[0]!.metadata!.name!, {
          type: "merge",
          patch: { metadata: { labels: { app: "other" } } },
        });
      }),
    ],
  },
  {
    name: "workloads-priority-missing",
    steps: [
      create("Deployment", "web", web({ replicas: 2 }, "web:1", { priorityClassName: "late-class" })),
      create(
        "StatefulSet",
        "db",
        workload("db", { replicas: 2, serviceName: "db" }, "db:1", { priorityClassName: "late-class" }),
      ),
      create("Job", "job", {
        spec: { template: template("job", "exit-0:1", { restartPolicy: "Never", priorityClassName: "late-class" }) },
      }),
      create(
        "DaemonSet",
        "agent",
        workload("agent", {}, "agent:1", {
          priorityClassName: "late-class",
          nodeSelector: { "kubernetes.io/hostname": "node-1" },
        }),
      ),
      act(
        "create the class",
        ({ client, namespace }) =>
          client
            .resource(PriorityClass)
            .create({ metadata: { name: "late-class", labels: { scenario: namespace } }, value: 7 }),
        60_000,
      ),
      act("delete the class", ({ client }) => client.resource(PriorityClass).delete("late-class"), 500),
    ],
  },
];

const others: readonly Scenario[] = [
  {
    name: "stateful-sets-of-one-selector",
    steps: [
      create("StatefulSet", "db", workload("db", { replicas: 1, serviceName: "db" })),
      create("StatefulSet", "other", workload("db", { replicas: 1, serviceName: "db" })),
      act("take the owner of a pod away", (stage) =>
        podsOf(stage).patch("db-0", { type: "merge", patch: { metadata: { ownerReferences: null } } }),
      ),
      create("Pod", "db-1", {
        metadata: { name: "db-1", labels: { app: "db" } },
        spec: { containers: [{ name: "main", image: "x:1" }] },
      }),
      patch("StatefulSet", "db", { spec: { replicas: 2 } }, 10_000),
    ],
  },
  {
    name: "stateful-ordinals-moved",
    steps: [
      create("StatefulSet", "db", workload("db", { replicas: 2, serviceName: "db", ordinals: { start: 1 } }), 8_000),
      patch("StatefulSet", "db", { spec: { ordinals: { start: 3 } } }, 12_000),
      patch(
        "StatefulSet",
        "db",
        { spec: { ordinals: null, updateStrategy: { rollingUpdate: { partition: 1 } } } },
        12_000,
      ),
      patch("StatefulSet", "db", image("db:2"), 10_000),
    ],
  },
  {
    name: "daemon-adoption",
    nodes: 2,
    steps: [
      create("Pod", "early", {
        metadata: { name: "early", labels: { app: "agent" } },
        spec: { nodeName: "daemon-adoption-1", containers: [{ name: "main", image: "x:1" }] },
      }),
      create("DaemonSet", "agent", workload("agent", {}, "agent:1", onNodesOf("daemon-adoption"))),
      create("Pod", "second", {
        metadata: { name: "second", labels: { app: "agent" } },
        spec: { nodeName: "daemon-adoption-2", containers: [{ name: "main", image: "x:1" }] },
      }),
      patch("DaemonSet", "agent", image("agent:2"), 12_000),
      act("change the revision by hand", async ({ client, namespace }) => {
        await client
          .resource(DaemonSet)
          .namespace(namespace)
          .patch("agent", { type: "merge", patch: { spec: { revisionHistoryLimit: 0 } } });
      }),
      remove("DaemonSet", "agent", { propagationPolicy: "Orphan" }),
      create("DaemonSet", "agent", workload("agent", {}, "agent:2", onNodesOf("daemon-adoption"))),
    ],
  },
  {
    name: "job-ttl-finalizer",
    steps: [
      create("Job", "job", {
        metadata: { name: "job", finalizers: ["example.com/hold"] },
        spec: { ttlSecondsAfterFinished: 3, template: template("job", "exit-0:1", { restartPolicy: "Never" }) },
      }),
      wait(8_000),
      patch("Job", "job", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "job-ignored-condition",
    steps: [
      create("Job", "job", {
        spec: {
          backoffLimit: 0,
          completions: 1,
          podFailurePolicy: {
            rules: [
              { action: "Ignore", onPodConditions: [{ type: "example.com/Moved", status: "True" }] },
              { action: "FailJob", onExitCodes: { containerName: "main", operator: "NotIn", values: [1, 2] } },
            ],
          },
          template: template("job", "stay:1", { restartPolicy: "Never" }),
        },
      }),
      act("set the condition", async (stage) => {
        const { items } = await podsOf(stage).list();
        await podsOf(stage)
          .subresource("status")
          .patch(items[0]!.metadata!.name!, {
            type: "strategic",
            patch: { status: { conditions: [{ type: "example.com/Moved", status: "True" }] } },
          });
      }),
      crash("app=job", 1, 15_000),
      crash("app=job", 7, 10_000),
    ],
  },
  {
    name: "job-pod-adopted",
    steps: [
      create("Job", "job", {
        spec: {
          manualSelector: true,
          selector: { matchLabels: { app: "job" } },
          completions: 2,
          parallelism: 1,
          template: template("job", "stay:1", { restartPolicy: "Never" }),
        },
      }),
      create("Pod", "extra", {
        metadata: { name: "extra", labels: { app: "job" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "exit-0:1" }] },
      }),
      act("take the owner of a running pod away", async (stage) => {
        const { items } = await podsOf(stage).list({ labelSelector: "app=job" });
        const running = items.find(({ status }) => status?.phase === "Running")?.metadata?.name;
        if (running !== undefined)
          await podsOf(stage).patch(running, { type: "merge", patch: { metadata: { ownerReferences: null } } });
      }),
      crash("app=job", 0, 10_000),
      act("take the owner of an ended pod away", async ({ client, namespace }) => {
        const { status } = await client.resource(Job).namespace(namespace).get("job");
        const pods = client.resource(Pod).namespace(namespace);
        await pods.patch("extra", { type: "merge", patch: { metadata: { ownerReferences: null } } });
        return status;
      }),
    ],
  },
];

export const rolloutEdges: readonly Scenario[] = [...deployments, ...others];
