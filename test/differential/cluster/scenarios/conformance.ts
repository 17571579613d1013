// Situations of upstream's end-to-end tests that other scenarios lack.
import { CustomResourceDefinition } from "../../../../src/kinds/apiextensions/v1.js";
import { ConfigMap, Namespace, Node } from "../../../../src/kinds/core/v1.js";
import { DeviceClass, ResourceClaim } from "../../../../src/kinds/resource/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../../src/meta/object.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import { claim, claimTemplate, deviceClass, devices, one, ownName } from "../device-steps.js";
import {
  act,
  cpu,
  crash,
  create,
  note,
  onNodesOf,
  patch,
  remove,
  type Scenario,
  type ScenarioStep,
  wait,
  web,
  workload,
} from "../scenario.js";

const widget = (namespace: string): Kind<KubernetesObject, "Namespaced"> =>
  ({
    group: `${namespace}.example.com`,
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  }) as Kind<KubernetesObject, "Namespaced">;
const define: ScenarioStep = act("define widgets", ({ client, namespace }) =>
  createOrUpdate(client.resource(CustomResourceDefinition), `widgets.${namespace}.example.com`, (existing) => {
    existing.spec = {
      group: `${namespace}.example.com`,
      names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    };
  }),
);
const undefine: ScenarioStep = act(
  "delete the definition",
  ({ client, namespace }) => client.resource(CustomResourceDefinition).delete(`widgets.${namespace}.example.com`),
  10_000,
);
const createWidget = (name: string, owner?: string): ScenarioStep =>
  act(`create the widget ${name}`, async ({ client, namespace }) => {
    const widgets = client.resource(widget(namespace)).namespace(namespace);
    const found = owner === undefined ? undefined : await widgets.get(owner);
    await widgets.create({
      metadata: {
        name,
        ...(found && {
          ownerReferences: [
            {
              apiVersion: `${namespace}.example.com/v1`,
              kind: "Widget",
              name: owner!,
              uid: found.metadata!.uid!,
              blockOwnerDeletion: true,
            },
          ],
        }),
      },
    } as KubernetesObject);
  });
const removeWidget = (name: string, propagationPolicy: "Orphan" | "Foreground" | "Background"): ScenarioStep =>
  act(`delete the widget ${name} with ${propagationPolicy}`, ({ client, namespace }) =>
    client.resource(widget(namespace)).namespace(namespace).delete(name, { propagationPolicy }),
  );
const noteWidgets = (name: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const { items } = await client.resource(widget(namespace)).namespace(namespace).list();
    return items.map(({ metadata }) => [
      metadata?.name,
      metadata?.finalizers ?? [],
      metadata?.ownerReferences?.length ?? 0,
    ]);
  });
const ownedByWidget = (kind: string, name: string, fields: object): ScenarioStep =>
  act(`create ${kind} ${name} of the widget`, async (stage) => {
    const { client, namespace } = stage;
    const { metadata } = await client.resource(widget(namespace)).namespace(namespace).get("owner");
    const reference = { apiVersion: `${namespace}.example.com/v1`, kind: "Widget", name: "owner", uid: metadata!.uid! };
    await create(kind, name, { ...fields, metadata: { name, ownerReferences: [reference] } }).run(stage);
  });

const garbage: readonly Scenario[] = [
  {
    name: "custom-owners",
    steps: [
      define,
      createWidget("owner"),
      createWidget("child", "owner"),
      ownedByWidget("ConfigMap", "config", {}),
      removeWidget("owner", "Foreground"),
      noteWidgets("after-foreground"),
      createWidget("owner"),
      createWidget("child", "owner"),
      removeWidget("owner", "Orphan"),
      noteWidgets("after-orphan"),
      removeWidget("child", "Background"),
      undefine,
    ],
  },
  {
    name: "custom-definition-deleted",
    steps: [
      define,
      createWidget("owner"),
      ownedByWidget("ConfigMap", "config", {}),
      ownedByWidget("Deployment", "web", web({ replicas: 1 })),
      undefine,
      wait(20_000),
    ],
  },
  {
    name: "owner-of-the-cluster",
    steps: [
      act("let a class own a ConfigMap", async (stage) => {
        const { metadata } = await stage.client
          .resource(PriorityClass)
          .create({ metadata: { name: `owner-${stage.namespace}` }, value: 1 });
        const reference = {
          apiVersion: "scheduling.k8s.io/v1",
          kind: "PriorityClass",
          name: metadata!.name!,
          uid: metadata!.uid!,
        };
        await create("ConfigMap", "owned", { metadata: { name: "owned", ownerReferences: [reference] } }).run(stage);
      }),
      act("delete the class", ({ client, namespace }) => client.resource(PriorityClass).delete(`owner-${namespace}`)),
    ],
  },
  {
    name: "owner-waits-for-other",
    steps: [
      create("ConfigMap", "a", {}),
      create("ConfigMap", "b", {}),
      act("create children of both", async ({ client, namespace }) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const owners = await Promise.all(["a", "b"].map((name) => maps.get(name)));
        const ownerReferences = owners.map(({ metadata }) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: metadata!.name!,
          uid: metadata!.uid!,
          blockOwnerDeletion: true,
        }));
        for (const name of ["one", "two"]) await maps.create({ metadata: { name, ownerReferences } });
        await maps.create({
          metadata: { name: "held", ownerReferences: ownerReferences.slice(0, 1), finalizers: ["example.com/hold"] },
        });
      }),
      remove("ConfigMap", "a", { propagationPolicy: "Foreground" }),
      patch("ConfigMap", "held", { metadata: { finalizers: null } }),
      remove("ConfigMap", "b", { propagationPolicy: "Foreground" }),
    ],
  },
];

const noteNamespace = (name: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const found = await client.resource(Namespace).getOptional(`${namespace}-x`);
    return (
      found && [
        found.status?.phase,
        found.spec?.finalizers,
        (found.status?.conditions ?? [])
          .map(({ type, status, reason, message }) => [type, status, reason, message?.replaceAll(namespace, "NS")])
          .sort(),
      ]
    );
  });
const cluster: readonly Scenario[] = [
  {
    name: "namespace-own-finalizer",
    steps: [
      act(
        "create a namespace with a finalizer of its own",
        async ({ client, namespace }) => {
          const namespaces = client.resource(Namespace);
          await namespaces.create({ metadata: { name: `${namespace}-x` } });
          await namespaces.subresource("finalize").update(`${namespace}-x`, (live) => {
            live.spec!.finalizers = [...(live.spec!.finalizers ?? []), "example.com/own"];
          });
          await namespaces.delete(`${namespace}-x`);
        },
        12_000,
      ),
      noteNamespace("while-held"),
      act("remove the finalizer", ({ client, namespace }) =>
        client
          .resource(Namespace)
          .subresource("finalize")
          .update(`${namespace}-x`, (live) => {
            live.spec!.finalizers = [];
          }),
      ),
      noteNamespace("then"),
    ],
  },
  {
    name: "nodes-deleted",
    nodes: 2,
    steps: [
      create("Deployment", "web", web({ replicas: 3 }, "web:1", onNodesOf("nodes-deleted"))),
      create(
        "StatefulSet",
        "db",
        workload("db", { serviceName: "db", replicas: 2 }, "db:1", onNodesOf("nodes-deleted")),
      ),
      create("DaemonSet", "agent", workload("agent", {}, "agent:1", onNodesOf("nodes-deleted"))),
      create("Job", "job", {
        spec: {
          parallelism: 2,
          completions: 2,
          completionMode: "Indexed",
          template: {
            metadata: { labels: { app: "job" } },
            spec: {
              ...onNodesOf("nodes-deleted"),
              restartPolicy: "Never",
              containers: [{ name: "main", image: "stay:1" }],
            },
          },
        },
      }),
      create("Pod", "bare", {
        spec: {
          ...onNodesOf("nodes-deleted"),
          nodeName: "nodes-deleted-1",
          containers: [{ name: "main", image: "web:1" }],
        },
      }),
      act(
        "remove a node",
        async ({ client, cluster }) => {
          await cluster.nodes("nodes-deleted-1").crash();
          await client.resource(Node).delete("nodes-deleted-1");
        },
        70_000,
      ),
      act("the node joins again", ({ cluster }) => cluster.nodes("nodes-deleted-1").recover(), 10_000),
    ],
  },
];

const prio = (scenario: string, value: string): object => ({ priorityClassName: `${value}-${scenario}` });
const scheduling: readonly Scenario[] = [
  {
    name: "queue-order",
    nodes: 1,
    steps: [
      act("create priority classes", async ({ client, namespace }) => {
        for (const [name, value] of [
          ["low", 1],
          ["high", 100],
          ["middle", 50],
        ] as const)
          await client
            .resource(PriorityClass)
            .create({ metadata: { name: `${name}-${namespace}` }, value, preemptionPolicy: "Never" });
      }),
      create("Pod", "filler", {
        spec: {
          ...onNodesOf("queue-order"),
          terminationGracePeriodSeconds: 1,
          containers: [{ name: "main", image: "web:1", ...cpu("3500m") }],
        },
      }),
      ...["low", "high", "middle"].map((name) =>
        act(
          `create the pod ${name}`,
          (stage) =>
            create("Pod", name, {
              spec: {
                ...onNodesOf("queue-order"),
                ...prio(stage.namespace, name),
                containers: [{ name: "main", image: "web:1", ...cpu("2") }],
              },
            }).run(stage),
          2_000,
        ),
      ),
      remove("Pod", "filler", {}, 10_000),
      remove("Pod", "high", { gracePeriodSeconds: 0 }, 10_000),
      act("delete the classes", async ({ client, namespace }) => {
        for (const name of ["low", "high", "middle"])
          await client.resource(PriorityClass).delete(`${name}-${namespace}`);
      }),
    ],
  },
  {
    name: "disks-conflict",
    nodes: 1,
    steps: [
      ...[
        ["gce", { gcePersistentDisk: { pdName: "disk" } }],
        ["gce-again", { gcePersistentDisk: { pdName: "disk" } }],
        ["gce-read", { gcePersistentDisk: { pdName: "disk", readOnly: true } }],
        ["ebs", { awsElasticBlockStore: { volumeID: "vol-1" } }],
        ["ebs-again", { awsElasticBlockStore: { volumeID: "vol-1", readOnly: true } }],
        ["rbd", { rbd: { monitors: ["m1", "m2"], image: "i", readOnly: true } }],
        ["rbd-read", { rbd: { monitors: ["m2"], image: "i", readOnly: true } }],
        ["rbd-write", { rbd: { monitors: ["m2"], image: "i" } }],
        ["iscsi", { iscsi: { targetPortal: "t", iqn: "iqn.2026-01.com.example:a", lun: 0 } }],
        ["iscsi-again", { iscsi: { targetPortal: "t", iqn: "iqn.2026-01.com.example:a", lun: 0, readOnly: true } }],
      ].map(([name, source]) =>
        create(
          "Pod",
          name as string,
          {
            spec: {
              ...onNodesOf("disks-conflict"),
              terminationGracePeriodSeconds: 1,
              containers: [{ name: "main", image: "web:1" }],
              volumes: [{ name: "disk", ...(source as object) }],
            },
          },
          1_500,
        ),
      ),
      remove("Pod", "gce", {}),
      remove("Pod", "iscsi", {}),
    ],
  },
  {
    name: "stateful-port-taken",
    nodes: 1,
    steps: [
      create("Pod", "taker", {
        spec: {
          ...onNodesOf("stateful-port-taken"),
          nodeName: "stateful-port-taken-1",
          containers: [{ name: "main", image: "web:1", ports: [{ containerPort: 80, hostPort: 8080 }] }],
          terminationGracePeriodSeconds: 1,
        },
      }),
      create(
        "StatefulSet",
        "db",
        workload(
          "db",
          { serviceName: "db", replicas: 1 },
          "db:1",
          { ...onNodesOf("stateful-port-taken"), nodeName: "stateful-port-taken-1" },
          { ports: [{ containerPort: 80, hostPort: 8080 }] },
        ),
        1_500,
      ),
      remove("Pod", "taker", {}, 12_000),
    ],
  },
];

const claimPod = (scenario: string, name: string, spec: object): ScenarioStep =>
  create("Pod", name, {
    spec: {
      ...onNodesOf(scenario),
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "stay:1", resources: { claims: [{ name: "gpu" }] } }],
      ...spec,
    },
    metadata: { name, labels: { app: name } },
  });
const deviceLifecycles: readonly Scenario[] = [
  {
    name: "devices-of-ended-pods",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }, { name: "gpu-1" }]),
      claimTemplate("device", [one("a")]),
      claim("shared", [one("a")]),
      claimPod("devices-of-ended-pods", "own", {
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "device" }],
      }),
      claimPod("devices-of-ended-pods", "shared", { resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }] }),
      crash("app=own", 0),
      crash("app=shared", 1),
      remove("Pod", "own", {}),
      remove("Pod", "shared", {}),
    ],
  },
  {
    name: "devices-class-changed",
    nodes: 1,
    steps: [
      devices("first", 1, [{ name: "gpu-0" }]),
      claim("one", [one("a")]),
      claimPod("devices-class-changed", "one", { resourceClaims: [{ name: "gpu", resourceClaimName: "one" }] }),
      deviceClass(6_000, {
        spec: () => ({ selectors: [{ cel: { expression: "device.driver == 'none.example.com'" } }] }),
      }),
      act("let the class select the devices", ({ client, namespace }) =>
        client.resource(DeviceClass).patch(ownName(namespace), {
          type: "merge",
          patch: { spec: { selectors: [{ cel: { expression: `device.driver == "${ownName(namespace)}"` } }] } },
        }),
      ),
    ],
  },
  {
    name: "devices-admin",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }]),
      claim("one", [one("a")]),
      claimPod("devices-admin", "one", { resourceClaims: [{ name: "gpu", resourceClaimName: "one" }] }),
      claim("early", [one("a", { adminAccess: true })]),
      act("allow admin access", ({ client, namespace }) =>
        client.resource(Namespace).patch(namespace, {
          type: "merge",
          patch: { metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } } },
        }),
      ),
      claim("admin", [one("a", { adminAccess: true })]),
      claimPod("devices-admin", "admin", { resourceClaims: [{ name: "gpu", resourceClaimName: "admin" }] }),
      remove("Pod", "admin", {}),
    ],
  },
  {
    name: "devices-long-names",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }, { name: "gpu-1" }]),
      claimTemplate("device", [one("a")]),
      claimPod("devices-long-names", `p${"x".repeat(200)}`, {
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "device" }],
      }),
      claimPod("devices-long-names", "short", {
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "device" }],
        containers: [{ name: "main", image: "stay:1" }],
      }),
      claimPod("devices-long-names", "absent", {
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "missing" }],
      }),
      act("note what claims say", async ({ client, namespace }) => {
        const { items } = await client.resource(ResourceClaim).namespace(namespace).list();
        await client
          .resource(ConfigMap)
          .namespace(namespace)
          .create({
            metadata: { name: "claims" },
            data: {
              value: JSON.stringify(
                items.map(({ metadata }) => [metadata?.generateName, Object.keys(metadata?.annotations ?? {})]).sort(),
              ),
            },
          });
      }),
      claimTemplate("missing", [one("a")]),
      wait(10_000),
    ],
  },
];

/** Situations of upstream's end-to-end tests. */
export const conformance: readonly Scenario[] = [...garbage, ...cluster, ...scheduling, ...deviceLifecycles];
