import { Namespace, Pod } from "../../../../src/kinds/core/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import {
  act,
  cpu,
  crash,
  create,
  onNodesOf,
  ownTaint,
  patch,
  patchFirst,
  patchNode,
  readiness,
  remove,
  type Scenario,
  unready,
  web,
  workload,
} from "../scenario.js";

type Step = Scenario["steps"][number];

const jobPod = (name: string, spec: object = {}): object => ({
  metadata: { labels: { app: "job" } },
  spec: {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "main", image: name }],
    ...spec,
  },
});
const stateful = (spec: object, pod: object = {}, container: object = {}): object =>
  workload("db", { serviceName: "db", ...spec }, "db:1", pod, container);

const evict = (name: string, waitMs?: number): Step =>
  act(
    `evict ${name}`,
    ({ client, namespace }) =>
      client
        .resource(Pod)
        .namespace(namespace)
        .subresource("eviction")
        .create(name, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } } as never),
    waitMs,
  );

const policies: readonly Scenario[] = [
  {
    name: "budget-percentages",
    steps: [
      create("Deployment", "web", web({ replicas: 3 })),
      create("PodDisruptionBudget", "least", {
        spec: { minAvailable: "34%", selector: { matchLabels: { app: "web" } } },
      }),
      patch("Deployment", "web", { spec: { replicas: 7 } }),
      patch("PodDisruptionBudget", "least", { spec: { minAvailable: null, maxUnavailable: "30%" } }),
      patch("Deployment", "web", { spec: { replicas: 0 } }),
      patch("PodDisruptionBudget", "least", { spec: { selector: { matchLabels: { app: "none" } } } }),
    ],
  },
  {
    name: "budget-unhealthy-pods",
    steps: [
      create("StatefulSet", "db", stateful({ replicas: 2, podManagementPolicy: "Parallel" }, {}, readiness)),
      create("PodDisruptionBudget", "db", {
        spec: { minAvailable: 2, selector: { matchLabels: { app: "db" } } },
      }),
      patch("StatefulSet", "db", unready),
      evict("db-1"),
      evict("db-0"),
      patch("PodDisruptionBudget", "db", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }),
      evict("db-1"),
    ],
  },
  {
    name: "limits-refused",
    steps: [
      create("LimitRange", "limits", {
        spec: {
          limits: [
            { type: "Container", min: { cpu: "100m" }, max: { cpu: "1" }, maxLimitRequestRatio: { cpu: "2" } },
            { type: "Pod", max: { memory: "1Gi" } },
            { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
          ],
        },
      }),
      create("Deployment", "web", web({ replicas: 1 })),
      create("Deployment", "big", web({ replicas: 1 }, "web:1", {}, { resources: { limits: { memory: "2Gi" } } })),
      create(
        "Deployment",
        "ratio",
        web(
          { replicas: 1 },
          "web:1",
          {},
          { resources: { limits: { cpu: "900m", memory: "1Gi" }, requests: { cpu: "200m" } } },
        ),
      ),
      create("PersistentVolumeClaim", "data", {
        spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "3Gi" } } },
      }),
    ],
  },
  {
    name: "quota-best-effort",
    steps: [
      create("ResourceQuota", "effort", { spec: { hard: { pods: "1" }, scopes: ["BestEffort"] } }),
      create("ResourceQuota", "rest", {
        spec: { hard: { pods: "2", "requests.cpu": "300m", "count/jobs.batch": "1" } },
      }),
      create("ResourceQuota", "long", { spec: { hard: { "limits.memory": "1Gi" }, scopes: ["NotTerminating"] } }),
      create("Deployment", "web", web({ replicas: 2 })),
      create("Job", "job", { spec: { activeDeadlineSeconds: 60, template: jobPod("stay:1") } }),
      create("Job", "more", { spec: { template: jobPod("stay:1") } }),
      create("ReplicaSet", "cpu", workload("cpu", { replicas: 2 }, "web:1", {}, cpu("200m"))),
      patch("ResourceQuota", "rest", { spec: { hard: { "requests.cpu": null } } }, 10_000),
    ],
  },
  {
    name: "namespace-deleted-in-use",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      create("Job", "job", { spec: { template: jobPod("stay:1") } }),
      patchFirst("app=web", { metadata: { finalizers: ["example.com/hold"] } }),
      act("delete the namespace", ({ client, namespace }) => client.resource(Namespace).delete(namespace), 20_000),
      create("ConfigMap", "late", {}),
      patchFirst("app=web", { metadata: { finalizers: null } }, 10_000),
    ],
  },
  {
    name: "workloads-foreground",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      create("StatefulSet", "db", stateful({ replicas: 1 })),
      create("Job", "job", { spec: { template: jobPod("stay:1") } }),
      patchFirst("app=web", { metadata: { finalizers: ["example.com/hold"] } }),
      remove("Deployment", "web", { propagationPolicy: "Foreground" }),
      remove("StatefulSet", "db", { propagationPolicy: "Foreground" }),
      remove("Job", "job", { propagationPolicy: "Orphan" }),
      create("Job", "job", { spec: { template: jobPod("stay:1") } }),
    ],
  },
];

const priorityClass = (name: string, value: number): Step =>
  act(
    `create the priority class ${name}`,
    ({ client, namespace }) =>
      client.resource(PriorityClass).create({ metadata: { name: `${name}-${namespace}` }, value }),
    500,
  );
const classed = (name: string, priority: string, pod: object, container: object, labels: object = {}): Step =>
  act(`create Pod ${name} of the class ${priority}`, (stage) =>
    create("Pod", name, {
      metadata: { name, labels: { app: name, ...labels } },
      spec: {
        priorityClassName: `${priority}-${stage.namespace}`,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: "stay:1", ...container }],
        ...pod,
      },
    }).run(stage),
  );

const placements: readonly Scenario[] = [
  {
    name: "preempt-several",
    nodes: 2,
    steps: [
      priorityClass("low", 10),
      priorityClass("mid", 20),
      priorityClass("high", 30),
      classed("one", "low", onNodesOf("preempt-several"), cpu("2500m")),
      classed("two", "mid", onNodesOf("preempt-several"), cpu("3")),
      classed("three", "low", onNodesOf("preempt-several"), cpu("1")),
      classed("big", "high", onNodesOf("preempt-several"), cpu("3")),
      classed("huge", "high", onNodesOf("preempt-several"), cpu("3800m")),
    ],
  },
  {
    name: "spread-policies",
    nodes: 2,
    steps: [
      patchNode(
        "spread-policies-2",
        { spec: { taints: [ownTaint("spread-policies"), { key: "example.com/full", effect: "NoSchedule" }] } },
        500,
      ),
      create(
        "Deployment",
        "web",
        web({ replicas: 3 }, "web:1", {
          ...onNodesOf("spread-policies"),
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "DoNotSchedule",
              nodeTaintsPolicy: "Honor",
              labelSelector: { matchLabels: { app: "web" } },
            },
          ],
        }),
      ),
      patch("Deployment", "web", {
        spec: {
          template: {
            spec: {
              topologySpreadConstraints: [
                {
                  maxSkew: 1,
                  topologyKey: "kubernetes.io/hostname",
                  whenUnsatisfiable: "DoNotSchedule",
                  labelSelector: { matchLabels: { app: "web" } },
                },
              ],
            },
          },
        },
      }),
      patchNode("spread-policies-2", {
        spec: { taints: [ownTaint("spread-policies")] },
      }),
    ],
  },
  {
    name: "pod-bound-by-hand",
    nodes: 1,
    steps: [
      create("Pod", "direct", {
        spec: { nodeName: "pod-bound-by-hand-1", containers: [{ name: "main", image: "web:1", ...cpu("3") }] },
      }),
      create("Pod", "second", {
        spec: { ...onNodesOf("pod-bound-by-hand"), containers: [{ name: "main", image: "web:1", ...cpu("2") }] },
      }),
      create("Pod", "third", {
        spec: { nodeName: "pod-bound-by-hand-1", containers: [{ name: "main", image: "web:1", ...cpu("2") }] },
      }),
      remove("Pod", "direct", { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "pod-readiness-gate",
    steps: [
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      create(
        "Deployment",
        "web",
        web({ replicas: 1 }, "web:1", { readinessGates: [{ conditionType: "example.com/ready" }] }),
      ),
      act("set the condition", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const { items } = await pods.list({ labelSelector: "app=web" });
        await pods.subresource("status").patch(items[0]!.metadata!.name!, {
          type: "strategic",
          patch: { status: { conditions: [{ type: "example.com/ready", status: "True" }] } },
        });
      }),
    ],
  },
];

const network: readonly Scenario[] = [
  {
    name: "service-selector-changed",
    steps: [
      create("Service", "web", {
        spec: {
          selector: { app: "web" },
          ports: [
            { name: "http", port: 80, targetPort: "http" },
            { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
          ],
        },
      }),
      create(
        "Deployment",
        "web",
        web({ replicas: 2 }, "web:1", {}, { ports: [{ name: "http", containerPort: 8080 }] }),
      ),
      patch("Service", "web", { spec: { selector: { app: "none" } } }),
      patch("Service", "web", { spec: { selector: null } }),
      patch("Service", "web", { spec: { selector: { app: "web" } } }),
      patch("Service", "web", {
        spec: {
          type: "ExternalName",
          externalName: "example.com",
          clusterIP: null,
          clusterIPs: null,
          selector: null,
          ports: null,
        },
      }),
    ],
  },
  {
    name: "service-publish-toggled",
    steps: [
      create("Service", "db", { spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ port: 5432 }] } }),
      create("StatefulSet", "db", stateful({ replicas: 2, podManagementPolicy: "Parallel" }, {}, readiness)),
      patch("StatefulSet", "db", unready),
      patch("Service", "db", { spec: { publishNotReadyAddresses: true } }),
      patch("StatefulSet", "db", { spec: { replicas: 3 } }),
      patch("Service", "db", { spec: { publishNotReadyAddresses: false } }),
    ],
  },
  {
    name: "service-pod-phases",
    steps: [
      create("Service", "job", { spec: { selector: { app: "job" }, ports: [{ port: 80 }] } }),
      create("Job", "job", { spec: { parallelism: 2, completions: 2, template: jobPod("stay:1") } }),
      crash("app=job", 0, 8_000),
      remove("Service", "job"),
    ],
  },
];

/** Histories with policies, priorities, placement and Services as users of a test cluster write them. */
export const userPolicies: readonly Scenario[] = [...policies, ...placements, ...network];
