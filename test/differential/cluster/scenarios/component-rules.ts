// Rules of components that were found by reading them.
import { CustomResourceDefinition, type JSONSchemaProps } from "../../../../src/kinds/apiextensions/v1.js";
import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodCondition,
  ResourceQuota,
} from "../../../../src/kinds/core/v1.js";
import { ResourceSlice } from "../../../../src/kinds/resource/v1.js";
import { VolumeAttributesClass } from "../../../../src/kinds/storage/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../../src/meta/object.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import { claim, deviceClass, devices, one } from "../device-steps.js";
import {
  act,
  cpu,
  create,
  note,
  onNodesOf,
  patch,
  remove,
  type Scenario,
  type ScenarioStep,
  template,
  wait,
  web,
} from "../scenario.js";

const setCondition = (name: string, condition: PodCondition, waitMs?: number): ScenarioStep =>
  act(
    `set the condition ${condition.type} of ${name}`,
    ({ client, namespace }) =>
      client
        .resource(Pod)
        .namespace(namespace)
        .subresource("status")
        .update(name, (pod) => {
          pod.status = { ...pod.status, conditions: [...(pod.status?.conditions ?? []), condition] };
        }),
    waitMs,
  );

const disruption = (reason: string): PodCondition => ({
  type: "DisruptionTarget",
  status: "True",
  reason,
  message: "by a test",
  lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ""),
});

/** A kind of custom resources that own pods. */
const custom = (singular: string): Kind<KubernetesObject, "Namespaced"> =>
  ({
    group: "rules.example.com",
    version: "v1",
    kind: singular,
    plural: `${singular.toLowerCase()}s`,
    scope: "Namespaced",
    apiVersion: "rules.example.com/v1",
  }) as Kind<KubernetesObject, "Namespaced">;

const define = (singular: string, scalable: boolean): ScenarioStep =>
  act(`define ${singular}`, async ({ client }) => {
    const { group, kind, plural } = custom(singular);
    const open: JSONSchemaProps = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    await createOrUpdate(client.resource(CustomResourceDefinition), `${plural}.${group}`, (existing) => {
      existing.spec = {
        group,
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
            subresources: {
              status: {},
              ...(scalable && {
                scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
              }),
            },
          },
        ],
      };
    });
  });

/** Creates a custom resource that wants three pods, and an object that it owns. */
const owned = (singular: string, kind: "Pod" | "ReplicaSet", fields: object): ScenarioStep =>
  act(`create a ${singular} with a ${kind}`, async (stage) => {
    const { client, namespace } = stage;
    const { metadata, apiVersion } = await client
      .resource(custom(singular))
      .namespace(namespace)
      .create({ metadata: { name: "owner" }, spec: { replicas: 3 } } as KubernetesObject);
    const owner = { apiVersion: apiVersion!, kind: singular, name: "owner", uid: metadata!.uid!, controller: true };
    await create(kind, "owned", {
      ...fields,
      metadata: { name: "owned", labels: { app: "web" }, ownerReferences: [owner] },
    }).run(stage);
  });

const budget = (spec: object): ScenarioStep =>
  create("PodDisruptionBudget", "web", { spec: { selector: { matchLabels: { app: "web" } }, ...spec } });

const disruptions: readonly Scenario[] = [
  {
    name: "stale-disruption",
    steps: [
      create("Pod", "web", template("web")),
      create("Pod", "other", template("web")),
      setCondition("other", disruption("TerminationByKubelet")),
      setCondition("web", disruption("Test"), 130_000),
    ],
  },
  {
    name: "budget-of-scalable",
    steps: [
      define("Scalable", true),
      budget({ maxUnavailable: 1 }),
      owned("Scalable", "Pod", template("web")),
      patch("PodDisruptionBudget", "web", { spec: { maxUnavailable: "70%" } }),
    ],
  },
  {
    name: "budget-of-unscalable",
    steps: [
      define("Unscalable", false),
      budget({ minAvailable: "50%" }),
      owned("Unscalable", "Pod", template("web")),
      patch("PodDisruptionBudget", "web", { spec: { minAvailable: 1 } }),
    ],
  },
  {
    name: "budget-of-rollout",
    steps: [
      define("Rollout", true),
      budget({ maxUnavailable: 1 }),
      owned("Rollout", "ReplicaSet", web({ replicas: 2 })),
    ],
  },
];

const nodes: readonly Scenario[] = [
  {
    name: "node-created",
    steps: [
      act("create a node", ({ client, namespace }) =>
        client.resource(Node).create({
          metadata: {
            name: `extra-${namespace}`,
            labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "amd64" },
          },
        }),
      ),
      note("labels", async ({ client, namespace }) => {
        const { metadata, spec } = await client.resource(Node).get(`extra-${namespace}`);
        return [
          Object.entries(metadata?.labels ?? {}).sort(),
          metadata?.annotations,
          spec?.taints?.map(({ key, effect }) => `${key}:${effect}`),
        ];
      }),
      act("delete the node", ({ client, namespace }) => client.resource(Node).delete(`extra-${namespace}`)),
    ],
  },
];

const attributesClass = (name: string): ScenarioStep =>
  act(`create the attributes class ${name}`, ({ client, namespace }) =>
    client.resource(VolumeAttributesClass).create({
      metadata: { name: `${name}-${namespace}` },
      driverName: "example.com",
      parameters: { iops: "1" },
    }),
  );
const deleteAttributesClass = (name: string): ScenarioStep =>
  act(`delete the attributes class ${name}`, ({ client, namespace }) =>
    client.resource(VolumeAttributesClass).delete(`${name}-${namespace}`),
  );
const attributesClasses = (title: string): ScenarioStep =>
  note(title, async ({ client, namespace }) => {
    const { items } = await client.resource(VolumeAttributesClass).list();
    return items.flatMap(({ metadata }) =>
      metadata!.name!.endsWith(namespace) ? [metadata!.name!, metadata!.finalizers ?? []] : [],
    );
  });
const usingClass = (name: string): ScenarioStep =>
  act(`create a claim of the attributes class ${name}`, (stage) =>
    create("PersistentVolumeClaim", "data", {
      spec: {
        storageClassName: "none",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        volumeAttributesClassName: `${name}-${stage.namespace}`,
      },
    }).run(stage),
  );

const volume = (spec: object): ScenarioStep =>
  act("create a volume", ({ client, namespace }) =>
    client.resource(PersistentVolume).create({
      metadata: { name: `data-${namespace}`, labels: { scenario: namespace, "topology.kubernetes.io/zone": "zone-1" } },
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "slow",
        hostPath: { path: "/data" },
        ...spec,
      },
    }),
  );
const claimOf = (name: string, spec: object): ScenarioStep =>
  act(`create the claim ${name} of the volume with ${JSON.stringify(spec)}`, (stage) =>
    create("PersistentVolumeClaim", name, {
      spec: {
        storageClassName: "slow",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        volumeName: `data-${stage.namespace}`,
        ...spec,
      },
    }).run(stage),
  );

const volumes: readonly Scenario[] = [
  {
    name: "attributes-class",
    steps: [
      attributesClass("free"),
      attributesClass("used"),
      attributesClasses("created"),
      usingClass("used"),
      deleteAttributesClass("free"),
      deleteAttributesClass("used"),
      attributesClasses("deleted"),
      remove("PersistentVolumeClaim", "data"),
      attributesClasses("released"),
    ],
  },
  {
    name: "volume-mismatch",
    steps: [
      volume({}),
      claimOf("big", { resources: { requests: { storage: "3Gi" } } }),
      claimOf("fast", { storageClassName: "fast" }),
      claimOf("many", { accessModes: ["ReadWriteMany"] }),
      claimOf("block", { volumeMode: "Block" }),
      claimOf("labels", { selector: { matchLabels: { tier: "none" } } }),
      wait(16_000),
    ],
  },
  {
    name: "volume-reserved-class",
    steps: [
      claimOf("data", { storageClassName: "fast", volumeName: undefined }),
      act("create a volume that is reserved for it", (stage) =>
        volume({ claimRef: { namespace: stage.namespace, name: "data" } }).run(stage),
      ),
    ],
  },
  {
    // Claims that were restored from a copy.
    name: "volume-restored-claims",
    steps: [
      volume({}),
      claimOf("data", {}),
      ...["data", "none"].map((name) =>
        act(`restore a claim of ${name}`, ({ client, namespace }) =>
          client
            .resource(PersistentVolumeClaim)
            .namespace(namespace)
            .create({
              metadata: { name: `restored-${name}`, annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
              spec: {
                storageClassName: "slow",
                accessModes: ["ReadWriteOnce"],
                resources: { requests: { storage: "1Gi" } },
                volumeName: `${name}-${namespace}`,
              },
            }),
        ),
      ),
    ],
  },
  {
    name: "volume-zone",
    steps: [
      volume({}),
      claimOf("data", {}),
      ...["zone-1", "zone-2"].map((zone) =>
        create("Pod", zone, {
          spec: {
            nodeSelector: { "topology.kubernetes.io/zone": zone },
            containers: [{ name: "main", image: "web:1" }],
            volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
          },
        }),
      ),
      create("Pod", "any", {
        spec: {
          containers: [{ name: "main", image: "web:1" }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      }),
      note("zone", async ({ client, namespace }) => {
        const pod = await client.resource(Pod).namespace(namespace).get("any");
        const node = await client.resource(Node).get(pod.spec?.nodeName ?? "");
        return node.metadata?.labels?.["topology.kubernetes.io/zone"];
      }),
    ],
  },
];

const taintDevices = (taints: object[], waitMs?: number): ScenarioStep =>
  act(
    `taint the devices with ${JSON.stringify(taints)}`,
    ({ client, namespace }) =>
      client.resource(ResourceSlice).update(`first-${namespace}`, (slice) => {
        for (const device of slice.spec.devices ?? []) Object.assign(device, { taints });
      }),
    waitMs,
  );
const user = (scenario: string, name: string): ScenarioStep =>
  create("Pod", name, {
    spec: {
      ...onNodesOf(scenario),
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "web:1" }],
      resourceClaims: [{ name: "gpu", resourceClaimName: name }],
    },
  });
const tolerate = (tolerationSeconds?: number): object => ({
  tolerations: [
    {
      key: "example.com/broken",
      operator: "Exists",
      effect: "NoExecute",
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    },
  ],
});

const deviceTaints: readonly Scenario[] = [
  {
    name: "device-taints",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }, { name: "gpu-1" }, { name: "gpu-2" }]),
      claim("plain", [one("a")], 500),
      user("device-taints", "plain"),
      claim("patient", [one("a", tolerate(20))], 500),
      user("device-taints", "patient"),
      claim("immune", [one("a", tolerate())], 500),
      user("device-taints", "immune"),
      taintDevices([{ key: "example.com/slow", effect: "NoSchedule" }]),
      taintDevices([{ key: "example.com/broken", effect: "NoExecute" }]),
      wait(20_000),
    ],
  },
  {
    name: "device-taint-removed",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }]),
      claim("patient", [one("a", tolerate(15))], 500),
      user("device-taint-removed", "patient"),
      taintDevices([{ key: "example.com/broken", effect: "NoExecute" }]),
      taintDevices([], 20_000),
    ],
  },
];

const quotas: readonly Scenario[] = [
  {
    name: "quota-lost-pod",
    nodes: 1,
    steps: [
      create("ResourceQuota", "one", { spec: { hard: { pods: "1" } } }),
      create("Pod", "lost", {
        spec: { ...onNodesOf("quota-lost-pod"), containers: [{ name: "main", image: "web:1" }] },
      }),
      act("cut the node off", ({ cluster }) => cluster.nodes("quota-lost-pod-1").partition()),
      remove("Pod", "lost", { gracePeriodSeconds: 2 }, 8_000),
      act("count again", ({ client, namespace }) =>
        client
          .resource(ResourceQuota)
          .namespace(namespace)
          .patch("one", {
            type: "merge",
            patch: { spec: { hard: { pods: "1", services: "4" } } },
          }),
      ),
      create("Pod", "next", { spec: { containers: [{ name: "main", image: "web:1" }] } }),
      act("heal it", ({ cluster }) => cluster.nodes("quota-lost-pod-1").recover(), 10_000),
    ],
  },
  {
    name: "quota-resized-pod",
    nodes: 1,
    steps: [
      create("ResourceQuota", "cpu", {
        spec: { hard: { "requests.cpu": "4", pods: "4" }, scopes: ["NotTerminating"] },
      }),
      create("Pod", "web", {
        spec: { ...onNodesOf("quota-resized-pod"), containers: [{ name: "main", image: "web:1", ...cpu("2") }] },
      }),
      ...["3", "1"].map((amount) =>
        act(`resize it to ${amount}`, ({ client, namespace }) =>
          client
            .resource(Pod)
            .namespace(namespace)
            .subresource("resize")
            .patch("web", { type: "strategic", patch: { spec: { containers: [{ name: "main", ...cpu(amount) }] } } }),
        ),
      ),
      patch("Pod", "web", { spec: { activeDeadlineSeconds: 3_600 } }),
    ],
  },
];

/** Scenarios of rules that other scenarios don't touch. */
export const componentRules: readonly Scenario[] = [...disruptions, ...nodes, ...volumes, ...deviceTaints, ...quotas];
