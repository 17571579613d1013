import { Deployment, ReplicaSet } from "../../../../src/kinds/apps/v1.js";
import { act, create, image, patch, readiness, remove, type Scenario, template } from "../scenario.js";

const selector = { matchLabels: { app: "web" } };
const web = (spec: object, image = "web:1", pod: object = {}, container: object = {}): object => ({
  spec: { selector, template: template("web", image, pod, container), ...spec },
});

export const deployments: readonly Scenario[] = [
  {
    name: "rollout",
    steps: [
      create("Deployment", "web", web({ replicas: 3 })),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", image("web:3")),
      patch("Deployment", "web", image("web:1")),
      patch("Deployment", "web", { spec: { replicas: 0 } }),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "rollout-paused",
    steps: [
      create("Deployment", "web", web({ replicas: 2, paused: true })),
      patch("Deployment", "web", { spec: { paused: false } }),
      patch("Deployment", "web", { spec: { paused: true } }),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", { spec: { replicas: 4 } }),
      patch("Deployment", "web", { spec: { paused: false } }),
    ],
  },
  {
    // A paused Deployment loses its surplus history although its rollout isn't complete.
    name: "rollout-paused-history",
    steps: [
      create("Deployment", "web", web({ replicas: 1 })),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", image("web:3")),
      patch("Deployment", "web", {
        spec: { paused: true, revisionHistoryLimit: 0, ...(image("web:4") as { spec: object }).spec },
      }),
    ],
  },
  {
    name: "rollout-percentages",
    steps: [
      create(
        "Deployment",
        "web",
        web({ replicas: 10, strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } } }),
      ),
      patch("Deployment", "web", {
        spec: { template: { spec: { containers: [{ name: "main", image: "unready:1", ...readiness }] } } },
      }),
      patch("Deployment", "web", { spec: { replicas: 15 } }),
      patch("Deployment", "web", { spec: { replicas: 5 } }),
      patch("Deployment", "web", image("web:1")),
    ],
  },
  {
    name: "rollout-deadline",
    steps: [
      create("Deployment", "web", web({ replicas: 2, progressDeadlineSeconds: 5 })),
      patch(
        "Deployment",
        "web",
        { spec: { template: { spec: { containers: [{ name: "main", image: "unready:1", ...readiness }] } } } },
        12_000,
      ),
      patch("Deployment", "web", image("web:3"), 10_000),
    ],
  },
  {
    name: "rollout-deadline-at-start",
    steps: [
      create("Deployment", "web", web({ replicas: 2, progressDeadlineSeconds: 4 }, "unready:1", {}, readiness), 10_000),
    ],
  },
  {
    name: "recreate",
    steps: [
      create("Deployment", "web", web({ replicas: 3, strategy: { type: "Recreate" } })),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", { spec: { strategy: { type: "RollingUpdate" } } }),
    ],
  },
  {
    name: "min-ready",
    steps: [
      create("Deployment", "web", web({ replicas: 2, minReadySeconds: 20 })),
      act("wait", () => Promise.resolve(), 25_000),
      patch("Deployment", "web", image("web:2")),
    ],
  },
  {
    name: "history-limit",
    steps: [
      create("Deployment", "web", web({ replicas: 1, revisionHistoryLimit: 1 })),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", image("web:3")),
      patch("Deployment", "web", image("web:4")),
      patch("Deployment", "web", { spec: { revisionHistoryLimit: 0 } }),
    ],
  },
  {
    name: "deployment-annotations",
    steps: [
      create("Deployment", "web", {
        metadata: { name: "web", annotations: { note: "one", "kubernetes.io/change-cause": "create" } },
        ...web({ replicas: 1 }),
      }),
      patch("Deployment", "web", { metadata: { annotations: { note: "two", more: "yes" } } }),
      patch("Deployment", "web", { metadata: { annotations: { note: null } } }),
      patch("Deployment", "web", {
        metadata: { annotations: { "kubernetes.io/change-cause": "update" } },
        ...image("web:2"),
      }),
    ],
  },
  {
    name: "deployment-orphan",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      remove("Deployment", "web", { propagationPolicy: "Orphan" }),
      create("Deployment", "web", web({ replicas: 3 })),
      remove("Deployment", "web", { propagationPolicy: "Foreground" }),
    ],
  },
  {
    name: "deployment-foreground-finalizer",
    steps: [
      create("Deployment", "web", {
        metadata: { name: "web", finalizers: ["example.com/hold"] },
        ...web({ replicas: 1 }),
      }),
      remove("Deployment", "web", { propagationPolicy: "Background" }),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
      patch("Deployment", "web", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "replica-set-adoption",
    steps: [
      create("Pod", "loose", {
        metadata: { name: "loose", labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "web:1" }] },
      }),
      create("ReplicaSet", "web", web({ replicas: 2 })),
      act("release a pod", async ({ client, namespace }) => {
        const { Pod } = await import("../../../../src/kinds/core/v1.js");
        await client
          .resource(Pod)
          .namespace(namespace)
          .patch("loose", { type: "merge", patch: { metadata: { labels: { app: "other" } } } });
      }),
      patch("ReplicaSet", "web", { spec: { replicas: 0 } }),
      remove("ReplicaSet", "web", { propagationPolicy: "Orphan" }),
    ],
  },
  {
    name: "replica-set-pod-costs",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 3 })),
      act("prefer one pod", async ({ client, namespace }) => {
        const { Pod } = await import("../../../../src/kinds/core/v1.js");
        const pods = client.resource(Pod).namespace(namespace);
        const { items } = await pods.list();
        for (const [index, { metadata }] of items.entries())
          await pods.patch(metadata!.name!, {
            type: "merge",
            patch: { metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": String(index - 1) } } },
          });
      }),
      patch("ReplicaSet", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "replica-set-quota",
    steps: [
      create("ResourceQuota", "pods", { spec: { hard: { pods: "2", "requests.cpu": "1" } } }),
      create("ReplicaSet", "web", web({ replicas: 3 }, "web:1", {}, { resources: { requests: { cpu: "100m" } } })),
      patch("ResourceQuota", "pods", { spec: { hard: { pods: "4", "requests.cpu": "1" } } }, 20_000),
      patch("ReplicaSet", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "deployment-quota",
    steps: [
      create("ResourceQuota", "pods", { spec: { hard: { pods: "1" } } }),
      create("Deployment", "web", web({ replicas: 3, progressDeadlineSeconds: 5 }), 15_000),
      patch("Deployment", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "deployment-undo",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      patch("Deployment", "web", image("web:2")),
      patch("Deployment", "web", image("web:3")),
      act("undo to the first revision", async ({ client, namespace }) => {
        const sets = await client.resource(ReplicaSet).namespace(namespace).list();
        const first = sets.items.find(
          ({ metadata }) => metadata?.annotations?.["deployment.kubernetes.io/revision"] === "1",
        )!;
        const { labels, ...rest } = first.spec!.template!.metadata!;
        const { "pod-template-hash": _hash, ...own } = labels as Record<string, string>;
        await client
          .resource(Deployment)
          .namespace(namespace)
          .patch("web", {
            type: "merge",
            patch: { spec: { template: { ...first.spec!.template!, metadata: { ...rest, labels: own } } } },
          });
      }),
    ],
  },
  {
    name: "deployment-image-missing",
    steps: [
      create(
        "Deployment",
        "web",
        web({ replicas: 3, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }),
      ),
      patch("Deployment", "web", {
        spec: { template: { spec: { containers: [{ name: "main", image: "unready:1", ...readiness }] } } },
      }),
      patch("Deployment", "web", { spec: { strategy: { rollingUpdate: { maxUnavailable: 2 } } } }),
      patch("Deployment", "web", image("web:3")),
    ],
  },
  {
    name: "deployment-scheduling-gate",
    steps: [
      create("Deployment", "web", web({ replicas: 1 }, "web:1", { schedulingGates: [{ name: "example.com/wait" }] })),
      patch("Deployment", "web", { spec: { template: { spec: { schedulingGates: null } } } }),
    ],
  },
];
