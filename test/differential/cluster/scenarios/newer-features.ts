// Features that few workloads use: kinds of metrics, resources, requests of devices, and volumes that people edit.
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, Service } from "../../../../src/kinds/core/v1.js";
import { ResourceClaim, ResourceSlice } from "../../../../src/kinds/resource/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { claim, deviceClass, devices, one, ownName } from "../device-steps.js";
import {
  act,
  cpu,
  crash,
  create,
  image,
  note,
  onNodesOf,
  patch,
  patchNode,
  remove,
  type Scenario,
  type ScenarioStep,
  template,
  wait,
  web,
} from "../scenario.js";

const autoscaler = (name: string, spec: object, waitMs = 20_000): ScenarioStep =>
  create(
    "HorizontalPodAutoscaler",
    name,
    {
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        ...spec,
      },
    },
    waitMs,
  );
const metricOf = (type: string): object =>
  ({
    External: {
      external: {
        metric: { name: "queue", selector: { matchLabels: { q: "a" } } },
        target: { type: "AverageValue", averageValue: "30" },
      },
    },
    Object: {
      object: {
        metric: { name: "rate" },
        describedObject: { apiVersion: "v1", kind: "Service", name: "web" },
        target: { type: "Value", value: "10" },
      },
    },
    Pods: { pods: { metric: { name: "rate" }, target: { type: "AverageValue", averageValue: "10" } } },
    ContainerResource: {
      containerResource: { name: "cpu", container: "main", target: { type: "Utilization", averageUtilization: 50 } },
    },
  })[type]!;

/** Autoscalers without metrics: their conditions. */
const autoscalers: readonly Scenario[] = [
  ...["External", "Object", "Pods", "ContainerResource"].map((type) => ({
    name: `autoscaler-${type.toLowerCase()}`,
    steps: [
      create("Deployment", "web", web({ replicas: 2 }, "web:1", {}, cpu("100m"))),
      autoscaler("web", { metrics: [{ type, ...metricOf(type) }] }),
    ],
  })),
  {
    name: "autoscaler-bounds",
    steps: [
      create("Deployment", "web", web({ replicas: 7 }, "web:1", {}, cpu("100m"))),
      autoscaler("web", {}),
      patch("HorizontalPodAutoscaler", "web", { spec: { minReplicas: 6, maxReplicas: 9 } }, 20_000),
      patch("HorizontalPodAutoscaler", "web", { spec: { minReplicas: 1, maxReplicas: 3 } }, 20_000),
    ],
  },
  {
    name: "autoscaler-targets",
    steps: [
      autoscaler("unknown", { scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "web" } }),
      autoscaler("unscalable", { scaleTargetRef: { apiVersion: "apps/v1", kind: "DaemonSet", name: "web" } }),
      autoscaler("invalid", { scaleTargetRef: { apiVersion: "a/b/c", kind: "Deployment", name: "web" } }),
      create("StatefulSet", "web", web({ serviceName: "web", replicas: 1 })),
      autoscaler("stateful", {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" },
        minReplicas: 2,
      }),
    ],
  },
];

const volumeStep = (name: string, spec: object, waitMs?: number): ScenarioStep =>
  act(
    `create the volume ${name}`,
    ({ client, namespace }) =>
      client.resource(PersistentVolume).create({
        metadata: { name: `${name}-${namespace}`, labels: { scenario: namespace } },
        spec: {
          capacity: { storage: "2Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: `own-${namespace}`,
          hostPath: { path: "/data" },
          ...spec,
        },
      }),
    waitMs,
  );
const claimStep = (name: string, spec: object = {}): ScenarioStep =>
  act(`create the claim ${name}`, (stage) =>
    create("PersistentVolumeClaim", name, {
      spec: {
        storageClassName: `own-${stage.namespace}`,
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        ...spec,
      },
    }).run(stage),
  );
const patchVolume = (name: string, fields: object, status = false): ScenarioStep =>
  act(`patch the volume ${name} with ${JSON.stringify(fields)}`, ({ client, namespace }) => {
    const volumes = client.resource(PersistentVolume);
    return (status ? volumes.subresource("status") : volumes).patch(`${name}-${namespace}`, {
      type: "merge",
      patch: fields,
    });
  });
const removeVolume = (name: string): ScenarioStep =>
  act(`delete the volume ${name}`, ({ client, namespace }) =>
    client.resource(PersistentVolume).delete(`${name}-${namespace}`),
  );

const volumes: readonly Scenario[] = [
  {
    name: "volume-retained-again",
    steps: [
      volumeStep("a", { persistentVolumeReclaimPolicy: "Retain" }),
      claimStep("data"),
      remove("PersistentVolumeClaim", "data", {}),
      claimStep("data"),
      patchVolume("a", { spec: { claimRef: { uid: null } } }),
      remove("PersistentVolumeClaim", "data", {}),
      patchVolume("a", { spec: { claimRef: null } }),
    ],
  },
  {
    name: "volume-policy-changed",
    steps: [
      volumeStep("a", { persistentVolumeReclaimPolicy: "Retain" }),
      claimStep("data"),
      remove("PersistentVolumeClaim", "data", {}),
      patchVolume("a", { spec: { persistentVolumeReclaimPolicy: "Delete" } }),
    ],
  },
  {
    name: "volume-recycled",
    steps: [
      volumeStep("a", {
        persistentVolumeReclaimPolicy: "Recycle",
        csi: { driver: "none.example.com", volumeHandle: "a" },
        hostPath: null,
      }),
      claimStep("data"),
      remove("PersistentVolumeClaim", "data", {}),
    ],
  },
  {
    name: "volume-delete-fails",
    steps: [
      volumeStep("a", { persistentVolumeReclaimPolicy: "Delete" }),
      claimStep("data"),
      remove("PersistentVolumeClaim", "data", {}),
    ],
  },
  {
    name: "volume-edited",
    steps: [
      volumeStep("a", {}),
      patchVolume("a", { metadata: { finalizers: null } }),
      patchVolume("a", { status: { phase: "Failed", reason: "Edited", message: "by hand" } }, true),
      claimStep("data"),
      patchVolume("a", { metadata: { finalizers: null } }),
      patchVolume("a", { status: { phase: "Released" } }, true),
      patchVolume("a", { metadata: { annotations: null } }),
      removeVolume("a"),
      remove("PersistentVolumeClaim", "data", {}),
    ],
  },
  {
    name: "volume-ref-removed",
    steps: [
      volumeStep("a", {}),
      claimStep("data"),
      patchVolume("a", { spec: { claimRef: null } }),
      volumeStep("b", {}),
      patchVolume("a", { spec: { claimRef: { name: "other", uid: null } } }),
    ],
  },
  {
    name: "volume-two-claims",
    steps: [
      volumeStep("a", {}),
      act("claim the volume by name", (stage) => claimStep("one", { volumeName: `a-${stage.namespace}` }).run(stage)),
      act("claim the volume by name again", (stage) =>
        claimStep("two", { volumeName: `a-${stage.namespace}` }).run(stage),
      ),
      remove("PersistentVolumeClaim", "one", {}),
      patchVolume("a", { spec: { claimRef: null } }),
      wait(12_000),
    ],
  },
  {
    name: "volume-class-default-late",
    steps: [
      create("PersistentVolumeClaim", "data", {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" },
      }),
      volumeStep("a", { storageClassName: "" }),
      patch("PersistentVolumeClaim", "data", { spec: { resources: { requests: { storage: "2Gi" } } } }),
      patch("PersistentVolumeClaim", "data", { spec: { storageClassName: "other" } }),
      patch("PersistentVolumeClaim", "data", { spec: { volumeAttributesClassName: "gold" } }),
    ],
  },
];

const resources: readonly Scenario[] = [
  {
    name: "quota-kinds-of-resources",
    steps: [
      create("ResourceQuota", "all", {
        spec: {
          hard: {
            "requests.ephemeral-storage": "3Gi",
            "limits.ephemeral-storage": "4Gi",
            "requests.hugepages-2Mi": "10Mi",
            "limits.memory": "2Gi",
            memory: "2Gi",
            "requests.example.com/gpu": "3",
          },
        },
      }),
      create("Pod", "plain", template("web")),
      create("Pod", "one", {
        spec: {
          initContainers: [
            {
              name: "init",
              image: "exit-0:1",
              resources: {
                requests: { "ephemeral-storage": "2Gi", memory: "1Gi" },
                limits: { "ephemeral-storage": "2Gi", memory: "1Gi" },
              },
            },
            {
              name: "side",
              image: "web:1",
              restartPolicy: "Always",
              resources: {
                requests: { "ephemeral-storage": "1Gi", memory: "100Mi" },
                limits: { "ephemeral-storage": "1Gi", memory: "200Mi" },
              },
            },
          ],
          containers: [
            {
              name: "main",
              image: "web:1",
              resources: {
                requests: { "ephemeral-storage": "1Gi", memory: "100Mi", "hugepages-2Mi": "4Mi" },
                limits: { "ephemeral-storage": "1Gi", memory: "200Mi", "hugepages-2Mi": "4Mi" },
              },
            },
          ],
        },
      }),
      create("Pod", "gpu", {
        spec: {
          containers: [
            {
              name: "main",
              image: "web:1",
              resources: {
                requests: { "example.com/gpu": "2", "ephemeral-storage": "1Mi", memory: "1Mi", "hugepages-2Mi": "2Mi" },
                limits: { "example.com/gpu": "2", "ephemeral-storage": "1Mi", memory: "1Mi", "hugepages-2Mi": "2Mi" },
              },
            },
          ],
        },
      }),
      remove("Pod", "one", { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "quota-pod-level",
    steps: [
      create("ResourceQuota", "all", {
        spec: { hard: { "requests.cpu": "2", "limits.cpu": "4", "limits.memory": "2Gi" } },
      }),
      create("Pod", "level", {
        spec: {
          resources: { requests: { cpu: "1500m", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } },
          containers: [
            { name: "main", image: "web:1", resources: { requests: { cpu: "100m" } } },
            { name: "other", image: "web:1" },
          ],
        },
      }),
      create("Pod", "late", {
        spec: {
          resources: { requests: { cpu: "600m" }, limits: { cpu: "1", memory: "1Gi" } },
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      create("Pod", "fits", {
        spec: {
          resources: { limits: { cpu: "500m", memory: "512Mi" } },
          containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "400m" } } }],
        },
      }),
    ],
  },
  {
    name: "limits-pod-level",
    steps: [
      create("LimitRange", "limits", {
        spec: {
          limits: [
            { type: "Pod", max: { cpu: "1" }, min: { cpu: "200m" } },
            { type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" } },
          ],
        },
      }),
      create("Pod", "level", {
        spec: {
          resources: { requests: { cpu: "500m" }, limits: { cpu: "2" } },
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      create("Pod", "fits", {
        spec: {
          resources: { requests: { cpu: "300m" }, limits: { cpu: "1" } },
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      create("Pod", "small", { spec: { containers: [{ name: "main", image: "web:1" }] } }),
    ],
  },
  {
    name: "scheduled-resources",
    nodes: 1,
    steps: [
      create("Pod", "level", {
        spec: {
          ...onNodesOf("scheduled-resources"),
          resources: { requests: { cpu: "3" } },
          containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "100m" } } }],
        },
      }),
      create("Pod", "sidecar", {
        spec: {
          ...onNodesOf("scheduled-resources"),
          initContainers: [
            { name: "side", image: "web:1", restartPolicy: "Always", ...cpu("600m") },
            { name: "init", image: "exit-0:1", ...cpu("600m") },
          ],
          containers: [{ name: "main", image: "web:1", ...cpu("100m") }],
        },
      }),
      create("Pod", "huge", {
        spec: {
          ...onNodesOf("scheduled-resources"),
          containers: [
            {
              name: "main",
              image: "web:1",
              resources: { requests: { cpu: "10m", "hugepages-2Mi": "2Mi" }, limits: { "hugepages-2Mi": "2Mi" } },
            },
          ],
        },
      }),
      create("Pod", "storage", {
        spec: {
          ...onNodesOf("scheduled-resources"),
          containers: [{ name: "main", image: "web:1", resources: { requests: { "ephemeral-storage": "1Ti" } } }],
        },
      }),
      create("Pod", "several", {
        spec: {
          ...onNodesOf("scheduled-resources"),
          containers: [
            {
              name: "main",
              image: "web:1",
              resources: {
                requests: { cpu: "2", memory: "100Gi", "example.com/gpu": "1" },
                limits: { "example.com/gpu": "1" },
              },
            },
          ],
        },
      }),
      remove("Pod", "level", { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "affinity-fields",
    nodes: 2,
    steps: [
      create("Pod", "field", {
        spec: {
          ...onNodesOf("affinity-fields"),
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchFields: [{ key: "metadata.name", operator: "In", values: ["affinity-fields-2"] }] },
                ],
              },
            },
          },
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      create("Pod", "none", {
        spec: {
          ...onNodesOf("affinity-fields"),
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["missing"] }] }],
              },
            },
          },
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      create("Pod", "not", {
        spec: {
          ...onNodesOf("affinity-fields"),
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchExpressions: [], matchFields: [] },
                  { matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["affinity-fields-1"] }] },
                ],
              },
            },
          },
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      create(
        "DaemonSet",
        "agent",
        web({}, "web:1", {
          ...onNodesOf("affinity-fields"),
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchFields: [{ key: "metadata.name", operator: "In", values: ["affinity-fields-1"] }] },
                ],
              },
            },
          },
        }),
      ),
      note("nodes", async ({ client, namespace }) => {
        const { items } = await client.resource(Pod).namespace(namespace).list();
        return items
          .map(({ metadata, spec }) => [metadata?.generateName ?? metadata?.name, spec?.nodeName ?? null])
          .sort();
      }),
    ],
  },
  {
    name: "nodes-edited",
    nodes: 2,
    steps: [
      create("Deployment", "web", web({ replicas: 2 }, "web:1", onNodesOf("nodes-edited"))),
      patchNode("nodes-edited-1", { spec: { unschedulable: true } }),
      act("take the taint of the cordoned node", ({ client }) =>
        client.resource(Node).update("nodes-edited-1", (node) => {
          node.spec!.taints = node.spec!.taints!.filter(({ key }) => key === "scenario");
        }),
      ),
      note("taints", async ({ client }) => {
        const { spec } = await client.resource(Node).get("nodes-edited-1");
        return spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort();
      }),
      patchNode("nodes-edited-1", { spec: { unschedulable: false } }),
      act("taint a ready node as not ready", ({ client }) =>
        client.resource(Node).update("nodes-edited-2", (node) => {
          node.spec!.taints = [
            ...node.spec!.taints!,
            { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
            { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" },
          ];
        }),
      ),
      note("taints-later", async ({ client }) => {
        const { spec } = await client.resource(Node).get("nodes-edited-2");
        return spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort();
      }),
      act(
        "taint a ready node as not ready with NoExecute",
        ({ client }) =>
          client.resource(Node).update("nodes-edited-2", (node) => {
            node.spec!.taints = [...node.spec!.taints!, { key: "node.kubernetes.io/unreachable", effect: "NoExecute" }];
          }),
        10_000,
      ),
      note("taints-last", async ({ client }) => {
        const { spec } = await client.resource(Node).get("nodes-edited-2");
        return spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort();
      }),
    ],
  },
];

const pod = (scenario: string, name: string, claimName: string): ScenarioStep =>
  create("Pod", name, {
    spec: {
      ...onNodesOf(scenario),
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "web:1" }],
      resourceClaims: [{ name: "gpu", resourceClaimName: claimName }],
    },
  });
const claimOf = (name: string, spec: (driver: string) => object): ScenarioStep =>
  act(`create the claim ${name}`, (stage) =>
    create("ResourceClaim", name, { spec: { devices: spec(ownName(stage.namespace)) } }).run(stage),
  );
const slice = (name: string, node: string, spec: object): ScenarioStep =>
  act(`create the slice ${name}`, ({ client, namespace }) =>
    client.resource(ResourceSlice).create({
      metadata: { name: `${name}-${namespace}`, labels: { scenario: namespace } },
      spec: {
        driver: ownName(namespace),
        nodeName: node,
        pool: { name: "pool", generation: 1, resourceSliceCount: 2 },
        ...spec,
      } as ResourceSlice["spec"],
    }),
  );
const counters = (memory: string): object[] => [{ counterSet: "card", counters: { memory: { value: memory } } }];
const attributed = (name: string, numa: number, model: string): object => ({
  name,
  attributes: { numa: { int: numa }, model: { string: model } },
});

const deviceFeatures: readonly Scenario[] = [
  {
    name: "devices-counters",
    nodes: 1,
    steps: [
      deviceClass(),
      slice("counters", "devices-counters-1", {
        sharedCounters: [{ name: "card", counters: { memory: { value: "8Gi" } } }],
      }),
      slice("devices", "devices-counters-1", {
        devices: [
          { name: "whole", consumesCounters: counters("8Gi") },
          { name: "half-0", consumesCounters: counters("4Gi") },
          { name: "half-1", consumesCounters: counters("4Gi") },
        ],
      }),
      claimOf("one", (d) => ({
        requests: [
          {
            name: "a",
            exactly: { deviceClassName: d, selectors: [{ cel: { expression: `device.driver == "${d}"` } }] },
          },
        ],
      })),
      pod("devices-counters", "one", "one"),
      claim("two", [one("a", { count: 2 })]),
      pod("devices-counters", "two", "two"),
      remove("Pod", "one", {}),
      claim("three", [one("a")]),
      pod("devices-counters", "three", "three"),
    ],
  },
  {
    name: "devices-constraints",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [
        attributed("gpu-0", 0, "a"),
        attributed("gpu-1", 1, "a"),
        attributed("gpu-2", 1, "b"),
        attributed("gpu-3", 0, "b"),
      ] as never),
      claimOf("same", (d) => ({
        requests: [
          {
            name: "a",
            exactly: {
              deviceClassName: d,
              selectors: [{ cel: { expression: `device.attributes["${d}"].model == "b"` } }],
            },
          },
          { name: "b", exactly: { deviceClassName: d } },
        ],
        constraints: [{ requests: ["a", "b"], matchAttribute: `${d}/numa` }],
      })),
      pod("devices-constraints", "same", "same"),
      claimOf("distinct", (d) => ({
        requests: [{ name: "a", exactly: { deviceClassName: d, count: 2 } }],
        constraints: [{ distinctAttribute: `${d}/numa` }],
      })),
      pod("devices-constraints", "distinct", "distinct"),
      claimOf("missing", (d) => ({
        requests: [{ name: "a", exactly: { deviceClassName: d } }],
        constraints: [{ matchAttribute: `${d}/none` }],
      })),
      pod("devices-constraints", "missing", "missing"),
      remove("Pod", "distinct", {}),
    ],
  },
  {
    name: "devices-first-available",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [
        attributed("gpu-0", 0, "a"),
        attributed("gpu-1", 1, "b"),
        attributed("gpu-2", 1, "b"),
      ] as never),
      claimOf("list", (d) => ({
        requests: [
          {
            name: "a",
            firstAvailable: [
              {
                name: "large",
                deviceClassName: d,
                selectors: [{ cel: { expression: `device.attributes["${d}"].model == "c"` } }],
              },
              {
                name: "two",
                deviceClassName: d,
                count: 2,
                selectors: [{ cel: { expression: `device.attributes["${d}"].model == "b"` } }],
              },
              { name: "any", deviceClassName: d },
            ],
          },
        ],
        config: [
          { requests: ["a/two"], opaque: { driver: d, parameters: { mode: "two" } } },
          { requests: ["a/any"], opaque: { driver: d, parameters: { mode: "any" } } },
        ],
      })),
      pod("devices-first-available", "list", "list"),
      claimOf("again", (d) => ({
        requests: [
          {
            name: "a",
            firstAvailable: [
              { name: "two", deviceClassName: d, count: 2 },
              { name: "any", deviceClassName: d },
            ],
          },
        ],
      })),
      pod("devices-first-available", "again", "again"),
      claimOf("none", (d) => ({ requests: [{ name: "a", firstAvailable: [{ name: "x", deviceClassName: d }] }] })),
      pod("devices-first-available", "none", "none"),
    ],
  },
  {
    name: "devices-all",
    nodes: 2,
    steps: [
      deviceClass(),
      devices("first", 1, [attributed("gpu-0", 0, "a"), attributed("gpu-1", 1, "a")] as never),
      claimOf("one", (d) => ({ requests: [{ name: "a", exactly: { deviceClassName: d } }] })),
      pod("devices-all", "one", "one"),
      claimOf("all", (d) => ({ requests: [{ name: "a", exactly: { deviceClassName: d, allocationMode: "All" } }] })),
      pod("devices-all", "all", "all"),
      remove("Pod", "one", {}),
      remove("ResourceClaim", "one", {}),
    ],
  },
  {
    name: "devices-reserved-by-hand",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }, { name: "gpu-1" }]),
      claim("one", [one("a")]),
      pod("devices-reserved-by-hand", "one", "one"),
      act("take the reservation", ({ client, namespace }) =>
        client
          .resource(ResourceClaim)
          .namespace(namespace)
          .subresource("status")
          .patch("one", { type: "merge", patch: { status: { reservedFor: null } } as object }),
      ),
      remove("Pod", "one", {}),
      act("deallocate", ({ client, namespace }) =>
        client
          .resource(ResourceClaim)
          .namespace(namespace)
          .subresource("status")
          .patch("one", { type: "merge", patch: { status: null } as object }),
      ),
      pod("devices-reserved-by-hand", "later", "one"),
      act("reserve it for another consumer", ({ client, namespace }) =>
        client
          .resource(ResourceClaim)
          .namespace(namespace)
          .subresource("status")
          .update("one", (live) => {
            live.status!.reservedFor = [
              ...(live.status!.reservedFor ?? []),
              { resource: "pods", name: "gone", uid: "00000000-0000-4000-8000-000000000005" },
            ];
          }),
      ),
      remove("Pod", "later", {}),
    ],
  },
];

const others: readonly Scenario[] = [
  {
    name: "priority-default",
    steps: [
      act("create a default class", ({ client, namespace }) =>
        client
          .resource(PriorityClass)
          .create({ metadata: { name: `d-${namespace}` }, value: 7, globalDefault: false, preemptionPolicy: "Never" }),
      ),
      act("create a pod of it", (stage) =>
        create("Pod", "web", template("web", "web:1", { priorityClassName: `d-${stage.namespace}` })).run(stage),
      ),
      act("delete the class", ({ client, namespace }) => client.resource(PriorityClass).delete(`d-${namespace}`)),
      act("create another pod of it", (stage) =>
        create("ReplicaSet", "late", web({}, "web:1", { priorityClassName: `d-${stage.namespace}` })).run(stage),
      ),
    ],
  },
  {
    name: "service-balanced",
    steps: [
      create("Service", "web", {
        spec: {
          type: "LoadBalancer",
          selector: { app: "web" },
          ports: [{ name: "http", port: 80, targetPort: "web" }],
          externalTrafficPolicy: "Local",
          sessionAffinity: "ClientIP",
        },
      }),
      create("Deployment", "web", web({ replicas: 2 }, "web:1", {}, { ports: [{ name: "web", containerPort: 8080 }] })),
      act("give the Service an address", ({ client, namespace }) =>
        client
          .resource(Service)
          .namespace(namespace)
          .subresource("status")
          .patch("web", {
            type: "merge",
            patch: { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } } as object,
          }),
      ),
      patch("Deployment", "web", image("web:2", { ports: [{ name: "web", containerPort: 9090 }] })),
      patch("Service", "web", { spec: { type: "ClusterIP", externalTrafficPolicy: null } }),
      note("service", async ({ client, namespace }) => {
        const { spec, status } = await client.resource(Service).namespace(namespace).get("web");
        return [spec?.type, spec?.ports?.[0]?.nodePort, status];
      }),
    ],
  },
  {
    name: "job-restarts-limited",
    steps: [
      create("Job", "job", {
        spec: {
          backoffLimit: 2,
          completions: 2,
          parallelism: 2,
          template: {
            metadata: { labels: { app: "job" } },
            spec: { restartPolicy: "OnFailure", containers: [{ name: "main", image: "stay:1" }] },
          },
        },
      }),
      crash("app=job", 1),
      crash("app=job", 1, 15_000),
      wait(10_000),
    ],
  },
  {
    name: "job-open-ended",
    steps: [
      create("Job", "job", {
        spec: {
          parallelism: 3,
          managedBy: "kubernetes.io/job-controller",
          template: {
            metadata: { labels: { app: "job" } },
            spec: { restartPolicy: "Never", containers: [{ name: "main", image: "stay:1" }] },
          },
        },
      }),
      patch("Job", "job", { spec: { parallelism: 1 } }),
      patch("Job", "job", { spec: { suspend: true } }),
      patch("Job", "job", { spec: { suspend: false, parallelism: 2, backoffLimit: 1 } }),
      crash("app=job", 3),
      wait(12_000),
      crash("app=job", 0),
    ],
  },
  {
    name: "claims-of-edited-templates",
    steps: [
      create("StatefulSet", "db", {
        spec: {
          replicas: 2,
          serviceName: "db",
          selector: { matchLabels: { app: "db" } },
          template: template("db"),
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
          volumeClaimTemplates: [
            {
              metadata: { name: "data", labels: { team: "a" }, annotations: { note: "b" } },
              spec: {
                storageClassName: "none",
                accessModes: ["ReadWriteOnce"],
                resources: { requests: { storage: "1Gi" } },
              },
            },
          ],
        },
      }),
      act("take the owner of a claim", ({ client, namespace }) =>
        client
          .resource(PersistentVolumeClaim)
          .namespace(namespace)
          .patch("data-db-0", { type: "merge", patch: { metadata: { ownerReferences: null, labels: null } } }),
      ),
      act("own a claim by something else", ({ client, namespace }) =>
        client
          .resource(PersistentVolumeClaim)
          .namespace(namespace)
          .patch("data-db-0", {
            type: "merge",
            patch: {
              metadata: {
                ownerReferences: [
                  {
                    apiVersion: "v1",
                    kind: "ConfigMap",
                    name: "kube-root-ca.crt",
                    uid: "00000000-0000-4000-8000-000000000003",
                    controller: true,
                  },
                ],
              },
            },
          }),
      ),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
      remove("StatefulSet", "db", { propagationPolicy: "Orphan" }),
    ],
  },
];

/** Features that few workloads use. */
export const newerFeatures: readonly Scenario[] = [
  ...autoscalers,
  ...volumes,
  ...resources,
  ...deviceFeatures,
  ...others,
];
