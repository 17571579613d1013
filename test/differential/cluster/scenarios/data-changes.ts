import { PersistentVolume, Service } from "../../../../src/kinds/core/v1.js";
import { EndpointSlice } from "../../../../src/kinds/discovery/v1.js";
import { StorageClass } from "../../../../src/kinds/storage/v1.js";
import {
  act,
  create,
  note,
  patch,
  readiness,
  remove,
  type Scenario,
  type ScenarioStep,
  template,
} from "../scenario.js";

const web = (replicas: number, image = "web:1", spec: object = {}, container: object = {}): object => ({
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template("web", image, spec, container) },
});
const service = (spec: object, name = "web"): ScenarioStep =>
  create("Service", name, { spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec } });
const noteService = (name: string): ScenarioStep =>
  note(name, async ({ client, namespace }) => {
    const { spec } = await client.resource(Service).namespace(namespace).get("web");
    const { clusterIP = "", clusterIPs, type, ports, ipFamilies, ipFamilyPolicy, externalName } = spec!;
    return {
      clusterIP: clusterIP === "None" || clusterIP === "" ? clusterIP : "IP",
      addresses: clusterIPs?.length,
      ports: ports?.map(({ port, nodePort }) => [port, nodePort === undefined ? 0 : 1]),
      ...{ type, ipFamilies, ipFamilyPolicy, externalName },
    };
  });

const services: readonly Scenario[] = [
  {
    name: "service-types",
    steps: [
      create("Deployment", "web", web(2)),
      service({ type: "ExternalName", externalName: "example.com", selector: undefined }),
      noteService("external"),
      patch("Service", "web", { spec: { type: "ClusterIP", externalName: null, selector: { app: "web" } } }),
      noteService("cluster"),
      patch("Service", "web", { spec: { type: "NodePort" } }),
      noteService("node-port"),
      patch("Service", "web", { spec: { selector: null } }),
      patch("Service", "web", {
        spec: { type: "ExternalName", externalName: "example.com", clusterIP: "", clusterIPs: null, ports: null },
      }),
      noteService("external-again"),
    ],
  },
  {
    name: "service-unready",
    steps: [
      service({ publishNotReadyAddresses: true }),
      create("Deployment", "web", web(2, "unready:1", { terminationGracePeriodSeconds: 10 }, readiness)),
      patch("Service", "web", { spec: { publishNotReadyAddresses: false } }),
      patch("Deployment", "web", { spec: { replicas: 1 } }),
      patch(
        "Service",
        "web",
        { spec: { publishNotReadyAddresses: true, ports: [{ port: 80, targetPort: "none" }] } },
        10_000,
      ),
    ],
  },
  {
    name: "service-distribution",
    steps: [
      service({ trafficDistribution: "PreferSameZone" }),
      create("Deployment", "web", web(3, "web:1", { nodeSelector: { pool: "common" } })),
      patch("Service", "web", { spec: { trafficDistribution: "PreferSameNode" } }),
      note("hints", async ({ client, namespace }) => {
        const { items } = await client.resource(EndpointSlice).namespace(namespace).list();
        return items.flatMap(({ endpoints }) => (endpoints ?? []).map(({ hints }) => Object.keys(hints ?? {}).sort()));
      }),
      patch("Service", "web", {
        spec: { trafficDistribution: null },
        metadata: { annotations: { "service.kubernetes.io/topology-mode": "Auto" } },
      }),
      patch("Deployment", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "slices-headless-labels",
    steps: [
      service({ clusterIP: "None" }),
      create("StatefulSet", "web", { spec: { ...(web(2) as { spec: object }).spec, serviceName: "web" } }, 10_000),
      patch("Service", "web", { metadata: { labels: { team: "a" } } }),
      patch("Pod", "web-1", { metadata: { labels: { app: "other" } } }, 10_000),
      act("delete the slices", ({ client, namespace }) =>
        client
          .resource(EndpointSlice)
          .namespace(namespace)
          .deleteCollection({ labelSelector: "kubernetes.io/service-name=web" }),
      ),
    ],
  },
];

const classOf = (namespace: string): string => `class-${namespace}`;
const storageClass = (fields: object): ScenarioStep =>
  act("create a storage class", ({ client, namespace }) =>
    client.resource(StorageClass).create({
      metadata: { name: classOf(namespace), labels: { scenario: namespace } },
      provisioner: "kubernetes.io/no-provisioner",
      ...fields,
    }),
  );
const volume = (name: string, spec: object = {}): ScenarioStep =>
  act(`create the volume ${name}`, ({ client, namespace }) =>
    client.resource(PersistentVolume).create({
      metadata: { name: `${name}-${namespace}`, labels: { scenario: namespace } },
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: classOf(namespace),
        hostPath: { path: "/data" },
        ...spec,
      },
    }),
  );
const claim = (name: string, spec: object = {}, waitMs?: number): ScenarioStep =>
  act(
    `create the claim ${name}`,
    (stage) =>
      create("PersistentVolumeClaim", name, {
        spec: {
          storageClassName: classOf(stage.namespace),
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          ...spec,
        },
      }).run(stage),
    waitMs,
  );
const user = (name: string, claimName: string, spec: object = {}, waitMs?: number): ScenarioStep =>
  create(
    "Pod",
    name,
    {
      spec: {
        terminationGracePeriodSeconds: 1,
        ...spec,
        containers: [{ name: "main", image: "web:1" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
      },
    },
    waitMs,
  );
const inZone = (zone: string): object => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }] },
      ],
    },
  },
});

const volumes: readonly Scenario[] = [
  {
    name: "volume-zones",
    steps: [
      storageClass({ volumeBindingMode: "WaitForFirstConsumer" }),
      volume("a", inZone("zone-0")),
      volume("b", inZone("zone-1")),
      claim("data"),
      user("one", "data", { nodeSelector: { "topology.kubernetes.io/zone": "zone-1" } }, 15_000),
      user("two", "data", { nodeSelector: { "topology.kubernetes.io/zone": "zone-0" } }, 10_000),
      remove("Pod", "one", {}, 10_000),
    ],
  },
  {
    name: "volume-of-one-pod",
    steps: [
      storageClass({ volumeBindingMode: "WaitForFirstConsumer" }),
      volume("a", { accessModes: ["ReadWriteOncePod"] }),
      claim("data", { accessModes: ["ReadWriteOncePod"] }),
      user("one", "data", {}, 15_000),
      user("two", "data", {}, 10_000),
      remove("Pod", "one", {}, 15_000),
    ],
  },
  {
    name: "volume-expansion",
    steps: [
      storageClass({ volumeBindingMode: "Immediate" }),
      volume("a"),
      claim("data", {}, 20_000),
      patch("PersistentVolumeClaim", "data", { spec: { resources: { requests: { storage: "2Gi" } } } }),
      act("allow expansion", ({ client, namespace }) =>
        client
          .resource(StorageClass)
          .patch(classOf(namespace), { type: "merge", patch: { allowVolumeExpansion: true } }),
      ),
      patch("PersistentVolumeClaim", "data", { spec: { resources: { requests: { storage: "3Gi" } } } }, 10_000),
      patch("PersistentVolumeClaim", "data", { spec: { resources: { requests: { storage: "1Gi" } } } }),
    ],
  },
  {
    name: "volume-clone",
    steps: [
      storageClass({ volumeBindingMode: "Immediate" }),
      volume("a"),
      claim("source", {}, 20_000),
      claim("copy", { dataSource: { kind: "PersistentVolumeClaim", name: "source" } }, 15_000),
    ],
  },
  {
    name: "volume-lost",
    steps: [
      storageClass({ volumeBindingMode: "Immediate" }),
      volume("a", { persistentVolumeReclaimPolicy: "Retain" }),
      claim("data", {}, 20_000),
      act(
        "remove the volume",
        async ({ client, namespace }) => {
          const volumes = client.resource(PersistentVolume);
          await volumes.delete(`a-${namespace}`);
          await volumes.patch(`a-${namespace}`, { type: "merge", patch: { metadata: { finalizers: null } } });
        },
        20_000,
      ),
      user("one", "data"),
    ],
  },
];

const inFront = (app: string): object => ({ ...template(app), metadata: { labels: { app, tier: "front" } } });
const requests = (cpu: string): object => ({ resources: { requests: { cpu } } });
const quotas: readonly Scenario[] = [
  {
    name: "quota-claims",
    steps: [
      act("limit a storage class", (stage) =>
        create("ResourceQuota", "storage", {
          spec: {
            hard: {
              "requests.storage": "3Gi",
              [`${classOf(stage.namespace)}.storageclass.storage.k8s.io/requests.storage`]: "2Gi",
              [`${classOf(stage.namespace)}.storageclass.storage.k8s.io/persistentvolumeclaims`]: "2",
              "count/deployments.apps": "1",
            },
          },
        }).run(stage),
      ),
      claim("one"),
      claim("two"),
      claim("three"),
      claim("other", { storageClassName: "", resources: { requests: { storage: "2Gi" } } }),
      create("Deployment", "web", web(1)),
      create("Deployment", "more", web(1)),
      remove("PersistentVolumeClaim", "two"),
      remove("Deployment", "web", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "quota-terminating",
    steps: [
      create("ResourceQuota", "short", {
        spec: { hard: { pods: "1", "requests.cpu": "1" }, scopes: ["Terminating", "NotBestEffort"] },
      }),
      create("ResourceQuota", "long", { spec: { hard: { pods: "2" }, scopes: ["NotTerminating"] } }),
      create("Job", "job", {
        spec: {
          activeDeadlineSeconds: 100,
          parallelism: 2,
          completions: 2,
          template: template("job", "stay:1", { restartPolicy: "Never", activeDeadlineSeconds: 90 }, requests("400m")),
        },
      }),
      create("Deployment", "web", web(3)),
      patch("ResourceQuota", "short", { spec: { hard: { pods: "3" } } }, 15_000),
    ],
  },
  {
    name: "limits-defaults",
    steps: [
      create("LimitRange", "sizes", {
        spec: {
          limits: [
            {
              type: "Container",
              default: { cpu: "500m" },
              defaultRequest: { cpu: "100m" },
              maxLimitRequestRatio: { cpu: "10" },
            },
            { type: "Pod", max: { cpu: "1" } },
            { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
          ],
        },
      }),
      create(
        "Deployment",
        "web",
        web(1, "web:1", {
          initContainers: [{ name: "init", image: "exit-0:1", resources: { limits: { cpu: "900m" } } }],
        }),
        10_000,
      ),
      create("Pod", "two", { spec: { containers: ["a", "b", "c"].map((name) => ({ name, image: "web:1" })) } }),
      create("Pod", "ratio", {
        spec: {
          containers: [{ name: "a", image: "web:1", resources: { requests: { cpu: "10m" }, limits: { cpu: "1" } } }],
        },
      }),
      claim("small", { resources: { requests: { storage: "500Mi" } } }),
      claim("large", { resources: { requests: { storage: "3Gi" } } }),
    ],
  },
  {
    name: "budget-of-controllers",
    steps: [
      create("PodDisruptionBudget", "web", {
        spec: { minAvailable: "50%", selector: { matchLabels: { tier: "front" } } },
      }),
      create("ReplicaSet", "web", {
        spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: inFront("web") },
      }),
      create("ReplicationController", "old", {
        spec: { replicas: 2, selector: { app: "old" }, template: inFront("old") },
      }),
      patch("ReplicaSet", "web", { spec: { replicas: 6 } }),
      patch("PodDisruptionBudget", "web", { spec: { minAvailable: null, maxUnavailable: "30%" } }),
      create("Pod", "loose", {
        metadata: { name: "loose", labels: { tier: "front" } },
        spec: { containers: [{ name: "main", image: "web:1" }] },
      }),
      remove("Pod", "loose", {}, 10_000),
    ],
  },
];

/** Services, volumes, quotas and budgets that change in use. */
export const dataChanges: readonly Scenario[] = [...services, ...volumes, ...quotas];
