import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../../../src/kinds/core/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { CSINode } from "../../../../src/kinds/storage/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import {
  act,
  cpu,
  create,
  note,
  onNodesOf,
  ownTaint,
  patchNode,
  remove,
  type Scenario,
  type ScenarioStep,
  web,
  workload,
} from "../scenario.js";

const taintsOf = (scenario: string, count: number): ScenarioStep =>
  note(`taints-of-${scenario}`, async ({ client }) => {
    const nodes = await Promise.all(
      Array.from({ length: count }, (_, index) => client.resource(Node).get(`${scenario}-${String(index + 1)}`)),
    );
    return nodes.map(({ spec }) => (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort());
  });
const pod = (scenario: string, spec: object = {}, container: object = {}, labels: object = {}): object => ({
  metadata: { labels },
  spec: { ...onNodesOf(scenario), ...spec, containers: [{ name: "main", image: "web:1", ...container }] },
});
const nodes: readonly Scenario[] = [
  {
    // Most of a small zone is lost: its nodes are tainted, but nothing is evicted from them.
    name: "node-zone-disrupted",
    nodes: 4,
    steps: [
      create(
        "Deployment",
        "web",
        web({ replicas: 4 }, "web:1", {
          ...onNodesOf("node-zone-disrupted"),
          tolerations: [
            { key: "scenario", operator: "Exists" },
            { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
            { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
          ],
        }),
      ),
      act(
        "cut three nodes off",
        async ({ cluster }) => {
          for (const index of [1, 2, 3]) await cluster.nodes(`node-zone-disrupted-${String(index)}`).partition();
        },
        90_000,
      ),
      taintsOf("node-zone-disrupted", 4),
      act(
        "heal them",
        async ({ cluster }) => {
          for (const index of [1, 2, 3]) await cluster.nodes(`node-zone-disrupted-${String(index)}`).recover();
        },
        20_000,
      ),
    ],
  },
  {
    name: "node-out-of-service",
    nodes: 1,
    steps: [
      create(
        "StatefulSet",
        "db",
        workload("db", { replicas: 1, serviceName: "db" }, "db:1", onNodesOf("node-out-of-service")),
      ),
      act("cut the node off", ({ cluster }) => cluster.nodes("node-out-of-service-1").partition(), 70_000),
      act("delete the pod", ({ client, namespace }) => client.resource(Pod).namespace(namespace).delete("db-0")),
      patchNode(
        "node-out-of-service-1",
        {
          spec: {
            taints: [
              ownTaint("node-out-of-service"),
              { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" },
            ],
          },
        },
        30_000,
      ),
    ],
  },
  {
    name: "pod-on-missing-node",
    steps: [
      create(
        "Pod",
        "lost",
        { spec: { nodeName: "no-such-node", containers: [{ name: "main", image: "web:1" }] } },
        100_000,
      ),
    ],
  },
  {
    name: "taints-preferred",
    nodes: 2,
    steps: [
      patchNode("taints-preferred-1", {
        spec: {
          taints: [ownTaint("taints-preferred"), { key: "example.com/slow", value: "x", effect: "PreferNoSchedule" }],
        },
      }),
      create("Deployment", "web", web({ replicas: 3 }, "web:1", onNodesOf("taints-preferred"))),
      note("nodes", async ({ client, namespace }) => {
        const { items } = await client.resource(Pod).namespace(namespace).list();
        return items.map(({ spec }) => spec?.nodeName).sort();
      }),
    ],
  },
  {
    name: "tolerations-changed",
    nodes: 1,
    steps: [
      create("Pod", "web", pod("tolerations-changed", { terminationGracePeriodSeconds: 1 })),
      act("tolerate the taint for a time", ({ client, namespace }) =>
        client
          .resource(Pod)
          .namespace(namespace)
          .patch("web", {
            type: "merge",
            patch: {
              spec: {
                tolerations: [
                  { key: "scenario", operator: "Exists" },
                  { key: "example.com/x", operator: "Exists", effect: "NoExecute", tolerationSeconds: 25 },
                ],
              },
            },
          }),
      ),
      patchNode("tolerations-changed-1", {
        spec: { taints: [ownTaint("tolerations-changed"), { key: "example.com/x", value: "y", effect: "NoExecute" }] },
      }),
      patchNode("tolerations-changed-1", { spec: { taints: [ownTaint("tolerations-changed")] } }, 25_000),
      patchNode(
        "tolerations-changed-1",
        {
          spec: {
            taints: [
              ownTaint("tolerations-changed"),
              { key: "example.com/x", value: "y", effect: "NoExecute" },
              { key: "example.com/z", value: "y", effect: "NoExecute" },
            ],
          },
        },
        8_000,
      ),
    ],
  },
];

const scheduling: readonly Scenario[] = [
  {
    name: "preempt-anti-affinity",
    nodes: 1,
    steps: [
      act("create a priority class", ({ client }) =>
        createOrUpdate(client.resource(PriorityClass), "scenario-over", (existing) => {
          existing.value = 900;
        }),
      ),
      create("Pod", "low", pod("preempt-anti-affinity", { terminationGracePeriodSeconds: 1 }, {}, { app: "low" })),
      create("Pod", "kept", pod("preempt-anti-affinity", {}, {}, { app: "kept" })),
      create(
        "Pod",
        "high",
        pod("preempt-anti-affinity", {
          priorityClassName: "scenario-over",
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "low" } } },
              ],
            },
          },
        }),
        10_000,
      ),
    ],
  },
  {
    name: "affinity-to-gone-pod",
    nodes: 2,
    steps: [
      create(
        "Pod",
        "after",
        pod("affinity-to-gone-pod", {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "first" } } },
              ],
            },
          },
        }),
      ),
      create("Pod", "first", pod("affinity-to-gone-pod", {}, cpu("100m"), { app: "first" })),
      remove("Pod", "first", { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "volumes-attached",
    nodes: 1,
    steps: [
      act("limit the volumes of the node", ({ client }) =>
        createOrUpdate(client.resource(CSINode), "volumes-attached-1", (existing) => {
          existing.spec = {
            drivers: [
              {
                name: "csi.example.com",
                nodeID: "volumes-attached-1",
                topologyKeys: null as never,
                allocatable: { count: 1 },
              },
            ],
          };
        }),
      ),
      ...["one", "two"].flatMap((name): ScenarioStep[] => [
        act(
          `create the volume ${name} and its claim`,
          async ({ client, namespace }) => {
            await client.resource(PersistentVolume).create({
              metadata: { name: `${name}-${namespace}`, labels: { scenario: namespace } },
              spec: {
                capacity: { storage: "1Gi" },
                accessModes: ["ReadWriteOnce"],
                storageClassName: "",
                claimRef: { namespace, name },
                csi: { driver: "csi.example.com", volumeHandle: name },
              },
            });
            await client
              .resource(PersistentVolumeClaim)
              .namespace(namespace)
              .create({
                metadata: { name },
                spec: {
                  storageClassName: "",
                  volumeName: `${name}-${namespace}`,
                  accessModes: ["ReadWriteOnce"],
                  resources: { requests: { storage: "1Gi" } },
                },
              });
          },
          20_000,
        ),
        create(
          "Pod",
          name,
          pod("volumes-attached", {
            terminationGracePeriodSeconds: 1,
            volumes: [{ name: "v", persistentVolumeClaim: { claimName: name } }],
          }),
        ),
      ]),
      remove("Pod", "one", {}, 10_000),
    ],
  },
  {
    name: "ephemeral-claim-taken",
    steps: [
      create("PersistentVolumeClaim", "web-data", {
        spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      create("Pod", "web", {
        spec: {
          containers: [{ name: "main", image: "web:1" }],
          volumes: [
            {
              name: "data",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: {
                    storageClassName: "none",
                    accessModes: ["ReadWriteOnce"],
                    resources: { requests: { storage: "1Gi" } },
                  },
                },
              },
            },
          ],
        },
      }),
      remove("PersistentVolumeClaim", "web-data"),
    ],
  },
];

export const nodeEdges: readonly Scenario[] = [...nodes, ...scheduling];
