import { Node, Pod, ServiceAccount } from "../../../../src/kinds/core/v1.js";
import { RuntimeClass } from "../../../../src/kinds/node/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import {
  act,
  cpu,
  create,
  image,
  note,
  onNodesOf,
  ownTaint,
  patch,
  patchNode,
  remove,
  type Scenario,
  type ScenarioStep,
  template,
  wait,
} from "../scenario.js";

const host = "kubernetes.io/hostname";
const web = (name: string, replicas: number, spec: object, container: object = {}, labels: object = {}): object => {
  const pod = template(name, "web:1", { terminationGracePeriodSeconds: 1, ...spec }, container) as {
    metadata: object;
    spec: object;
  };
  return {
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { ...pod, metadata: { labels: { app: name, ...labels } } },
    },
  };
};
const pod = (name: string, spec: object, container: object = {}, waitMs?: number): ScenarioStep =>
  create(
    "Pod",
    name,
    {
      metadata: { name, labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 1, ...spec, containers: [{ name: "main", image: "web:1", ...container }] },
    },
    waitMs,
  );

/** Notes the nodes of pods with names of their own. */
const places = (name: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const { items } = await client.resource(Pod).namespace(namespace).list();
    return items.map(({ metadata, spec }) => `${metadata!.name!} ${spec?.nodeName ?? ""}`);
  });

/** Notes the number of pods of a workload on each node. */
const counts = (name: string, app: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const { items } = await client
      .resource(Pod)
      .namespace(namespace)
      .list({ labelSelector: `app=${app}` });
    const byNode: Record<string, number> = {};
    for (const { spec } of items) byNode[spec?.nodeName ?? ""] = (byNode[spec?.nodeName ?? ""] ?? 0) + 1;
    return Object.values(byNode).sort();
  });

/** Notes the taints of a node. */
const noteTaints = (step: string, name: string): ScenarioStep =>
  note(step, async ({ client }) => {
    const { spec } = await client.resource(Node).get(name);
    return (spec?.taints ?? []).map(({ key, effect, value }) => `${key}=${value ?? ""}:${effect}`).sort();
  });

const nodes: readonly Scenario[] = [
  {
    name: "taint-many-pods",
    nodes: 2,
    steps: [
      ...[undefined, 8, 25].map((tolerationSeconds, index) =>
        create(
          "Deployment",
          `web-${String(index)}`,
          web(`web-${String(index)}`, 2, {
            nodeSelector: { [host]: "taint-many-pods-1" },
            tolerations: [
              { key: "scenario", operator: "Exists", effect: "NoSchedule" },
              ...(tolerationSeconds === undefined
                ? []
                : [{ key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds }]),
            ],
          }),
        ),
      ),
      patchNode(
        "taint-many-pods-1",
        { spec: { taints: [ownTaint("taint-many-pods"), { key: "broken", value: "yes", effect: "NoExecute" }] } },
        12_000,
      ),
      patchNode("taint-many-pods-1", { spec: { taints: [ownTaint("taint-many-pods")] } }, 20_000),
    ],
  },
  {
    name: "node-conditions",
    nodes: 1,
    steps: [
      noteTaints("at-first", "node-conditions-1"),
      act("the node reports pressure", ({ client }) =>
        client
          .resource(Node)
          .subresource("status")
          .patch("node-conditions-1", {
            type: "strategic",
            patch: {
              status: {
                conditions: [
                  { type: "MemoryPressure", status: "True", reason: "Test" },
                  { type: "PIDPressure", status: "True", reason: "Test" },
                  { type: "NetworkUnavailable", status: "True", reason: "Test" },
                ],
              },
            },
          }),
      ),
      noteTaints("pressed", "node-conditions-1"),
      pod("best-effort", onNodesOf("node-conditions")),
      patchNode("node-conditions-1", { spec: { unschedulable: true } }),
      noteTaints("cordoned", "node-conditions-1"),
      pod("tolerant", { ...onNodesOf("node-conditions"), tolerations: [{ operator: "Exists" }] }),
    ],
  },
  {
    name: "runtime-class",
    nodes: 1,
    steps: [
      act("create a runtime class", ({ client }) =>
        createOrUpdate(client.resource(RuntimeClass), "sandboxed", (existing) => {
          existing.handler = "sandboxed";
          existing.overhead = { podFixed: { cpu: "1500m" } };
          existing.scheduling = { tolerations: [{ key: "scenario", operator: "Exists" }] };
        }),
      ),
      create("ResourceQuota", "cpu", { spec: { hard: { "requests.cpu": "10" } } }),
      create(
        "Deployment",
        "web",
        web("web", 3, { runtimeClassName: "sandboxed", nodeSelector: { pool: "runtime-class" } }, cpu("250m")),
      ),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
    ],
  },
];

const scheduling: readonly Scenario[] = [
  {
    name: "affinity-operators",
    nodes: 2,
    steps: [
      patchNode("affinity-operators-1", { metadata: { labels: { rank: "5", disk: "ssd" } } }, 500),
      patchNode("affinity-operators-2", { metadata: { labels: { rank: "12" } } }, 500),
      ...(
        [
          ["greater", [{ key: "rank", operator: "Gt", values: ["6"] }]],
          ["less", [{ key: "rank", operator: "Lt", values: ["6"] }]],
          ["without", [{ key: "disk", operator: "DoesNotExist" }]],
          ["not-in", [{ key: "disk", operator: "NotIn", values: ["hdd", "ssd"] }]],
          ["neither", [{ key: "rank", operator: "Gt", values: ["12"] }]],
          [
            "both",
            [
              { key: "rank", operator: "Exists" },
              { key: "disk", operator: "In", values: ["ssd", "nvme"] },
            ],
          ],
        ] as const
      ).map(([name, matchExpressions]) =>
        pod(
          name,
          {
            ...onNodesOf("affinity-operators"),
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
              },
            },
          },
          {},
          1_000,
        ),
      ),
      wait(4_000),
      places("places"),
    ],
  },
  {
    name: "spread-constraints",
    nodes: 4,
    steps: [
      ...[1, 2, 3, 4].map((index) =>
        patchNode(
          `spread-constraints-${String(index)}`,
          { metadata: { labels: { rack: index < 4 ? "a" : "b" } } },
          200,
        ),
      ),
      create(
        "Deployment",
        "web",
        web("web", 5, {
          ...onNodesOf("spread-constraints"),
          topologySpreadConstraints: ["rack", host].map((topologyKey) => ({
            maxSkew: 1,
            topologyKey,
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { app: "web" } },
          })),
        }),
      ),
      counts("counts", "web"),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "affinity-namespaces",
    nodes: 2,
    steps: [
      create("Deployment", "anchor", web("anchor", 1, { ...onNodesOf("affinity-namespaces") }, {}, { tenant: "a" })),
      create(
        "Deployment",
        "near",
        web(
          "near",
          2,
          {
            ...onNodesOf("affinity-namespaces"),
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  {
                    topologyKey: host,
                    namespaceSelector: {},
                    matchLabelKeys: ["tenant"],
                    labelSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["anchor"] }] },
                  },
                ],
              },
            },
          },
          {},
          { tenant: "a" },
        ),
      ),
      create(
        "Deployment",
        "away",
        web(
          "away",
          1,
          {
            ...onNodesOf("affinity-namespaces"),
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  {
                    topologyKey: host,
                    mismatchLabelKeys: ["tenant"],
                    labelSelector: { matchExpressions: [{ key: "tenant", operator: "Exists" }] },
                  },
                ],
              },
            },
          },
          {},
          { tenant: "b" },
        ),
      ),
      create(
        "Deployment",
        "nowhere",
        web("nowhere", 1, {
          ...onNodesOf("affinity-namespaces"),
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                {
                  topologyKey: host,
                  namespaceSelector: { matchLabels: { none: "such" } },
                  labelSelector: { matchLabels: { app: "anchor" } },
                },
              ],
            },
          },
        }),
      ),
    ],
  },
  {
    name: "preempt-never",
    nodes: 1,
    steps: [
      act("create priority classes", async ({ client }) => {
        for (const [name, value, preemptionPolicy] of [
          ["polite", 500, "Never"],
          ["rude", 600, "PreemptLowerPriority"],
        ] as const)
          await createOrUpdate(client.resource(PriorityClass), name, (existing) => {
            existing.value = value;
            existing.preemptionPolicy = preemptionPolicy;
          });
      }),
      create("Deployment", "filler", web("filler", 3, onNodesOf("preempt-never"), cpu("1"))),
      pod("polite", { ...onNodesOf("preempt-never"), priorityClassName: "polite" }, cpu("3")),
      pod("rude", { ...onNodesOf("preempt-never"), priorityClassName: "rude" }, cpu("2"), 10_000),
      remove("Pod", "rude", {}, 10_000),
      patch("Deployment", "filler", { spec: { replicas: 0 } }, 10_000),
    ],
  },
  {
    name: "preempt-ports",
    nodes: 1,
    steps: [
      act("create a priority class", ({ client }) =>
        createOrUpdate(client.resource(PriorityClass), "rude", (existing) => {
          existing.value = 600;
          existing.preemptionPolicy = "PreemptLowerPriority";
        }),
      ),
      pod("low", onNodesOf("preempt-ports"), { ports: [{ containerPort: 80, hostPort: 8_080 }] }),
      pod(
        "high",
        { ...onNodesOf("preempt-ports"), priorityClassName: "rude" },
        { ports: [{ containerPort: 81, hostPort: 8_080 }] },
        10_000,
      ),
    ],
  },
  {
    name: "extended-resources",
    nodes: 1,
    steps: [
      pod("early", onNodesOf("extended-resources"), { resources: { limits: { "example.com/gpu": "1" } } }),
      act("the node gets devices", ({ client }) =>
        client
          .resource(Node)
          .subresource("status")
          .patch("extended-resources-1", {
            type: "strategic",
            patch: { status: { capacity: { "example.com/gpu": "2" }, allocatable: { "example.com/gpu": "2" } } },
          }),
      ),
      pod("second", onNodesOf("extended-resources"), { resources: { limits: { "example.com/gpu": "2" } } }),
      remove("Pod", "early", {}, 10_000),
    ],
  },
  {
    // Changes of a node that don't help the plugin that rejected the pod, so that its message stays the same.
    name: "pending-unhelpful",
    nodes: 2,
    steps: [
      pod("big", onNodesOf("pending-unhelpful"), cpu("8")),
      patchNode("pending-unhelpful-1", { metadata: { labels: { pool: "other" } } }),
      patchNode("pending-unhelpful-1", { metadata: { labels: { pool: "pending-unhelpful" } } }),
      patchNode("pending-unhelpful-1", {
        spec: { taints: [ownTaint("pending-unhelpful"), { key: "broken", effect: "NoSchedule" }] },
      }),
      patchNode("pending-unhelpful-1", { spec: { taints: [ownTaint("pending-unhelpful")] } }),
    ],
  },
  {
    name: "pending-avoided",
    nodes: 2,
    steps: [
      ...[1, 2].map((index) =>
        patchNode(`pending-avoided-${String(index)}`, { metadata: { labels: { rack: "r1" } } }, 500),
      ),
      pod("first", {
        ...onNodesOf("pending-avoided"),
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "rack", labelSelector: { matchLabels: { app: "second" } } },
            ],
          },
        },
      }),
      pod("second", onNodesOf("pending-avoided")),
      ...[1, 2].map((index) =>
        patchNode(`pending-avoided-${String(index)}`, { metadata: { labels: { rack: `r${String(index)}` } } }),
      ),
      remove("Pod", "first"),
      wait(6_000),
    ],
  },
];

const accounts: readonly Scenario[] = [
  {
    name: "accounts-recreated",
    steps: [
      act("delete the service account", ({ client, namespace }) =>
        client.resource(ServiceAccount).namespace(namespace).delete("default"),
      ),
      note("accounts", async ({ client, namespace }) => {
        const { items } = await client.resource(ServiceAccount).namespace(namespace).list();
        return items.map(({ metadata }) => metadata!.name);
      }),
      create("Deployment", "web", web("web", 1, { serviceAccountName: "missing" })),
      act("create the account", ({ client, namespace }) =>
        client
          .resource(ServiceAccount)
          .namespace(namespace)
          .create({ metadata: { name: "missing" } }),
      ),
      patch("Deployment", "web", image("web:2")),
    ],
  },
];

/** Pods that move with changes of nodes, labels and priorities. */
export const placementChanges: readonly Scenario[] = [...nodes, ...scheduling, ...accounts];
