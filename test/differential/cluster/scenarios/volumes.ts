import { PersistentVolume, type PersistentVolumeSpec } from "../../../../src/kinds/core/v1.js";
import { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from "../../../../src/kinds/storage/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import { act, create, onNodesOf, patch, remove, type Scenario, template } from "../scenario.js";

type Step = Scenario["steps"][number];

/** Returns the storage class of a scenario's namespace, so that scenarios don't share volumes. */
const classOf = (namespace: string, kind: string): string => `${kind}-${namespace}`;

const storageClass = (
  kind: string,
  volumeBindingMode: "Immediate" | "WaitForFirstConsumer",
  provisioner: string,
  waitMs?: number,
): Step =>
  act(
    `create the storage class ${kind}`,
    ({ client, namespace }) =>
      client.resource(StorageClass).create({
        metadata: { name: classOf(namespace, kind), labels: { scenario: namespace } },
        provisioner,
        volumeBindingMode,
      }),
    waitMs,
  );

const volume = (
  name: string,
  kind: string,
  size: string,
  spec: Partial<PersistentVolumeSpec> = {},
  waitMs?: number,
): Step =>
  act(
    `create the volume ${name} of ${size}`,
    ({ client, namespace }) =>
      createOrUpdate(client.resource(PersistentVolume), `${name}-${namespace}`, (existing) => {
        existing.metadata = { ...existing.metadata, labels: { scenario: namespace, volume: name } };
        existing.spec = {
          capacity: { storage: size },
          accessModes: ["ReadWriteOnce"],
          storageClassName: classOf(namespace, kind),
          hostPath: { path: "/data" },
          ...spec,
          ...(spec.claimRef && { claimRef: { ...spec.claimRef, namespace } }),
        };
      }),
    waitMs,
  );

const claim = (name: string, kind: string, size: string, spec: object = {}, waitMs?: number): Step =>
  act(
    `create the claim ${name} of ${size}`,
    (stage) =>
      create("PersistentVolumeClaim", name, {
        spec: {
          storageClassName: classOf(stage.namespace, kind),
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: size } },
          ...spec,
        },
      }).run(stage),
    waitMs,
  );

const named = (name: string): Step =>
  act(`claim the volume ${name} by its name`, (stage) =>
    claim("named", "now", "1Gi", { volumeName: `${name}-${stage.namespace}` }).run(stage),
  );

const user = (name: string, claimName: string, node?: string, waitMs?: number): Step =>
  create(
    "Pod",
    name,
    {
      spec: {
        terminationGracePeriodSeconds: 1,
        ...(node !== undefined && { nodeSelector: { "kubernetes.io/hostname": node } }),
        containers: [{ name: "main", image: "web:1" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
      },
    },
    waitMs,
  );

/** Returns a step that creates a pod with claims on the nodes of a scenario. */
const users = (name: string, claims: readonly string[], scenario: string, waitMs?: number): Step =>
  create(
    "Pod",
    name,
    {
      spec: {
        ...onNodesOf(scenario),
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: "web:1" }],
        volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
      },
    },
    waitMs,
  );

const capacity = (name: string, size: string, node: string, waitMs?: number): Step =>
  act(
    `report a capacity of ${size} on ${node}`,
    ({ client, namespace }) =>
      client
        .resource(CSIStorageCapacity)
        .namespace(namespace)
        .create({
          metadata: { name },
          storageClassName: classOf(namespace, "later"),
          nodeTopology: { matchLabels: { "kubernetes.io/hostname": node } },
          capacity: size,
        }),
    waitMs,
  );

const onNode = (node: string): Partial<PersistentVolumeSpec> => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] }],
    },
  },
});

const none = "kubernetes.io/no-provisioner";

/** PersistentVolumes that an administrator creates, and the claims that are bound to them. */
export const volumes: readonly Scenario[] = [
  {
    name: "volume-smallest",
    steps: [
      storageClass("now", "Immediate", none),
      volume("large", "now", "5Gi"),
      volume("small", "now", "2Gi"),
      claim("data", "now", "1Gi", {}, 20_000),
      claim("waiting", "now", "10Gi", {}, 20_000),
      volume("huge", "now", "20Gi", {}, 25_000),
      remove("PersistentVolumeClaim", "data", {}, 20_000),
    ],
  },
  {
    name: "volume-late",
    steps: [
      claim("data", "now", "1Gi", {}, 5_000),
      storageClass("now", "Immediate", none, 25_000),
      volume("small", "now", "2Gi", {}, 25_000),
      act("delete the volume", ({ client, namespace }) =>
        client.resource(PersistentVolume).delete(`small-${namespace}`),
      ),
      remove("PersistentVolumeClaim", "data", {}, 20_000),
    ],
  },
  {
    name: "volume-prebound",
    steps: [
      storageClass("now", "Immediate", none),
      volume("reserved", "now", "5Gi", { claimRef: { kind: "PersistentVolumeClaim", name: "owner" } }),
      claim("other", "now", "1Gi", {}, 10_000),
      claim("owner", "now", "1Gi", {}, 20_000),
      volume("chosen", "now", "3Gi", {}, 25_000),
      named("chosen"),
      act("wait", () => Promise.resolve(), 20_000),
    ],
  },
  {
    name: "volume-named",
    steps: [
      storageClass("now", "Immediate", none),
      named("late"),
      volume("late", "now", "3Gi", {}, 25_000),
      remove("PersistentVolumeClaim", "named", {}, 20_000),
    ],
  },
  {
    name: "volume-selector",
    steps: [
      storageClass("now", "Immediate", none),
      volume("a", "now", "2Gi"),
      volume("b", "now", "3Gi", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }),
      claim("data", "now", "1Gi", { selector: { matchLabels: { volume: "b" } } }, 20_000),
      claim("many", "now", "1Gi", { accessModes: ["ReadOnlyMany"] }, 20_000),
      claim("block", "now", "1Gi", { volumeMode: "Block" }, 20_000),
    ],
  },
  {
    name: "volume-in-use",
    steps: [
      storageClass("now", "Immediate", none),
      volume("a", "now", "2Gi"),
      claim("data", "now", "1Gi", {}, 20_000),
      user("user", "data"),
      remove("PersistentVolumeClaim", "data"),
      remove("Pod", "user", {}, 20_000),
    ],
  },
  {
    name: "volume-first-consumer",
    steps: [
      storageClass("later", "WaitForFirstConsumer", none),
      volume("elsewhere", "later", "2Gi", onNode("node-1")),
      volume("here", "later", "5Gi", onNode("node-2")),
      claim("data", "later", "1Gi", {}, 10_000),
      user("user", "data", "node-2", 20_000),
      claim("none", "later", "1Gi", {}, 5_000),
      user("nowhere", "none", "node-3", 25_000),
    ],
  },
  {
    name: "volume-provisioner-missing",
    steps: [
      storageClass("csi", "WaitForFirstConsumer", "example.com/missing"),
      claim("data", "csi", "1Gi", {}, 10_000),
      claim("unclassed", "unknown", "1Gi", {}, 10_000),
      claim("empty", "unknown", "1Gi", { storageClassName: "" }, 20_000),
    ],
  },
  {
    name: "volume-ephemeral",
    steps: [
      storageClass("now", "Immediate", none),
      act("create a pod with an ephemeral volume", (stage) =>
        create("Pod", "user", {
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "main", image: "web:1" }],
            volumes: [
              {
                name: "scratch",
                ephemeral: {
                  volumeClaimTemplate: {
                    metadata: { labels: { kind: "scratch" } },
                    spec: {
                      storageClassName: classOf(stage.namespace, "now"),
                      accessModes: ["ReadWriteOnce"],
                      resources: { requests: { storage: "1Gi" } },
                    },
                  },
                },
              },
            ],
          },
        }).run(stage),
      ),
      volume("a", "now", "2Gi", {}, 30_000),
      remove("Pod", "user", {}, 20_000),
      create("PersistentVolumeClaim", "taken-scratch", {
        spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      create(
        "Pod",
        "taken",
        {
          spec: {
            containers: [{ name: "main", image: "web:1" }],
            volumes: [
              {
                name: "scratch",
                ephemeral: {
                  volumeClaimTemplate: {
                    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
                  },
                },
              },
            ],
          },
        },
        15_000,
      ),
    ],
  },
  {
    name: "volume-stateful-set",
    steps: [
      storageClass("now", "Immediate", none),
      volume("a", "now", "2Gi"),
      volume("b", "now", "2Gi"),
      act(
        "create a StatefulSet",
        (stage) =>
          create("StatefulSet", "db", {
            spec: {
              serviceName: "db",
              replicas: 2,
              selector: { matchLabels: { app: "db" } },
              template: template("db"),
              volumeClaimTemplates: [
                {
                  metadata: { name: "data" },
                  spec: {
                    storageClassName: classOf(stage.namespace, "now"),
                    accessModes: ["ReadWriteOnce"],
                    resources: { requests: { storage: "1Gi" } },
                  },
                },
              ],
            },
          }).run(stage),
        40_000,
      ),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }, 15_000),
    ],
  },
  {
    name: "volume-claim-pair",
    nodes: 2,
    steps: [
      storageClass("later", "WaitForFirstConsumer", none),
      volume("small", "later", "2Gi", onNode("volume-claim-pair-1"), 25_000),
      claim("first", "later", "2Gi", {}, 1_000),
      claim("second", "later", "1Gi", {}, 1_000),
      users("pair", ["first", "second"], "volume-claim-pair", 20_000),
      volume("large", "later", "5Gi", onNode("volume-claim-pair-1"), 60_000),
    ],
  },
  {
    name: "volume-prebound-elsewhere",
    nodes: 2,
    steps: [
      storageClass("later", "WaitForFirstConsumer", none),
      volume("near", "later", "1Gi", onNode("volume-prebound-elsewhere-1")),
      volume("far", "later", "2Gi", {
        ...onNode("volume-prebound-elsewhere-2"),
        claimRef: { kind: "PersistentVolumeClaim", name: "data" },
      }),
      claim("data", "later", "1Gi", {}, 20_000),
      users("user", ["data"], "volume-prebound-elsewhere", 20_000),
    ],
  },
  {
    name: "volume-named-missing",
    nodes: 1,
    steps: [
      storageClass("later", "WaitForFirstConsumer", none),
      act("claim a volume that doesn't exist", (stage) =>
        claim("data", "later", "1Gi", { volumeName: `gone-${stage.namespace}` }).run(stage),
      ),
      users("user", ["data"], "volume-named-missing", 20_000),
    ],
  },
  {
    name: "volume-capacity",
    nodes: 2,
    steps: [
      act("create a driver that reports capacities", ({ client, namespace }) =>
        client.resource(CSIDriver).create({
          metadata: { name: `disk.${namespace}.example.com`, labels: { scenario: namespace } },
          spec: { storageCapacity: true, attachRequired: false },
        }),
      ),
      act("create its class", (stage) =>
        storageClass("later", "WaitForFirstConsumer", `disk.${stage.namespace}.example.com`).run(stage),
      ),
      capacity("one", "1Gi", "volume-capacity-1", 1_000),
      claim("data", "later", "5Gi", {}, 1_000),
      users("user", ["data"], "volume-capacity", 20_000),
      volume("bound", "later", "1Gi", onNode("volume-capacity-1"), 20_000),
      capacity("two", "3Gi", "volume-capacity-2", 20_000),
    ],
  },
  {
    name: "volume-limits",
    nodes: 1,
    steps: [
      act("limit the volumes of the node", ({ client, namespace }) =>
        client.resource(CSINode).create({
          metadata: { name: "volume-limits-1", labels: { scenario: namespace } },
          spec: { drivers: [{ name: "disk.example.com", nodeID: "one", allocatable: { count: 1 } }] },
        }),
      ),
      storageClass("now", "Immediate", none),
      ...["a", "b"].map((name) =>
        volume(name, "now", "1Gi", {
          hostPath: undefined,
          claimRef: { kind: "PersistentVolumeClaim", name },
          csi: { driver: "disk.example.com", volumeHandle: name },
        }),
      ),
      claim("a", "now", "1Gi"),
      claim("b", "now", "1Gi", {}, 20_000),
      users("first", ["a"], "volume-limits"),
      users("again", ["a"], "volume-limits"),
      users("second", ["b"], "volume-limits", 15_000),
      remove("Pod", "first", {}, 15_000),
      remove("Pod", "again", {}, 25_000),
    ],
  },
  {
    name: "volume-multi-attach",
    nodes: 2,
    steps: [
      storageClass("now", "Immediate", none),
      volume("a", "now", "1Gi", {
        hostPath: undefined,
        claimRef: { kind: "PersistentVolumeClaim", name: "data" },
        csi: { driver: "disk.example.com", volumeHandle: "shared" },
      }),
      claim("data", "now", "1Gi", {}, 20_000),
      user("first", "data", "volume-multi-attach-1", 15_000),
      user("second", "data", "volume-multi-attach-2", 15_000),
      remove("Pod", "first", {}, 60_000),
      remove("PersistentVolumeClaim", "data", {}, 10_000),
      remove("Pod", "second", {}, 20_000),
    ],
  },
  {
    name: "volume-of-ended-pod",
    steps: [
      storageClass("now", "Immediate", none),
      volume("a", "now", "1Gi"),
      claim("data", "now", "1Gi", {}, 20_000),
      create(
        "Pod",
        "task",
        {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "main", image: "web:1", command: ["true"] }],
            volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
          },
        },
        10_000,
      ),
      remove("PersistentVolumeClaim", "data", {}, 10_000),
      remove("Pod", "task", {}, 20_000),
    ],
  },
];
