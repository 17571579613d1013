import { Pod } from "../../../../src/kinds/core/v1.js";
import type { Eviction } from "../../../../src/kinds/policy/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import {
  act,
  crash,
  create,
  image,
  onNodesOf,
  patch,
  patchNode,
  remove,
  type Scenario,
  template,
  unready,
  web,
} from "../scenario.js";

const selector = { matchLabels: { app: "agent" } };
const agent = (name: string, spec: object, image = "agent:1", pod: object = {}, container: object = {}): object => ({
  spec: { selector, template: template("agent", image, { ...onNodesOf(name), ...pod }, container), ...spec },
});
export const daemonSets: readonly Scenario[] = [
  {
    name: "daemon",
    nodes: 3,
    steps: [
      create("DaemonSet", "agent", agent("daemon", {})),
      patch("DaemonSet", "agent", image("agent:2"), 12_000),
      patchNode("daemon-1", { metadata: { labels: { pool: "other" } } }),
      patchNode("daemon-1", { metadata: { labels: { pool: "daemon" } } }),
      patchNode("daemon-2", { spec: { taints: [{ key: "example.com/x", value: "y", effect: "NoSchedule" }] } }),
      patchNode("daemon-3", { spec: { taints: [{ key: "example.com/x", value: "y", effect: "NoExecute" }] } }),
      patchNode("daemon-1", { spec: { unschedulable: true } }),
      remove("DaemonSet", "agent", { propagationPolicy: "Foreground" }),
    ],
  },
  {
    name: "daemon-surge",
    nodes: 2,
    steps: [
      create(
        "DaemonSet",
        "agent",
        agent("daemon-surge", { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
      ),
      patch("DaemonSet", "agent", unready),
      patch("DaemonSet", "agent", image("agent:3"), 12_000),
    ],
  },
  {
    name: "daemon-unavailable",
    nodes: 3,
    steps: [
      create(
        "DaemonSet",
        "agent",
        agent("daemon-unavailable", { updateStrategy: { rollingUpdate: { maxUnavailable: "50%" } } }),
      ),
      patch("DaemonSet", "agent", unready),
      patch("DaemonSet", "agent", image("agent:1"), 12_000),
    ],
  },
  {
    name: "daemon-on-delete",
    nodes: 2,
    steps: [
      create("DaemonSet", "agent", agent("daemon-on-delete", { updateStrategy: { type: "OnDelete" } })),
      patch("DaemonSet", "agent", image("agent:2")),
      act("delete the pods", ({ client, namespace }) =>
        client.resource(Pod).namespace(namespace).deleteCollection({ labelSelector: "app=agent" }),
      ),
    ],
  },
  {
    name: "daemon-min-ready",
    nodes: 2,
    steps: [
      create("DaemonSet", "agent", agent("daemon-min-ready", { minReadySeconds: 15 })),
      act("wait", () => Promise.resolve(), 20_000),
    ],
  },
  {
    name: "daemon-failed-pod",
    nodes: 1,
    steps: [
      create("DaemonSet", "agent", agent("daemon-failed-pod", {})),
      act("evict", ({ cluster, namespace }) => cluster.pods({ namespace, labels: "app=agent" }).evict(), 10_000),
    ],
  },
  {
    name: "daemon-too-large",
    nodes: 1,
    steps: [
      create(
        "DaemonSet",
        "agent",
        agent("daemon-too-large", {}, "agent:1", {}, { resources: { requests: { cpu: "100" } } }),
      ),
    ],
  },
];

const pod = (name: string, spec: object = {}, container: object = {}): object => ({
  spec: { ...onNodesOf(name), ...spec, containers: [{ name: "main", image: "web:1", ...container }] },
});
const requests = (cpu: string): object => ({ resources: { requests: { cpu } } });

export const scheduling: readonly Scenario[] = [
  {
    name: "preemption",
    nodes: 1,
    steps: [
      act("create the priority classes", async ({ client }) => {
        const { PriorityClass } = await import("../../../../src/kinds/scheduling/v1.js");
        const classes = client.resource(PriorityClass);
        for (const [name, preemptionPolicy] of [["scenario-high"], ["scenario-polite", "Never"]] as const)
          await createOrUpdate(classes, name!, (existing) => {
            existing.value = 1000;
            if (preemptionPolicy !== undefined) existing.preemptionPolicy = preemptionPolicy;
          });
      }),
      create("Pod", "low", pod("preemption", { terminationGracePeriodSeconds: 1 }, requests("3"))),
      create("Pod", "polite", pod("preemption", { priorityClassName: "scenario-polite" }, requests("2"))),
      create("Pod", "high", pod("preemption", { priorityClassName: "scenario-high" }, requests("2")), 8_000),
    ],
  },
  {
    name: "no-fit",
    nodes: 2,
    steps: [
      create("Pod", "large", pod("no-fit", {}, requests("100"))),
      create("Pod", "port", pod("no-fit", {}, { ports: [{ containerPort: 80, hostPort: 8080 }] })),
      create("Pod", "port-2", pod("no-fit", {}, { ports: [{ containerPort: 80, hostPort: 8080 }] })),
      create("Pod", "port-3", pod("no-fit", {}, { ports: [{ containerPort: 80, hostPort: 8080 }] })),
      create("Pod", "label", {
        spec: { nodeSelector: { pool: "nowhere" }, containers: [{ name: "main", image: "web:1" }] },
      }),
      create("Pod", "gated", pod("no-fit", { schedulingGates: [{ name: "example.com/wait" }] })),
      patch("Pod", "gated", { spec: { schedulingGates: null } }),
      create(
        "Pod",
        "claim",
        pod("no-fit", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "missing" } }] }),
      ),
    ],
  },
  {
    name: "spread",
    nodes: 2,
    steps: [
      create("Deployment", "web", {
        spec: {
          replicas: 4,
          selector: { matchLabels: { app: "web" } },
          template: template("web", "web:1", {
            ...onNodesOf("spread"),
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: "kubernetes.io/hostname",
                whenUnsatisfiable: "DoNotSchedule",
                labelSelector: { matchLabels: { app: "web" } },
              },
            ],
          }),
        },
      }),
      patchNode("spread-2", { spec: { unschedulable: true } }),
      patch("Deployment", "web", { spec: { replicas: 6 } }, 8_000),
    ],
  },
  {
    name: "anti-affinity",
    nodes: 2,
    steps: [
      create("Deployment", "web", {
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: "web" } },
          template: template("web", "web:1", {
            ...onNodesOf("anti-affinity"),
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
                ],
              },
            },
          }),
        },
      }),
    ],
  },
  {
    name: "node-lost",
    nodes: 2,
    steps: [
      create("Deployment", "web", {
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: "web" } },
          template: template("web", "web:1", {
            nodeSelector: { "kubernetes.io/hostname": "node-lost-1" },
            tolerations: [
              { key: "scenario", value: "node-lost", effect: "NoSchedule" },
              { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 },
              { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 },
            ],
          }),
        },
      }),
      act("cut the node off", async ({ cluster }) => cluster.nodes("node-lost-1").partition(), 100_000),
      act("heal the node", async ({ cluster }) => cluster.nodes("node-lost-1").recover(), 20_000),
    ],
  },
  {
    name: "taint-eviction",
    nodes: 1,
    steps: [
      create(
        "Pod",
        "stays",
        pod("taint-eviction", {
          nodeSelector: { "kubernetes.io/hostname": "taint-eviction-1" },
          tolerations: [{ operator: "Exists" as const }],
        }),
      ),
      create(
        "Pod",
        "goes-later",
        pod("taint-eviction", {
          tolerations: [
            { key: "scenario", operator: "Exists" },
            { key: "example.com/x", operator: "Exists", effect: "NoExecute", tolerationSeconds: 8 },
          ],
        }),
      ),
      create("Pod", "goes", pod("taint-eviction", { terminationGracePeriodSeconds: 1 })),
      patchNode("taint-eviction-1", { spec: { taints: [{ key: "example.com/x", effect: "NoExecute" }] } }, 4_000),
      act("wait", () => Promise.resolve(), 15_000),
    ],
  },
];

export const policies: readonly Scenario[] = [
  {
    name: "budget",
    steps: [
      create("PodDisruptionBudget", "web", {
        spec: { minAvailable: "50%", selector: { matchLabels: { app: "web" } } },
      }),
      create("Deployment", "web", web({ replicas: 4 })),
      act(
        "evict two pods",
        async ({ client, namespace }) => {
          const { items } = await client.resource(Pod).namespace(namespace).list();
          for (const { metadata } of items.slice(0, 2))
            await client
              .resource(Pod)
              .namespace(namespace)
              .subresource("eviction")
              .create(metadata!.name!, { metadata: { name: metadata!.name! } } as Eviction);
        },
        8_000,
      ),
      patch("PodDisruptionBudget", "web", { spec: { minAvailable: null, maxUnavailable: 0 } }),
      patch("PodDisruptionBudget", "web", { spec: { maxUnavailable: "30%" } }),
      patch("Deployment", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "budget-unmanaged",
    steps: [
      create("Pod", "loose", {
        metadata: { name: "loose", labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "web:1" }] },
      }),
      create("PodDisruptionBudget", "percent", {
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } },
      }),
      create("PodDisruptionBudget", "number", { spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } } }),
      create("PodDisruptionBudget", "none", { spec: { minAvailable: 1, selector: { matchLabels: { app: "none" } } } }),
    ],
  },
  {
    name: "service-endpoints",
    steps: [
      create("Service", "web", {
        spec: {
          selector: { app: "web" },
          ports: [
            { name: "http", port: 80, targetPort: "http" },
            { name: "other", port: 81 },
          ],
        },
      }),
      create(
        "Deployment",
        "web",
        web(
          { replicas: 2 },
          "web:1",
          { nodeSelector: { "kubernetes.io/hostname": "node-1" } },
          { ports: [{ name: "http", containerPort: 8080 }] },
        ),
      ),
      patch("Service", "web", { spec: { publishNotReadyAddresses: true } }),
      patch("Deployment", "web", { spec: { replicas: 0 } }),
      patch("Service", "web", { spec: { selector: null } }),
      remove("Service", "web", {}),
    ],
  },
  {
    name: "service-headless",
    steps: [
      create("Service", "db", { spec: { clusterIP: "None", selector: { app: "db" } } }),
      create("StatefulSet", "db", {
        spec: {
          serviceName: "db",
          replicas: 2,
          selector: { matchLabels: { app: "db" } },
          template: template("db", "db:1", { nodeSelector: { "kubernetes.io/hostname": "node-1" } }),
        },
      }),
    ],
  },
  {
    name: "quota",
    steps: [
      create("ResourceQuota", "all", {
        spec: {
          hard: {
            pods: "5",
            "requests.cpu": "2",
            "limits.memory": "4Gi",
            "count/deployments.apps": "2",
            services: "1",
            configmaps: "4",
            "requests.storage": "5Gi",
            persistentvolumeclaims: "2",
          },
        },
      }),
      create(
        "Deployment",
        "web",
        web({ replicas: 2 }, "web:1", {}, { resources: { requests: { cpu: "100m" }, limits: { memory: "1Gi" } } }),
      ),
      create("PersistentVolumeClaim", "data", {
        spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      create("Service", "web", { spec: { ports: [{ port: 80 }] } }),
      remove("Deployment", "web", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "quota-scopes",
    steps: [
      create("ResourceQuota", "best-effort", { spec: { hard: { pods: "5" }, scopes: ["BestEffort"] } }),
      create("ResourceQuota", "terminating", { spec: { hard: { pods: "5" }, scopes: ["Terminating"] } }),
      create("Pod", "plain", { spec: { containers: [{ name: "main", image: "web:1" }] } }),
      create("Pod", "limited", {
        spec: { activeDeadlineSeconds: 600, containers: [{ name: "main", image: "web:1", ...requests("10m") }] },
      }),
    ],
  },
  {
    name: "autoscaler-without-metrics",
    steps: [
      create("Deployment", "web", web({ replicas: 2 }, "web:1", {}, requests("100m"))),
      create(
        "HorizontalPodAutoscaler",
        "web",
        {
          spec: {
            minReplicas: 3,
            maxReplicas: 5,
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            metrics: [
              { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
            ],
          },
        },
        40_000,
      ),
      patch("Deployment", "web", { spec: { replicas: 0 } }, 30_000),
    ],
  },
  {
    name: "autoscaler-missing-target",
    steps: [
      create(
        "HorizontalPodAutoscaler",
        "web",
        {
          spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
        },
        30_000,
      ),
    ],
  },
  {
    name: "replication-controller",
    steps: [
      create("ReplicationController", "web", {
        spec: { replicas: 2, selector: { app: "web" }, template: template("web") },
      }),
      patch("ReplicationController", "web", { spec: { replicas: 1 } }),
      remove("ReplicationController", "web", { propagationPolicy: "Foreground" }),
    ],
  },
  {
    name: "crashing-pod",
    steps: [create("Deployment", "web", web({ replicas: 1 })), crash("app=web", 1, 4_000), crash("app=web", 1, 20_000)],
  },
  {
    name: "pod-failed",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2 })),
      act("evict", async ({ cluster, client, namespace }) => {
        const { items } = await client.resource(Pod).namespace(namespace).list();
        await cluster.pods({ namespace, name: items[0]!.metadata!.name! }).evict();
      }),
      remove("ReplicaSet", "web", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "owner-missing",
    steps: [
      create("ConfigMap", "child", {
        metadata: {
          name: "child",
          ownerReferences: [
            { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "00000000-0000-4000-8000-000000000000" },
          ],
        },
      }),
      create("ConfigMap", "kept", { metadata: { name: "kept" } }),
    ],
  },
  {
    name: "owners-two",
    steps: [
      create("ConfigMap", "a", {}),
      create("ConfigMap", "b", {}),
      act("create a child of both", async ({ client, namespace }) => {
        const { ConfigMap } = await import("../../../../src/kinds/core/v1.js");
        const maps = client.resource(ConfigMap).namespace(namespace);
        const [a, b] = [await maps.get("a"), await maps.get("b")];
        const ownerReferences = [a, b].map(({ metadata }) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: metadata!.name!,
          uid: metadata!.uid!,
        }));
        await maps.create({ metadata: { name: "child", ownerReferences } });
      }),
      remove("ConfigMap", "a", { propagationPolicy: "Background" }),
      remove("ConfigMap", "b", { propagationPolicy: "Background" }),
    ],
  },
];
