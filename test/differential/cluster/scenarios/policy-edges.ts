import { ConfigMap, Namespace, Pod, ServiceAccount } from "../../../../src/kinds/core/v1.js";
import { EndpointSlice } from "../../../../src/kinds/discovery/v1.js";
import type { Eviction } from "../../../../src/kinds/policy/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import {
  act,
  create,
  note,
  patch,
  readiness,
  remove,
  type Scenario,
  type ScenarioStep,
  wait,
  web,
} from "../scenario.js";

const onNode1 = { nodeSelector: { "kubernetes.io/hostname": "node-1" } };
/** Evicts a pod by its place in the list, or its name. */
const evict = (which: number | string, options: object = {}, waitMs?: number): ScenarioStep =>
  act(
    `evict pod ${String(which)} with ${JSON.stringify(options)}`,
    async ({ client, namespace }) => {
      const pods = client.resource(Pod).namespace(namespace);
      const { items } = await pods.list({ labelSelector: "app" });
      const name = typeof which === "string" ? which : items[which]!.metadata!.name!;
      await pods.subresource("eviction").create(name, { metadata: { name }, deleteOptions: options } as Eviction);
    },
    waitMs,
  );

const budgets: readonly Scenario[] = [
  ...(["AlwaysAllow", "IfHealthyBudget"] as const).map((unhealthyPodEvictionPolicy) => ({
    name: `budget-${unhealthyPodEvictionPolicy.toLowerCase()}`,
    steps: [
      create("PodDisruptionBudget", "web", {
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } }, unhealthyPodEvictionPolicy },
      }),
      create("Deployment", "web", web({ replicas: 2 }, "unready:1", {}, readiness)),
      evict(0, {}, 8_000),
      patch("PodDisruptionBudget", "web", { spec: { minAvailable: 0 } }),
      evict(0, {}, 8_000),
    ],
  })),
  {
    name: "budgets-of-one-pod",
    steps: [
      ...["one", "two"].map((name) =>
        create("PodDisruptionBudget", name, {
          spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } },
        }),
      ),
      create("Deployment", "web", web({ replicas: 2 })),
      evict(0),
      remove("PodDisruptionBudget", "two"),
      evict(0, { dryRun: ["All"] }),
      evict(0, { preconditions: { uid: "00000000-0000-4000-8000-000000000000" } }),
      evict(0, { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "budget-of-stateful-set",
    steps: [
      create("StatefulSet", "web", {
        spec: {
          ...(web({ replicas: 3 }) as { spec: object }).spec,
          serviceName: "web",
          podManagementPolicy: "Parallel",
        },
      }),
      create("PodDisruptionBudget", "web", {
        spec: { maxUnavailable: "34%", selector: { matchLabels: { app: "web" } } },
      }),
      evict("web-1", {}, 500),
      evict("web-2", {}, 10_000),
      patch("StatefulSet", "web", { spec: { replicas: 5 } }),
      patch("PodDisruptionBudget", "web", { spec: { selector: { matchLabels: { app: "none" } } } }),
      patch("PodDisruptionBudget", "web", { spec: { selector: {} } }),
    ],
  },
  {
    name: "budget-ended-pods",
    steps: [
      create("PodDisruptionBudget", "all", { spec: { maxUnavailable: 0, selector: {} } }),
      create("Pod", "done", {
        metadata: { name: "done", labels: { app: "done" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "exit-0:1" }] },
      }),
      create("Pod", "pending", {
        metadata: { name: "pending", labels: { app: "pending" } },
        spec: { nodeSelector: { pool: "nowhere" }, containers: [{ name: "main", image: "web:1" }] },
      }),
      evict("done"),
      evict("pending"),
      evict("missing"),
    ],
  },
];

const requests = (cpu: string): object => ({ resources: { requests: { cpu } } });
const quotas: readonly Scenario[] = [
  {
    name: "quota-priorities",
    steps: [
      act("create a priority class", ({ client }) =>
        createOrUpdate(client.resource(PriorityClass), "priority-10", (existing) => {
          existing.value = 10;
        }),
      ),
      create("ResourceQuota", "ten", {
        spec: {
          hard: { pods: "1" },
          scopeSelector: {
            matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["priority-10"] }],
          },
        },
      }),
      create("ResourceQuota", "long", {
        spec: { hard: { pods: "3", "requests.cpu": "1" }, scopes: ["NotTerminating", "NotBestEffort"] },
      }),
      ...["first", "second"].map((name) =>
        create("Pod", name, {
          spec: { priorityClassName: "priority-10", containers: [{ name: "main", image: "web:1" }] },
        }),
      ),
      create("Pod", "third", { spec: { containers: [{ name: "main", image: "web:1", ...requests("600m") }] } }),
      create("Pod", "fourth", { spec: { containers: [{ name: "main", image: "web:1", ...requests("600m") }] } }),
      remove("Pod", "first"),
      remove("Pod", "third", {}, 8_000),
    ],
  },
  {
    name: "quota-services",
    steps: [
      create("ResourceQuota", "all", {
        spec: {
          hard: {
            services: "3",
            "services.nodeports": "2",
            "services.loadbalancers": "1",
            "gold.storageclass.storage.k8s.io/requests.storage": "2Gi",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
            "requests.example.com/gpu": "1",
            secrets: "2",
            "count/jobs.batch": "1",
          },
        },
      }),
      create("Service", "balanced", {
        spec: {
          type: "LoadBalancer",
          ports: [{ port: 80 }, { port: 81, name: "b" }].map((port, index) => ({ name: `p${String(index)}`, ...port })),
        },
      }),
      create("Service", "node", { spec: { type: "NodePort", ports: [{ port: 80 }] } }),
      create("Service", "plain", { spec: { ports: [{ port: 80 }] } }),
      create("PersistentVolumeClaim", "data", {
        spec: { storageClassName: "gold", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      create("PersistentVolumeClaim", "more", {
        spec: { storageClassName: "gold", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      patch("Service", "balanced", { spec: { type: "ClusterIP" } }),
      patch("ResourceQuota", "all", { spec: { hard: { services: "1", secrets: null } } }),
    ],
  },
];

const network: readonly Scenario[] = [
  {
    name: "slices-terminating",
    steps: [
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      create(
        "Deployment",
        "web",
        web({ replicas: 2 }, "stubborn:1", { ...onNode1, terminationGracePeriodSeconds: 20 }),
      ),
      patch("Deployment", "web", { spec: { replicas: 1 } }, 3_000),
      patch("Service", "web", { spec: { publishNotReadyAddresses: true } }, 3_000),
      wait(22_000),
    ],
  },
  {
    name: "slices-ports",
    steps: [
      create("Service", "web", {
        spec: {
          selector: { app: "web" },
          ports: [
            { name: "http", port: 80, targetPort: "http", appProtocol: "kubernetes.io/h2c" },
            { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
          ],
        },
      }),
      create(
        "Deployment",
        "web",
        web({ replicas: 1 }, "web:1", onNode1, { ports: [{ name: "http", containerPort: 8080 }] }),
      ),
      create("Deployment", "other", {
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: "web", version: "2" } },
          template: {
            metadata: { labels: { app: "web", version: "2" } },
            spec: {
              ...onNode1,
              containers: [{ name: "main", image: "web:2", ports: [{ name: "http", containerPort: 9090 }] }],
            },
          },
        },
      }),
      create("Pod", "without", {
        metadata: { name: "without", labels: { app: "web" } },
        spec: { ...onNode1, containers: [{ name: "main", image: "web:1" }] },
      }),
      patch("Service", "web", {
        metadata: { labels: { team: "a", "service.kubernetes.io/headless": "" }, annotations: { note: "x" } },
      }),
      patch("Service", "web", { spec: { ports: [{ name: "http", port: 80, targetPort: 8080 }] } }),
    ],
  },
  ...(["PreferSameZone", "PreferSameNode", "PreferClose"] as const).map((trafficDistribution) => ({
    name: `slices-${trafficDistribution.toLowerCase()}`,
    steps: [
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }], trafficDistribution } }),
      create("Deployment", "web", web({ replicas: 2 }, "web:1", onNode1)),
      patch("Service", "web", { spec: { trafficDistribution: null } }),
    ],
  })),
  {
    name: "slices-deleted",
    steps: [
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      create("Deployment", "web", web({ replicas: 1 }, "web:1", onNode1)),
      act("delete the slices", ({ client, namespace }) =>
        client.resource(EndpointSlice).namespace(namespace).deleteCollection({}),
      ),
      act("change a slice", async ({ client, namespace }) => {
        const slices = client.resource(EndpointSlice).namespace(namespace);
        const { items } = await slices.list();
        await slices.patch(items[0]!.metadata!.name!, { type: "merge", patch: { endpoints: [] } });
      }),
      create("Endpoints", "web-other", { subsets: [] }),
      remove("Endpoints", "web"),
    ],
  },
  {
    name: "services-changed",
    steps: [
      create("Deployment", "web", web({ replicas: 1 }, "web:1", onNode1)),
      create("Service", "web", { spec: { type: "ExternalName", externalName: "example.com" } }),
      patch("Service", "web", {
        spec: { type: "ClusterIP", externalName: null, selector: { app: "web" }, ports: [{ port: 80 }] },
      }),
      patch("Service", "web", {
        spec: { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null },
      }),
      create("Service", "two", {
        spec: { selector: { app: "web" }, ports: [{ port: 80 }], ipFamilyPolicy: "RequireDualStack" },
      }),
      create("Service", "prefer", {
        spec: { selector: { app: "web" }, ports: [{ port: 80 }], ipFamilyPolicy: "PreferDualStack" },
      }),
      create("Service", "bare", { spec: { clusterIP: "None" } }),
    ],
  },
  {
    name: "slices-unready",
    steps: [
      create("Service", "web", { spec: { clusterIP: "None", selector: { app: "web" }, ports: [{ port: 80 }] } }),
      create(
        "Deployment",
        "web",
        web({ replicas: 1 }, "unready:1", { ...onNode1, hostname: "a", subdomain: "web" }, readiness),
      ),
      patch("Service", "web", { spec: { publishNotReadyAddresses: true } }),
      act("let the probe pass", ({ cluster, namespace }) =>
        cluster.pods({ namespace, labels: "app=web" }).passProbe("readiness"),
      ),
      act(
        "let the probe fail",
        ({ cluster, namespace }) => cluster.pods({ namespace, labels: "app=web" }).failProbe("readiness"),
        10_000,
      ),
    ],
  },
  {
    name: "slices-many",
    steps: [
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      create("Deployment", "web", web({ replicas: 120 }, "web:1", onNode1), 15_000),
      patch("Deployment", "web", { spec: { replicas: 90 } }, 15_000),
    ],
  },
];

const conditionsOf = (conditions: readonly object[] | undefined): unknown =>
  conditions?.map((each) => ({ ...each, lastTransitionTime: undefined }));
const namespaces: readonly Scenario[] = [
  {
    name: "namespace-held",
    steps: [
      act("create a namespace with objects that stay", async ({ client, namespace }) => {
        const name = `${namespace}-held`;
        await client.resource(Namespace).create({ metadata: { name } });
        const finalizers = ["example.com/hold"];
        await client
          .resource(ConfigMap)
          .namespace(name)
          .create({ metadata: { name: "held", finalizers } });
        await client
          .resource(ConfigMap)
          .namespace(name)
          .create({ metadata: { name: "free" } });
        await client.resource(Namespace).delete(name);
      }),
      note("while-held", async ({ client, namespace }) => {
        const { status } = await client.resource(Namespace).get(`${namespace}-held`);
        return [status?.phase, conditionsOf(status?.conditions)];
      }),
      act(
        "create an object in it",
        ({ client, namespace }) =>
          client
            .resource(ConfigMap)
            .namespace(`${namespace}-held`)
            .create({ metadata: { name: "late" } }),
        500,
      ),
      act(
        "let the object go",
        ({ client, namespace }) =>
          client
            .resource(ConfigMap)
            .namespace(`${namespace}-held`)
            .patch("held", { type: "merge", patch: { metadata: { finalizers: null } } }),
        15_000,
      ),
      note("then", async ({ client, namespace }) => await client.resource(Namespace).getOptional(`${namespace}-held`)),
    ],
  },
  {
    name: "namespace-defaults",
    steps: [
      act("delete the default account and change the authority", async ({ client, namespace }) => {
        await client.resource(ServiceAccount).namespace(namespace).delete("default");
        await client
          .resource(ConfigMap)
          .namespace(namespace)
          .patch("kube-root-ca.crt", { type: "merge", patch: { data: { "ca.crt": "other", more: "x" } } });
      }),
      note("account", async ({ client, namespace }) => {
        const { metadata, secrets } = await client.resource(ServiceAccount).namespace(namespace).get("default");
        return [metadata?.labels, metadata?.annotations, secrets];
      }),
      note("authority", async ({ client, namespace }) => {
        const { metadata, data } = await client.resource(ConfigMap).namespace(namespace).get("kube-root-ca.crt");
        return [metadata?.annotations, Object.keys(data ?? {}), data?.["ca.crt"] === "other"];
      }),
    ],
  },
];

export const policyEdges: readonly Scenario[] = [...budgets, ...quotas, ...network, ...namespaces];
