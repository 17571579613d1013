import { PersistentVolumeClaim, Pod } from "../../../../src/kinds/core/v1.js";
import { act, create, image, patch, remove, type Scenario, template, unready } from "../scenario.js";

const selector = { matchLabels: { app: "db" } };
const db = (spec: object, image = "db:1", pod: object = {}, container: object = {}): object => ({
  spec: { serviceName: "db", selector, template: template("db", image, pod, container), ...spec },
});
const claims = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};
const deletePod = (name: string, options: object = {}): Scenario["steps"][number] =>
  act(`delete pod ${name}`, ({ client, namespace }) => client.resource(Pod).namespace(namespace).delete(name, options));

export const statefulSets: readonly Scenario[] = [
  {
    name: "stateful",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3 }), 8_000),
      patch("StatefulSet", "db", image("db:2"), 10_000),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }, 8_000),
      patch("StatefulSet", "db", { spec: { replicas: 2 } }),
      deletePod("db-0"),
    ],
  },
  {
    name: "stateful-partition",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } }), 8_000),
      patch("StatefulSet", "db", image("db:2"), 8_000),
      deletePod("db-0"),
      patch("StatefulSet", "db", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }, 10_000),
    ],
  },
  {
    name: "stateful-on-delete",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, updateStrategy: { type: "OnDelete" } })),
      patch("StatefulSet", "db", image("db:2")),
      deletePod("db-1"),
      deletePod("db-0"),
    ],
  },
  {
    name: "stateful-parallel",
    steps: [
      create(
        "StatefulSet",
        "db",
        db(
          { replicas: 4, podManagementPolicy: "Parallel" },
          "unready:1",
          {},
          { readinessProbe: { exec: { command: ["true"] } } },
        ),
      ),
      patch("StatefulSet", "db", image("db:2"), 10_000),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "stateful-parallel-max-unavailable",
    steps: [
      create(
        "StatefulSet",
        "db",
        db({ replicas: 4, podManagementPolicy: "Parallel", updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
      ),
      patch("StatefulSet", "db", unready, 10_000),
    ],
  },
  {
    name: "stateful-stuck",
    steps: [
      create("StatefulSet", "db", db({ replicas: 3 }), 8_000),
      patch("StatefulSet", "db", unready, 8_000),
      patch("StatefulSet", "db", image("db:1"), 8_000),
      deletePod("db-2"),
    ],
  },
  {
    name: "stateful-start",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, ordinals: { start: 5 } })),
      patch("StatefulSet", "db", { spec: { ordinals: { start: 4 } } }, 10_000),
      patch("StatefulSet", "db", { spec: { ordinals: null } }, 12_000),
    ],
  },
  {
    name: "stateful-min-ready",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, minReadySeconds: 10 })),
      act("wait", () => Promise.resolve(), 20_000),
    ],
  },
  {
    name: "stateful-history",
    steps: [
      create("StatefulSet", "db", db({ replicas: 1, revisionHistoryLimit: 1 })),
      patch("StatefulSet", "db", image("db:2")),
      patch("StatefulSet", "db", image("db:3")),
      patch("StatefulSet", "db", image("db:4")),
      patch("StatefulSet", "db", image("db:3")),
    ],
  },
  {
    name: "stateful-claims",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2, ...claims, podManagementPolicy: "Parallel" })),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
      remove("StatefulSet", "db", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "stateful-claims-delete",
    steps: [
      create(
        "StatefulSet",
        "db",
        db({
          replicas: 2,
          ...claims,
          podManagementPolicy: "Parallel",
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
        }),
      ),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
      patch("StatefulSet", "db", {
        spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain", whenDeleted: "Delete" } },
      }),
      remove("StatefulSet", "db", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "stateful-failed-pod",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2 })),
      act("evict", ({ cluster, namespace }) => cluster.pods({ namespace, name: "db-0" }).evict(), 8_000),
    ],
  },
  {
    name: "stateful-orphan",
    steps: [
      create("StatefulSet", "db", db({ replicas: 2 })),
      remove("StatefulSet", "db", { propagationPolicy: "Orphan" }),
      create("StatefulSet", "db", db({ replicas: 1 })),
      remove("StatefulSet", "db", { propagationPolicy: "Foreground" }),
    ],
  },
  ...(["OrderedReady", "Parallel"] as const).map((podManagementPolicy) => ({
    name: `stateful-adopts-without-claims-${podManagementPolicy.toLowerCase()}`,
    steps: [
      create("StatefulSet", "db", db({ replicas: 3, podManagementPolicy })),
      remove("StatefulSet", "db", { propagationPolicy: "Orphan" }),
      create("StatefulSet", "db", db({ replicas: 3, podManagementPolicy, ...claims }, "db:2"), 8_000),
      patch("StatefulSet", "db", { spec: { replicas: 2 } }, 8_000),
      deletePod("db-0"),
      remove("StatefulSet", "db", { propagationPolicy: "Background" }),
    ],
  })),
  ...(["OrderedReady", "Parallel"] as const).map((podManagementPolicy) => ({
    name: `stateful-pending-claims-${podManagementPolicy.toLowerCase()}`,
    steps: [
      create(
        "StatefulSet",
        "db",
        db({ replicas: 2, podManagementPolicy, ...claims }, "db:1", {
          schedulingGates: [{ name: "example.com/wait" }],
        }),
      ),
      act("delete claim data-db-0", ({ client, namespace }) =>
        client.resource(PersistentVolumeClaim).namespace(namespace).delete("data-db-0"),
      ),
      act("label pod db-0", ({ client, namespace }) =>
        client
          .resource(Pod)
          .namespace(namespace)
          .patch("db-0", { type: "merge", patch: { metadata: { labels: { a: "b" } } } }),
      ),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
    ],
  })),
];
