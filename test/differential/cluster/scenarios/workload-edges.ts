import { ConfigMap, PersistentVolumeClaim, Pod } from "../../../../src/kinds/core/v1.js";
import {
  act,
  create,
  image,
  onNodesOf,
  patch,
  patchNode,
  readiness,
  remove,
  type Scenario,
  type ScenarioStep,
  unready,
  wait,
  web,
  workload,
} from "../scenario.js";

const db = (spec: object, ...rest: [name?: string, pod?: object, container?: object]): object =>
  workload("db", { serviceName: "db", ...spec }, ...rest);
const deletePod = (name: string, options: object = {}, waitMs?: number): ScenarioStep =>
  act(
    `delete pod ${name}`,
    ({ client, namespace }) => client.resource(Pod).namespace(namespace).delete(name, options),
    waitMs,
  );
const claims = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

const deployments: readonly Scenario[] = [
  {
    name: "deployment-proportional",
    steps: [
      create(
        "Deployment",
        "web",
        web({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }),
        8_000,
      ),
      patch("Deployment", "web", unready, 8_000),
      patch("Deployment", "web", { spec: { replicas: 15 } }, 8_000),
      patch("Deployment", "web", { spec: { replicas: 7 } }, 8_000),
      patch("Deployment", "web", image("web:3"), 10_000),
    ],
  },
  {
    name: "deployment-terminating",
    steps: [
      create(
        "Deployment",
        "web",
        web({ replicas: 2, strategy: { type: "Recreate" } }, "stubborn:1", { terminationGracePeriodSeconds: 20 }),
      ),
      patch("Deployment", "web", image("web:2"), 4_000),
      wait(25_000),
    ],
  },
  {
    name: "deployment-scaled-down-terminating",
    steps: [
      create("Deployment", "web", web({ replicas: 3 }, "stubborn:1", { terminationGracePeriodSeconds: 20 })),
      patch("Deployment", "web", { spec: { replicas: 1 } }, 4_000),
      patch("Deployment", "web", { spec: { replicas: 2 } }, 4_000),
      wait(25_000),
    ],
  },
  {
    name: "deployment-refused",
    steps: [
      create("LimitRange", "sizes", {
        spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "500m" } }] },
      }),
      create(
        "Deployment",
        "web",
        web({ replicas: 2, progressDeadlineSeconds: 6 }, "web:1", {}, { resources: { limits: { cpu: "2" } } }),
        15_000,
      ),
      patch("Deployment", "web", image("web:2", { resources: { limits: { cpu: "1" } } }), 10_000),
    ],
  },
  {
    name: "deployment-rollover",
    steps: [
      create("Deployment", "web", web({ replicas: 4 })),
      patch("Deployment", "web", unready),
      patch("Deployment", "web", image("unready:2", readiness)),
      patch("Deployment", "web", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }, 8_000),
      patch("Deployment", "web", image("web:1"), 8_000),
    ],
  },
  {
    name: "deployment-invalid-changes",
    steps: [
      create("Deployment", "web", web({ replicas: 1 })),
      patch("Deployment", "web", { spec: { selector: { matchLabels: { app: "other" } } } }, 1_000),
      patch("Deployment", "web", { spec: { template: { metadata: { labels: { app: "other" } } } } }, 1_000),
      patch("Deployment", "web", { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } }, 1_000),
      patch("Deployment", "web", { spec: { replicas: -1 } }, 1_000),
      patch("Deployment", "web", { spec: { minReadySeconds: 600 } }, 1_000),
    ],
  },
  {
    name: "replica-sets-of-one-selector",
    steps: [
      create("ReplicaSet", "one", web({ replicas: 2 })),
      create("ReplicaSet", "two", web({ replicas: 2 }, "web:2")),
      remove("ReplicaSet", "one", { propagationPolicy: "Orphan" }),
      remove("ReplicaSet", "two", { propagationPolicy: "Foreground" }),
    ],
  },
  {
    name: "replica-set-min-ready",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2, minReadySeconds: 12 })),
      wait(15_000),
      patch("ReplicaSet", "web", { spec: { minReadySeconds: 0, replicas: 3 } }),
    ],
  },
];

const statefulSets: readonly Scenario[] = [
  {
    name: "stateful-quota",
    steps: [
      create("ResourceQuota", "pods", { spec: { hard: { pods: "1", persistentvolumeclaims: "1" } } }),
      create("StatefulSet", "db", db({ replicas: 2, ...claims, podManagementPolicy: "Parallel" }), 10_000),
      patch("ResourceQuota", "pods", { spec: { hard: { pods: "2", persistentvolumeclaims: "1" } } }, 20_000),
    ],
  },
  {
    name: "stateful-label-lost",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2 }), 8_000),
      patch("Pod", "db-1", { metadata: { labels: { app: "other" } } }, 12_000),
      remove("Pod", "db-1", {}, 12_000),
    ],
  },
  {
    name: "stateful-name-taken",
    steps: [
      create("Pod", "db-0", {
        metadata: { name: "db-0", labels: { app: "db" } },
        spec: { containers: [{ name: "main", image: "web:1" }] },
      }),
      create("Pod", "db-1", { spec: { containers: [{ name: "main", image: "web:1" }] } }),
      create("StatefulSet", "db", db({ replicas: 2 }), 12_000),
      remove("Pod", "db-1", { gracePeriodSeconds: 0 }, 20_000),
    ],
  },
  {
    name: "stateful-partition-rollback",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } }), 8_000),
      patch("StatefulSet", "db", image("db:2"), 10_000),
      patch("StatefulSet", "db", image("web:1"), 10_000),
      patch(
        "StatefulSet",
        "db",
        { spec: { replicas: 5, updateStrategy: { rollingUpdate: { partition: 4 } } } },
        10_000,
      ),
      patch("StatefulSet", "db", image("db:3"), 10_000),
      deletePod("db-1"),
    ],
  },
  {
    name: "stateful-claim-deleted",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, ...claims, podManagementPolicy: "Parallel" })),
      act("delete a claim, then its pod", async ({ client, namespace }) => {
        await client.resource(PersistentVolumeClaim).namespace(namespace).delete("data-db-1");
        await client.resource(Pod).namespace(namespace).delete("db-1");
      }),
      patch("StatefulSet", "db", {
        spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" } },
      }),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }, 10_000),
      remove("StatefulSet", "db", { propagationPolicy: "Foreground" }),
    ],
  },
  {
    name: "stateful-min-ready-update",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, minReadySeconds: 8 }), 25_000),
      patch("StatefulSet", "db", image("db:2"), 6_000),
      wait(25_000),
    ],
  },
  {
    name: "stateful-invalid-changes",
    steps: [
      create("StatefulSet", "db", db({ replicas: 1 })),
      patch("StatefulSet", "db", { spec: { serviceName: "other" } }, 1_000),
      patch("StatefulSet", "db", { spec: { podManagementPolicy: "Parallel" } }, 1_000),
      patch("StatefulSet", "db", { spec: claims }, 1_000),
      patch("StatefulSet", "db", { spec: { ordinals: { start: -1 } } }, 1_000),
      patch("StatefulSet", "db", { spec: { updateStrategy: { rollingUpdate: { partition: -1 } } } }, 1_000),
    ],
  },
  {
    name: "stateful-terminating",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2 }, "stubborn:1", { terminationGracePeriodSeconds: 15 }), 8_000),
      patch("StatefulSet", "db", { spec: { replicas: 0 } }, 4_000),
      patch("StatefulSet", "db", { spec: { replicas: 2 } }, 40_000),
    ],
  },
  {
    name: "stateful-scaled-in-update",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2 }), 8_000),
      patch("StatefulSet", "db", unready, 6_000),
      patch("StatefulSet", "db", { spec: { replicas: 4 } }, 8_000),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }, 10_000),
      patch("StatefulSet", "db", image("db:3"), 10_000),
      deletePod("db-0", {}, 10_000),
    ],
  },
];

const agent = (scenario: string, spec: object, name = "agent:1", pod: object = {}, container: object = {}): object =>
  workload("agent", spec, name, { ...onNodesOf(scenario), ...pod }, container);

const daemonSets: readonly Scenario[] = [
  {
    name: "daemon-affinity",
    nodes: 3,
    steps: [
      patchNode("daemon-affinity-1", { metadata: { labels: { tier: "a" } } }, 1_000),
      create(
        "DaemonSet",
        "agent",
        agent("daemon-affinity", {}, "agent:1", {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }] }],
              },
            },
          },
        }),
      ),
      patchNode("daemon-affinity-2", { metadata: { labels: { tier: "b" } } }),
      patchNode("daemon-affinity-1", { metadata: { labels: { tier: "c" } } }),
      patch("DaemonSet", "agent", { spec: { template: { spec: { affinity: null } } } }, 15_000),
    ],
  },
  {
    name: "daemon-freed",
    nodes: 2,
    steps: [
      create("Pod", "large", {
        spec: {
          ...onNodesOf("daemon-freed"),
          nodeSelector: { "kubernetes.io/hostname": "daemon-freed-1" },
          terminationGracePeriodSeconds: 1,
          containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "3" } } }],
        },
      }),
      create("DaemonSet", "agent", agent("daemon-freed", {}, "agent:1", {}, { resources: { requests: { cpu: "2" } } })),
      patch("DaemonSet", "agent", image("agent:2", { resources: { requests: { cpu: "2" } } }), 12_000),
      remove("Pod", "large", {}, 10_000),
    ],
  },
  {
    name: "daemon-history",
    nodes: 1,
    steps: [
      create("DaemonSet", "agent", agent("daemon-history", { revisionHistoryLimit: 1 })),
      patch("DaemonSet", "agent", image("agent:2"), 8_000),
      patch("DaemonSet", "agent", image("agent:3"), 8_000),
      patch("DaemonSet", "agent", image("agent:2"), 8_000),
      remove("DaemonSet", "agent", { propagationPolicy: "Orphan" }),
      create("DaemonSet", "agent", agent("daemon-history", {}, "agent:2")),
      patch("DaemonSet", "agent", { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } }),
      patch("DaemonSet", "agent", image("agent:4")),
    ],
  },
  {
    name: "daemon-label-lost",
    nodes: 2,
    steps: [
      create("DaemonSet", "agent", agent("daemon-label-lost", {})),
      act("take the label from the pod of the first node", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const { items } = await pods.list({ fieldSelector: "spec.nodeName=daemon-label-lost-1" });
        await pods.patch(items[0]!.metadata!.name!, {
          type: "merge",
          patch: { metadata: { labels: { app: "other" } } },
        });
      }),
      remove("DaemonSet", "agent", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "daemon-node-lost",
    nodes: 2,
    steps: [
      create("DaemonSet", "agent", agent("daemon-node-lost", {})),
      act("cut the node off", ({ cluster }) => cluster.nodes("daemon-node-lost-1").partition(), 80_000),
      patch("DaemonSet", "agent", image("agent:2"), 10_000),
      act("heal the node", ({ cluster }) => cluster.nodes("daemon-node-lost-1").recover(), 25_000),
    ],
  },
  {
    name: "daemon-surge-min-ready",
    nodes: 2,
    steps: [
      create(
        "DaemonSet",
        "agent",
        agent("daemon-surge-min-ready", {
          minReadySeconds: 5,
          updateStrategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } },
        }),
        12_000,
      ),
      patch("DaemonSet", "agent", image("agent:2"), 20_000),
      patch("DaemonSet", "agent", unready, 10_000),
      patch("DaemonSet", "agent", image("agent:2"), 12_000),
    ],
  },
];

/** Collection of objects that depend on others. */
const collection: readonly Scenario[] = [
  {
    name: "owner-blocked",
    steps: [
      create("ConfigMap", "owner", {}),
      act("create children that block and that don't", async ({ client, namespace }) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const { metadata } = await maps.get("owner");
        for (const name of ["blocks", "blocks-held", "free-held"])
          await maps.create({
            metadata: {
              name,
              finalizers: name.endsWith("held") ? ["example.com/hold"] : [],
              ownerReferences: [
                {
                  apiVersion: "v1",
                  kind: "ConfigMap",
                  name: "owner",
                  uid: metadata!.uid!,
                  blockOwnerDeletion: name.startsWith("blocks"),
                },
              ],
            },
          });
      }),
      remove("ConfigMap", "owner", { propagationPolicy: "Foreground" }),
      patch("ConfigMap", "blocks-held", { metadata: { finalizers: null } }),
      patch("ConfigMap", "free-held", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "owner-invalid",
    steps: [
      act("create children of owners that can't be", async ({ client, namespace }) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const uid = "00000000-0000-4000-8000-000000000001";
        for (const [name, owner] of [
          ["of-node", { apiVersion: "v1", kind: "Node", name: "node-1", uid }],
          ["of-other-version", { apiVersion: "apps/v1beta1", kind: "Deployment", name: "web", uid }],
          ["of-unknown-kind", { apiVersion: "example.com/v1", kind: "Thing", name: "web", uid }],
        ] as const)
          await maps.create({ metadata: { name, ownerReferences: [owner] } });
      }),
      wait(10_000),
    ],
  },
  {
    name: "orphan-grandchildren",
    steps: [
      create("Deployment", "web", web({ replicas: 1 })),
      patch("Deployment", "web", image("web:2")),
      remove("Deployment", "web", { propagationPolicy: "Foreground", gracePeriodSeconds: 5 }),
      create("Deployment", "web", web({ replicas: 1 })),
      act("delete the pods' ReplicaSet as orphaning", async ({ client, namespace }) => {
        const { ReplicaSet } = await import("../../../../src/kinds/apps/v1.js");
        const sets = client.resource(ReplicaSet).namespace(namespace);
        const { items } = await sets.list();
        await sets.delete(items[0]!.metadata!.name!, { propagationPolicy: "Orphan" });
      }),
    ],
  },
];

export const workloadEdges: readonly Scenario[] = [...deployments, ...statefulSets, ...daemonSets, ...collection];
