import { Node, Pod } from "../../../../src/kinds/core/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import {
  act,
  cpu,
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
} from "../scenario.js";

const pod = (scenario: string, spec: object = {}, container: object = {}, labels: object = {}): object => ({
  metadata: { labels },
  spec: {
    ...onNodesOf(scenario),
    terminationGracePeriodSeconds: 1,
    ...spec,
    containers: [{ name: "main", image: "web:1", ...container }],
  },
});
const createPod = (name: string, fields: object, waitMs?: number): ScenarioStep => {
  const { metadata, ...rest } = fields as { metadata: object };
  return create("Pod", name, { metadata: { name, ...metadata }, ...rest }, waitMs);
};
const web = (name: string, replicas: number, spec: object): object => ({
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, "web:1", spec) },
});
const spread = (app: string, fields: object): object => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app } },
      ...fields,
    },
  ],
});
const byHost = (fields: object): object => ({ topologyKey: "kubernetes.io/hostname", ...fields });

/** Creates classes for priorities, which scenarios share. */
const priorities = act("create priority classes", async ({ client }) => {
  for (const value of [10, 20, 1_000])
    await createOrUpdate(client.resource(PriorityClass), `priority-${String(value)}`, (existing) => {
      existing.value = value;
    });
});

/** Notes the nodes of pods with names of their own. */
const places = (name: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const { items } = await client.resource(Pod).namespace(namespace).list();
    return items.map(({ metadata, spec, status }) =>
      [metadata!.name, spec?.nodeName ?? "", status?.nominatedNodeName ?? ""].join(" "),
    );
  });

/** Notes the number of pods in each zone. */
const zones = (name: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const nodes = await client.resource(Node).list();
    const zoneOf = new Map(
      nodes.items.map(({ metadata }) => [metadata!.name!, metadata!.labels?.["topology.kubernetes.io/zone"] ?? ""]),
    );
    const counts: Record<string, number> = {};
    for (const { spec } of (await client.resource(Pod).namespace(namespace).list()).items) {
      const zone = zoneOf.get(spec?.nodeName ?? "") ?? "none";
      counts[zone] = (counts[zone] ?? 0) + 1;
    }
    return Object.entries(counts).sort();
  });

/** Spread, affinity and the order of nodes. */
const spreading: readonly Scenario[] = [
  {
    name: "spread-zones",
    steps: [
      create(
        "Deployment",
        "web",
        web("web", 7, {
          nodeSelector: { pool: "common" },
          ...spread("web", { topologyKey: "topology.kubernetes.io/zone" }),
        }),
      ),
      note("least", async ({ client, namespace }) => {
        const { items } = await client.resource(Pod).namespace(namespace).list();
        return Math.min(
          ...["node-1", "node-2", "node-3"].map((node) => items.filter(({ spec }) => spec?.nodeName === node).length),
        );
      }),
      create("Deployment", "near", {
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "near" } },
          template: template("near", "web:1", {
            nodeSelector: { "kubernetes.io/hostname": "node-2" },
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { topologyKey: "topology.kubernetes.io/zone", labelSelector: { matchLabels: { app: "web" } } },
                ],
              },
            },
          }),
        },
      }),
      remove("Deployment", "web", { propagationPolicy: "Background" }),
      zones("zones"),
    ],
  },
  {
    name: "spread-min-domains",
    nodes: 2,
    steps: [
      create(
        "Deployment",
        "web",
        web("web", 3, { ...onNodesOf("spread-min-domains"), ...spread("web", { minDomains: 3 }) }),
      ),
      create(
        "Deployment",
        "any",
        web("any", 4, { ...onNodesOf("spread-min-domains"), ...spread("any", { minDomains: 2 }) }),
      ),
    ],
  },
  {
    name: "spread-taints",
    nodes: 2,
    steps: [
      patchNode("spread-taints-2", { spec: { taints: [{ key: "example.com/x", effect: "NoSchedule" }] } }),
      create(
        "Deployment",
        "honor",
        web("honor", 3, { ...onNodesOf("spread-taints"), ...spread("honor", { nodeTaintsPolicy: "Honor" }) }),
      ),
      create("Deployment", "ignore", web("ignore", 3, { ...onNodesOf("spread-taints"), ...spread("ignore", {}) })),
      create(
        "Deployment",
        "everywhere",
        web("everywhere", 2, {
          ...onNodesOf("spread-taints"),
          ...spread("everywhere", { nodeAffinityPolicy: "Ignore" }),
        }),
      ),
    ],
  },
  {
    name: "spread-match-label-keys",
    nodes: 2,
    steps: [
      create(
        "Deployment",
        "web",
        web("web", 2, {
          ...onNodesOf("spread-match-label-keys"),
          ...spread("web", { matchLabelKeys: ["pod-template-hash"] }),
        }),
      ),
      patch("Deployment", "web", image("web:2"), 10_000),
    ],
  },
  {
    name: "affinity-match-label-keys",
    nodes: 2,
    steps: [
      create(
        "Deployment",
        "web",
        web("web", 2, {
          ...onNodesOf("affinity-match-label-keys"),
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                byHost({ labelSelector: { matchLabels: { app: "web" } }, matchLabelKeys: ["pod-template-hash"] }),
              ],
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 1,
                  podAffinityTerm: byHost({
                    labelSelector: { matchLabels: { app: "web" } },
                    mismatchLabelKeys: ["pod-template-hash"],
                  }),
                },
              ],
            },
          },
        }),
      ),
      patch("Deployment", "web", image("web:2"), 10_000),
      patch("Deployment", "web", { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "affinity-first",
    nodes: 2,
    steps: [
      create(
        "Deployment",
        "web",
        web("web", 2, {
          ...onNodesOf("affinity-first"),
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                byHost({ labelSelector: { matchLabels: { app: "web" } } }),
              ],
            },
          },
        }),
      ),
      createPod(
        "follower",
        pod("affinity-first", {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                byHost({ labelSelector: { matchLabels: { app: "leader" } } }),
              ],
            },
          },
        }),
      ),
      createPod("leader", pod("affinity-first", {}, {}, { app: "leader" })),
      createPod(
        "loner",
        pod(
          "affinity-first",
          {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [byHost({ labelSelector: {} })],
              },
            },
          },
          {},
          { app: "loner" },
        ),
      ),
      remove("Deployment", "web", { propagationPolicy: "Background" }),
      remove("Pod", "follower", {}, 8_000),
      remove("Pod", "leader", {}, 8_000),
    ],
  },
  {
    name: "scores",
    nodes: 3,
    steps: [
      patchNode("scores-1", { metadata: { labels: { disk: "ssd" } } }, 2_000),
      patchNode(
        "scores-3",
        {
          spec: {
            taints: [
              { key: "scenario", value: "scores", effect: "NoSchedule" },
              { key: "example.com/slow", effect: "PreferNoSchedule" },
            ],
          },
        },
        2_000,
      ),
      createPod("by-node-1", pod("scores", { nodeSelector: { "kubernetes.io/hostname": "scores-1" } }, cpu("2"))),
      createPod("least-used", pod("scores", {}, cpu("1"))),
      createPod(
        "prefers-ssd",
        pod(
          "scores",
          {
            affinity: {
              nodeAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 100, preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] } },
                ],
              },
            },
          },
          cpu("500m"),
        ),
      ),
      createPod("tolerant", pod("scores", { tolerations: [{ operator: "Exists" }] }, cpu("100m"))),
      createPod(
        "near",
        pod("scores", {
          affinity: {
            podAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 100, podAffinityTerm: byHost({ labelSelector: { matchLabels: { app: "db" } } }) },
              ],
            },
          },
        }),
      ),
      createPod(
        "db",
        pod(
          "scores",
          { nodeSelector: { "kubernetes.io/hostname": "scores-3" }, tolerations: [{ operator: "Exists" }] },
          {},
          { app: "db" },
        ),
      ),
      createPod(
        "near-db",
        pod("scores", {
          tolerations: [{ operator: "Exists" }],
          affinity: {
            podAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 100, podAffinityTerm: byHost({ labelSelector: { matchLabels: { app: "db" } } }) },
              ],
            },
          },
        }),
      ),
      places("places"),
    ],
  },
];

/** Pods that wait, and what lets them go on. */
const waiting: readonly Scenario[] = [
  {
    name: "gates-changed",
    nodes: 1,
    steps: [
      createPod(
        "web",
        pod("gates-changed", { schedulingGates: [{ name: "example.com/a" }, { name: "example.com/b" }] }),
      ),
      patch("Pod", "web", { spec: { nodeSelector: { pool: "gates-changed", "kubernetes.io/os": "linux" } } }),
      patch("Pod", "web", { spec: { nodeSelector: null } }),
      patch("Pod", "web", { spec: { schedulingGates: [{ name: "example.com/b" }] } }),
      patch("Pod", "web", { spec: { schedulingGates: [{ name: "example.com/b" }, { name: "example.com/c" }] } }),
      patch("Pod", "web", { spec: { schedulingGates: [] } }),
    ],
  },
  {
    name: "pending-reasons",
    nodes: 1,
    steps: [
      createPod("first", pod("pending-reasons", {}, cpu("3"))),
      createPod("second", pod("pending-reasons", {}, cpu("3"))),
      patchNode("pending-reasons-1", { spec: { unschedulable: true } }),
      remove("Pod", "first"),
      patchNode("pending-reasons-1", { spec: { unschedulable: false } }),
      createPod("third", pod("pending-reasons", { nodeSelector: { pool: "pending-reasons", disk: "ssd" } })),
      patchNode("pending-reasons-1", { metadata: { labels: { disk: "ssd" } } }),
      createPod("fourth", pod("pending-reasons", { tolerations: [] })),
      patch("Pod", "fourth", { spec: { tolerations: [{ key: "scenario", operator: "Exists" }] } }),
    ],
  },
  {
    name: "pod-resources",
    nodes: 1,
    steps: [
      createPod("first", pod("pod-resources", { resources: { requests: { cpu: "2" }, limits: { memory: "1Gi" } } })),
      createPod("second", pod("pod-resources", { resources: { requests: { cpu: "3" } } }, cpu("1"))),
      createPod(
        "third",
        pod("pod-resources", {
          initContainers: [
            { name: "sidecar", image: "web:1", restartPolicy: "Always", ...cpu("1") },
            { name: "init", image: "exit-0:1", ...cpu("1500m") },
          ],
        }),
      ),
      createPod("fourth", pod("pod-resources", {}, cpu("1"))),
    ],
  },
  {
    name: "ports-protocols",
    nodes: 1,
    steps: [
      createPod("tcp", pod("ports-protocols", {}, { ports: [{ containerPort: 53, hostPort: 8053 }] })),
      createPod("udp", pod("ports-protocols", {}, { ports: [{ containerPort: 53, hostPort: 8053, protocol: "UDP" }] })),
      createPod(
        "local",
        pod("ports-protocols", {}, { ports: [{ containerPort: 53, hostPort: 8053, hostIP: "127.0.0.1" }] }),
      ),
      createPod("host", pod("ports-protocols", { hostNetwork: true }, { ports: [{ containerPort: 8053 }] })),
      remove("Pod", "tcp"),
    ],
  },
  {
    name: "node-unknown",
    steps: [
      createPod("direct", {
        metadata: {},
        spec: { nodeName: "node-1", containers: [{ name: "main", image: "web:1" }] },
      }),
      createPod(
        "nowhere",
        { metadata: {}, spec: { nodeName: "gone", containers: [{ name: "main", image: "web:1" }] } },
        95_000,
      ),
    ],
  },
  {
    name: "other-scheduler",
    steps: [
      createPod("web", {
        metadata: {},
        spec: { schedulerName: "example.com", containers: [{ name: "main", image: "web:1" }] },
      }),
      remove("Pod", "web"),
    ],
  },
];

/** Preemption, and the pods that it prefers. */
const preempting: readonly Scenario[] = [
  {
    name: "preempt-budget",
    nodes: 1,
    steps: [
      priorities,
      create("PodDisruptionBudget", "guarded", {
        spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
      }),
      createPod("guarded", pod("preempt-budget", {}, cpu("2"), { app: "guarded" })),
      createPod("plain", pod("preempt-budget", {}, cpu("2"))),
      createPod("high", pod("preempt-budget", { priorityClassName: "priority-1000" }, cpu("2")), 8_000),
      createPod("higher", pod("preempt-budget", { priorityClassName: "priority-1000" }, cpu("2")), 8_000),
      places("places"),
    ],
  },
  {
    name: "preempt-nominated",
    nodes: 1,
    steps: [
      priorities,
      createPod(
        "low",
        pod("preempt-nominated", { terminationGracePeriodSeconds: 25 }, { image: "stubborn:1", ...cpu("3") }),
      ),
      createPod("high", pod("preempt-nominated", { priorityClassName: "priority-1000" }, cpu("2")), 4_000),
      createPod("small", pod("preempt-nominated", {}, cpu("1"))),
      createPod("other", pod("preempt-nominated", {}, cpu("2"))),
      act("wait", () => Promise.resolve(), 25_000),
      places("places"),
    ],
  },
  {
    name: "preempt-budget-order",
    nodes: 1,
    steps: [
      priorities,
      createPod("minor", pod("preempt-budget-order", { priorityClassName: "priority-10" }, cpu("2"))),
      createPod("major", pod("preempt-budget-order", { priorityClassName: "priority-20" }, cpu("2"))),
      create("PodDisruptionBudget", "one", {
        spec: { minAvailable: 1, selector: { matchLabels: { app: "preempt-budget-order" } } },
      }),
      createPod("high", pod("preempt-budget-order", { priorityClassName: "priority-1000" }, cpu("2")), 8_000),
      places("places"),
    ],
  },
  {
    name: "preempt-displaced",
    nodes: 1,
    steps: [
      priorities,
      createPod(
        "low",
        pod("preempt-displaced", { terminationGracePeriodSeconds: 25 }, { image: "stubborn:1", ...cpu("3") }),
      ),
      createPod("middle", pod("preempt-displaced", { priorityClassName: "priority-20" }, cpu("3")), 4_000),
      places("nominated"),
      createPod("high", pod("preempt-displaced", { priorityClassName: "priority-1000" }, cpu("3")), 4_000),
      places("displaced"),
      act("wait", () => Promise.resolve(), 25_000),
      places("places"),
    ],
  },
  {
    name: "preempt-least",
    nodes: 2,
    steps: [
      priorities,
      createPod(
        "a-1",
        pod(
          "preempt-least",
          { nodeSelector: { "kubernetes.io/hostname": "preempt-least-1" }, priorityClassName: "priority-10" },
          cpu("2"),
        ),
      ),
      createPod(
        "a-2",
        pod("preempt-least", { nodeSelector: { "kubernetes.io/hostname": "preempt-least-1" } }, cpu("2")),
      ),
      createPod(
        "b-1",
        pod(
          "preempt-least",
          { nodeSelector: { "kubernetes.io/hostname": "preempt-least-2" }, priorityClassName: "priority-20" },
          cpu("1"),
        ),
      ),
      createPod(
        "b-2",
        pod(
          "preempt-least",
          { nodeSelector: { "kubernetes.io/hostname": "preempt-least-2" }, priorityClassName: "priority-10" },
          cpu("3"),
        ),
      ),
      createPod("high", pod("preempt-least", { priorityClassName: "priority-1000" }, cpu("2")), 8_000),
      createPod("middle", pod("preempt-least", { priorityClassName: "priority-20" }, cpu("3")), 8_000),
      places("places"),
    ],
  },
];

export const placement: readonly Scenario[] = [...spreading, ...waiting, ...preempting];
