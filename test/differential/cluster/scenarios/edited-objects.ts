// Objects of controllers that people edit by hand: statuses, revisions, owners, labels and finalizers.
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../../src/kinds/apps/v1.js";
import { HorizontalPodAutoscaler } from "../../../../src/kinds/autoscaling/v2.js";
import { CronJob, Job } from "../../../../src/kinds/batch/v1.js";
import {
  ConfigMap,
  Endpoints,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
} from "../../../../src/kinds/core/v1.js";
import { EndpointSlice } from "../../../../src/kinds/discovery/v1.js";
import { PodDisruptionBudget } from "../../../../src/kinds/policy/v1.js";
import { ResourceClaim } from "../../../../src/kinds/resource/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../../src/meta/object.js";
import { ownerReference } from "../../../../src/objects/owner-references.js";
import { claimTemplate, deviceClass, devices, one } from "../device-steps.js";
import {
  act,
  crash,
  create,
  image,
  note,
  onNodesOf,
  patch,
  patchFirst,
  remove,
  type Scenario,
  type ScenarioStep,
  template,
  wait,
  web,
  workload,
} from "../scenario.js";

const kinds = [
  CronJob,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Service,
  StatefulSet,
] as readonly unknown[] as readonly (typeof Deployment)[];

const suspendedCron = (spec: object = {}, metadata: object = {}): ScenarioStep => {
  const containers = [{ name: "main", image: "exit-0:1" }];
  const jobTemplate = { metadata, spec: { template: { spec: { restartPolicy: "Never", containers } } } };
  return create("CronJob", "tick", { spec: { schedule: "0 0 * * *", suspend: true, jobTemplate, ...spec } });
};
/** Returns a step after which a CronJob seems to have run last so many days ago. */
const claimRun = (days: number): ScenarioStep =>
  act(`claim a run ${days} days ago`, ({ client, namespace }) => {
    const lastScheduleTime = new Date(Date.now() - days * 86_400_000).toISOString().replace(/\.\d+/, "");
    const handle = client.resource(CronJob).namespace(namespace).subresource("status");
    return handle.patch("tick", { type: "merge", patch: { status: { lastScheduleTime } } as object });
  });

/** Returns a step that changes the status of an object with a merge patch. */
const patchStatus = (kind: string, name: string, status: object, waitMs?: number): ScenarioStep =>
  act(
    `patch the status of ${kind} ${name} with ${JSON.stringify(status)}`,
    ({ client, namespace }) =>
      client
        .resource(kinds.find((each) => each.kind === kind)!)
        .namespace(namespace)
        .subresource("status")
        .patch(name, { type: "merge", patch: { status } as object }),
    waitMs,
  );

/** Returns a step that changes all ReplicaSets or ControllerRevisions of the namespace. */
const each = (
  title: string,
  kind: Kind<KubernetesObject, "Namespaced">,
  change: (object: KubernetesObject) => object | undefined,
  waitMs?: number,
): ScenarioStep =>
  act(
    title,
    async ({ client, namespace }) => {
      const handle = client.resource(kind).namespace(namespace);
      for (const object of (await handle.list()).items) {
        const fields = change(object as KubernetesObject);
        if (fields !== undefined) await handle.patch(object.metadata!.name!, { type: "merge", patch: fields });
      }
    },
    waitMs,
  );
const replicaSets = ReplicaSet as unknown as Kind<KubernetesObject, "Namespaced">;
const revisions = ControllerRevision as unknown as Kind<KubernetesObject, "Namespaced">;
const deleteAll = (title: string, kind: Kind<KubernetesObject, "Namespaced">, labelSelector?: string): ScenarioStep =>
  act(title, ({ client, namespace }) =>
    client
      .resource(kind)
      .namespace(namespace)
      .deleteCollection(labelSelector === undefined ? {} : { labelSelector }),
  );

const db = (spec: object = {}): ScenarioStep =>
  create("StatefulSet", "db", workload("db", { serviceName: "db", replicas: 2, ...spec }, "db:1"));
const agent = (scenario: string, spec: object = {}): ScenarioStep =>
  create("DaemonSet", "agent", workload("agent", spec, "agent:1", onNodesOf(scenario)));
const job = (spec: object, imageName = "stay:1"): ScenarioStep =>
  create("Job", "job", {
    spec: {
      template: {
        metadata: { labels: { app: "job" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: imageName }] },
      },
      ...spec,
    },
  });

const statuses: readonly Scenario[] = [
  {
    name: "status-edited-deployment",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      patchStatus("Deployment", "web", { replicas: 9, readyReplicas: 0, conditions: [] }),
      patchStatus("Deployment", "web", { observedGeneration: 99, collisionCount: 3 }),
      patchStatus("Deployment", "web", {
        conditions: [
          {
            type: "Own",
            status: "True",
            reason: "Edited",
            lastUpdateTime: "2026-01-01T00:00:00Z",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      }),
      patch("Deployment", "web", image("web:2")),
    ],
  },
  {
    name: "status-edited-replica-set",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2 })),
      patchStatus("ReplicaSet", "web", { replicas: 9, readyReplicas: 1, availableReplicas: 0 }),
      patchStatus("ReplicaSet", "web", { replicas: 2, conditions: [{ type: "Own", status: "True" }] }),
      create("ReplicationController", "old", {
        spec: { replicas: 1, selector: { app: "old" }, template: template("old") },
      }),
      patchStatus("ReplicationController", "old", { replicas: 4, observedGeneration: 7 }),
      patch("ReplicationController", "old", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "status-edited-stateful-set",
    steps: [
      db(),
      patchStatus("StatefulSet", "db", { replicas: 7, currentRevision: "other", updateRevision: "other" }),
      patchStatus("StatefulSet", "db", { collisionCount: 5 }),
      patch("StatefulSet", "db", image("db:2")),
      patchStatus("StatefulSet", "db", { currentRevision: "", currentReplicas: 0 }),
      patch("StatefulSet", "db", { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "status-edited-daemon-set",
    nodes: 2,
    steps: [
      agent("status-edited-daemon-set"),
      patchStatus("DaemonSet", "agent", { numberReady: 0, desiredNumberScheduled: 8, observedGeneration: 30 }),
      patchStatus("DaemonSet", "agent", { conditions: [{ type: "Own", status: "True" }], collisionCount: 2 }),
      patch("DaemonSet", "agent", image("agent:2")),
    ],
  },
  {
    name: "status-edited-budget",
    steps: [
      create("Deployment", "web", web({ replicas: 3 })),
      create("PodDisruptionBudget", "web", { spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } } }),
      patchStatus("PodDisruptionBudget", "web", { disruptionsAllowed: 7, currentHealthy: 0, desiredHealthy: 4 }),
      patchStatus("PodDisruptionBudget", "web", { conditions: [], observedGeneration: 44 }),
      patchStatus("PodDisruptionBudget", "web", { disruptedPods: { missing: "2026-01-01T00:00:00Z" } }),
    ],
  },
  {
    name: "status-edited-quota",
    steps: [
      create("ResourceQuota", "all", { spec: { hard: { pods: "3", "requests.cpu": "2", "count/configmaps": "5" } } }),
      create("ReplicaSet", "web", web({ replicas: 2 }, "web:1", {}, { resources: { requests: { cpu: "500m" } } })),
      patchStatus("ResourceQuota", "all", { used: { pods: "3", "requests.cpu": "9" } }),
      patch("ReplicaSet", "web", { spec: { replicas: 3 } }),
      patchStatus("ResourceQuota", "all", { hard: { pods: "30" }, used: null }),
      create("Pod", "more", template("more", "web:1", {}, { resources: { requests: { cpu: "100m" } } })),
    ],
  },
  {
    name: "status-edited-job",
    steps: [
      job({ completions: 3, parallelism: 2 }),
      patchStatus("Job", "job", { active: 1, ready: 0 }),
      patchStatus("Job", "job", { succeeded: 2 }),
      crash("app=job", 0),
      patchStatus("Job", "job", { failed: 9 }),
    ],
  },
  {
    name: "status-edited-cron",
    steps: [
      create("CronJob", "tick", {
        spec: {
          schedule: "0 0 1 1 *",
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "stay:1" }] } } },
          },
        },
      }),
      patchStatus("CronJob", "tick", {
        active: [{ apiVersion: "batch/v1", kind: "Job", name: "missing", uid: "00000000-0000-4000-8000-000000000001" }],
      }),
      patchStatus("CronJob", "tick", { lastSuccessfulTime: "2026-02-01T00:00:00Z" }),
      note("status", async ({ client, namespace }) => {
        const { status } = await client.resource(CronJob).namespace(namespace).get("tick");
        return [Object.keys(status ?? {}), status?.active?.length];
      }),
    ],
  },
  {
    name: "cron-missed-many",
    steps: [
      suspendedCron(
        { schedule: "*/5 * * * *", startingDeadlineSeconds: null },
        { labels: { app: "tick" }, annotations: { note: "a" } },
      ),
      claimRun(2),
      patch("CronJob", "tick", { spec: { suspend: false } }, 10_000),
      note("jobs", async ({ client, namespace }) => {
        const { items } = await client.resource(Job).namespace(namespace).list();
        return items.map(({ metadata }) => [metadata?.labels, Object.keys(metadata?.annotations ?? {}).sort()]);
      }),
    ],
  },
  {
    name: "cron-missed-deadline",
    steps: [
      suspendedCron({ startingDeadlineSeconds: 5 }),
      claimRun(3),
      patch("CronJob", "tick", { spec: { suspend: false } }, 10_000),
      patch("CronJob", "tick", { spec: { startingDeadlineSeconds: 200_000 } }, 10_000),
      note(
        "jobs",
        async ({ client, namespace }) => (await client.resource(Job).namespace(namespace).list()).items.length,
      ),
    ],
  },
  {
    name: "cron-quota",
    steps: [
      create("ResourceQuota", "jobs", { spec: { hard: { "count/jobs.batch": "0" } } }),
      suspendedCron(),
      claimRun(3),
      patch("CronJob", "tick", { spec: { suspend: false } }, 6_000),
      remove("ResourceQuota", "jobs", {}, 12_000),
    ],
  },
];

const contents: readonly Scenario[] = [
  {
    name: "revision-edited-deployment",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      patch("Deployment", "web", image("web:2")),
      each("set the old revision to 7", replicaSets, ({ metadata }) =>
        metadata?.annotations?.["deployment.kubernetes.io/revision"] === "1"
          ? { metadata: { annotations: { "deployment.kubernetes.io/revision": "7" } } }
          : undefined,
      ),
      patch("Deployment", "web", image("web:1")),
      each("set wrong revisions", replicaSets, () => ({
        metadata: { annotations: { "deployment.kubernetes.io/revision": "many" } },
      })),
      patch("Deployment", "web", image("web:3")),
    ],
  },
  {
    name: "replica-sets-deleted",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      deleteAll("delete the ReplicaSet", replicaSets),
      patch("Deployment", "web", image("web:2")),
      deleteAll("delete all ReplicaSets", replicaSets),
      each("scale the ReplicaSet", replicaSets, () => ({ spec: { replicas: 5 } })),
      each("change the desired replicas", replicaSets, () => ({
        metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": "9" } },
      })),
    ],
  },
  {
    name: "replica-set-hash-edited",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      each("change the hash", replicaSets, () => ({ metadata: { labels: { "pod-template-hash": "edited" } } })),
      patchFirst("app=web", { metadata: { labels: { "pod-template-hash": "edited" } } }),
      patch("Deployment", "web", { spec: { replicas: 3 } }),
      patch("Deployment", "web", { metadata: { labels: { app: "web", team: "a" } } }),
    ],
  },
  {
    name: "revisions-deleted",
    nodes: 1,
    steps: [
      db(),
      agent("revisions-deleted"),
      deleteAll("delete the revisions", revisions),
      patch("StatefulSet", "db", image("db:2")),
      patch("DaemonSet", "agent", image("agent:2")),
      deleteAll("delete the revisions again", revisions),
      patch("StatefulSet", "db", { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "revisions-disowned",
    nodes: 1,
    steps: [
      db(),
      agent("revisions-disowned"),
      each("take the owners", revisions, () => ({ metadata: { ownerReferences: null } })),
      each("number them 40", revisions, () => ({ revision: 40 })),
      patch("StatefulSet", "db", image("db:2")),
      patch("DaemonSet", "agent", image("agent:2")),
      patch("StatefulSet", "db", image("db:1")),
      patch("DaemonSet", "agent", image("agent:1")),
    ],
  },
  {
    name: "stateful-pods-edited",
    steps: [
      db(),
      patch("Pod", "db-0", { metadata: { labels: { "controller-revision-hash": "edited" } } }),
      patch("Pod", "db-1", { metadata: { labels: { "statefulset.kubernetes.io/pod-name": "edited" } } }),
      patch("Pod", "db-1", { metadata: { labels: { "apps.kubernetes.io/pod-index": null } } }),
      patch("StatefulSet", "db", { spec: { minReadySeconds: 2 } }),
    ],
  },
  {
    name: "job-pods-edited",
    steps: [
      job({ completions: 3, parallelism: 3, completionMode: "Indexed" }),
      patchFirst("app=job", { metadata: { finalizers: null } }),
      patchFirst("app=job", {
        metadata: { annotations: { "batch.kubernetes.io/job-completion-index": "2" } },
      }),
      patchFirst("batch.kubernetes.io/job-completion-index=1", {
        metadata: { annotations: { "batch.kubernetes.io/job-completion-index": "none" } },
      }),
      crash("app=job", 0),
    ],
  },
  {
    name: "job-pods-without-finalizer",
    steps: [
      job({ completions: 2, parallelism: 2 }),
      act("take the finalizers", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        for (const { metadata } of (await pods.list()).items)
          await pods.patch(metadata!.name!, { type: "merge", patch: { metadata: { finalizers: null } } });
      }),
      crash("app=job", 0),
      wait(3_000),
    ],
  },
  {
    name: "pod-owners-edited",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 3 })),
      act("let the owner of a pod not control it", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const [pod] = (await pods.list()).items;
        await pods.update(pod!.metadata!.name!, (live) => {
          for (const owner of live.metadata!.ownerReferences!) delete owner.controller;
        });
      }),
      act("name another uid", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const [pod] = (await pods.list()).items;
        await pods.update(pod!.metadata!.name!, (live) => {
          for (const owner of live.metadata!.ownerReferences!) owner.uid = "00000000-0000-4000-8000-000000000009";
        });
      }),
      patch("ReplicaSet", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "claim-finalizer-edited",
    steps: [
      create("PersistentVolumeClaim", "data", {
        spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      patch("PersistentVolumeClaim", "data", { metadata: { finalizers: null } }),
      create("Pod", "user", {
        spec: {
          containers: [{ name: "main", image: "web:1" }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      }),
      patchStatus("PersistentVolumeClaim", "data", { phase: "Bound" }),
      patchStatus("PersistentVolumeClaim", "data", { phase: "Lost" }),
      remove("PersistentVolumeClaim", "data", {}),
      remove("Pod", "user", {}),
    ],
  },
];

const webService = create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
const endpoints = Endpoints as unknown as Kind<KubernetesObject, "Namespaced">;
const slices = EndpointSlice as unknown as Kind<KubernetesObject, "Namespaced">;
const claims = PersistentVolumeClaim as unknown as Kind<KubernetesObject, "Namespaced">;
const resourceClaims = ResourceClaim as unknown as Kind<KubernetesObject, "Namespaced">;
const endAll = (labelSelector: string, phase: "Failed" | "Succeeded", waitMs?: number): ScenarioStep =>
  act(
    `set the phase of ${labelSelector} to ${phase}`,
    async ({ client, namespace }) => {
      const pods = client.resource(Pod).namespace(namespace);
      for (const { metadata } of (await pods.list({ labelSelector })).items)
        await pods
          .subresource("status")
          .patch(metadata!.name!, { type: "merge", patch: { status: { phase, reason: "Edited" } } });
    },
    waitMs,
  );

const dependents: readonly Scenario[] = [
  {
    name: "endpoints-edited",
    steps: [
      webService,
      create("Deployment", "web", web({ replicas: 2 })),
      each("remove the addresses", endpoints, () => ({ subsets: [] })),
      each("label the Endpoints", endpoints, () => ({
        metadata: { labels: { team: "a" }, annotations: { note: "b" } },
      })),
      patch("Service", "web", { metadata: { labels: { app: "web" } } }),
      deleteAll("delete the Endpoints", endpoints),
      patch("Deployment", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "slices-edited",
    steps: [
      webService,
      create("Deployment", "web", web({ replicas: 2 })),
      each("label the slice", slices, () => ({ metadata: { labels: { team: "a" }, annotations: { note: "b" } } })),
      patch("Deployment", "web", { spec: { replicas: 3 } }),
      remove("Service", "web", {}),
    ],
  },
  {
    name: "job-status-finished",
    steps: [
      job({ completions: 2, parallelism: 2 }),
      patchStatus("Job", "job", {
        conditions: [{ type: "FailureTarget", status: "True", reason: "Edited", message: "by hand" }],
      }),
      wait(4_000),
      remove("Job", "job", { propagationPolicy: "Background" }),
      job({ completions: 2, parallelism: 2 }),
      patchStatus("Job", "job", { startTime: "2026-01-01T00:00:00Z" }),
      patchStatus("Job", "job", { conditions: [{ type: "Own", status: "True" }] }),
      crash("app=job", 0),
    ],
  },
  {
    name: "pods-ended-by-hand",
    nodes: 1,
    steps: [
      db(),
      agent("pods-ended-by-hand"),
      create("ReplicaSet", "web", web({ replicas: 2 })),
      job({ completions: 2, parallelism: 1, backoffLimit: 1 }),
      endAll("app=db", "Succeeded", 12_000),
      endAll("app=agent", "Failed", 12_000),
      endAll("app=web", "Succeeded"),
      endAll("app=job", "Failed", 15_000),
      endAll("app=job", "Succeeded", 12_000),
      patch("ReplicaSet", "web", { spec: { replicas: 1 } }),
    ],
  },
  {
    name: "autoscaler-status-edited",
    steps: [
      create("Deployment", "web", web({ replicas: 4 })),
      create(
        "HorizontalPodAutoscaler",
        "web",
        { spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } } },
        35_000,
      ),
      patchStatus(
        "HorizontalPodAutoscaler",
        "web",
        {
          currentReplicas: 9,
          desiredReplicas: 9,
          conditions: [{ type: "Own", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        },
        20_000,
      ),
    ],
  },
  {
    name: "claims-disowned",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [{ name: "gpu-0" }, { name: "gpu-1" }]),
      claimTemplate("device", [one("a")]),
      create("Pod", "web", {
        spec: {
          ...onNodesOf("claims-disowned"),
          terminationGracePeriodSeconds: 1,
          containers: [{ name: "main", image: "web:1" }],
          resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "device" }],
        },
      }),
      each("take the owner of the claim", resourceClaims, () => ({ metadata: { ownerReferences: null } })),
      patch("Pod", "web", { metadata: { labels: { changed: "yes" } } }),
      remove("Pod", "web", {}),
      deleteAll("delete the claims", resourceClaims),
    ],
  },
  {
    name: "claims-ephemeral-disowned",
    steps: [
      create("Pod", "web", {
        spec: {
          containers: [{ name: "main", image: "web:1" }],
          volumes: [
            {
              name: "data",
              ephemeral: {
                volumeClaimTemplate: {
                  metadata: { labels: { team: "a" } },
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
      each("take the owner of the claim", claims, () => ({ metadata: { ownerReferences: null } })),
      deleteAll("delete the claim", claims),
      patch("Pod", "web", { metadata: { labels: { changed: "yes" } } }),
      remove("Pod", "web", { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "quota-recreated",
    steps: [
      create("ReplicaSet", "web", web({ replicas: 2 })),
      create("ResourceQuota", "pods", { spec: { hard: { pods: "1" } } }),
      patch("ReplicaSet", "web", { spec: { replicas: 3 } }),
      remove("ResourceQuota", "pods", {}),
      create("ResourceQuota", "pods", { spec: { hard: { pods: "5" }, scopes: ["NotBestEffort"] } }),
      patch("ReplicaSet", "web", { spec: { replicas: 4 } }, 15_000),
      patch("ResourceQuota", "pods", { spec: { hard: { pods: "5", "limits.cpu": "1" } } }),
    ],
  },
];

const managedBy = "endpointslice.kubernetes.io/managed-by";
const claimedSet = (policy: object, spec: object = {}): ScenarioStep =>
  db({
    persistentVolumeClaimRetentionPolicy: policy,
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    ...spec,
  });
/** Returns a step that gives the claims of a StatefulSet another controller, in addition to their owners or instead of them. */
const addController = (add: boolean): ScenarioStep =>
  act(`give the claims a controller, ${add ? "too" : "only"}`, async ({ client, namespace }) => {
    const maps = client.resource(ConfigMap).namespace(namespace);
    const owner = (await maps.getOptional("owner")) ?? (await maps.create({ metadata: { name: "owner" } }));
    const reference = ownerReference(owner, { controller: true });
    const handle = client.resource(PersistentVolumeClaim).namespace(namespace);
    for (const { metadata } of (await handle.list()).items) {
      const others = (metadata?.ownerReferences ?? []).map((each) => ({ ...each, controller: false }));
      const ownerReferences = add ? [...others, reference] : [reference];
      await handle.patch(metadata!.name!, { type: "merge", patch: { metadata: { ownerReferences } } });
    }
  });

/** Edits that take from objects what their controllers go by. */
const takings: readonly Scenario[] = [
  {
    name: "generations-raised",
    nodes: 1,
    steps: [
      db(),
      agent("generations-raised"),
      create("ReplicaSet", "web", web({ replicas: 1 })),
      patchStatus("StatefulSet", "db", { observedGeneration: 50 }),
      patchStatus("DaemonSet", "agent", { observedGeneration: 50 }),
      patchStatus("ReplicaSet", "web", { observedGeneration: 50 }),
      patch("StatefulSet", "db", { spec: { minReadySeconds: 0, revisionHistoryLimit: 3 } }),
      patch("DaemonSet", "agent", { spec: { revisionHistoryLimit: 3 } }),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }),
      patch("DaemonSet", "agent", image("agent:2")),
    ],
  },
  {
    name: "revisions-unlabeled",
    nodes: 1,
    steps: [
      db(),
      agent("revisions-unlabeled"),
      each("take the labels of the DaemonSet's revision", revisions, ({ metadata }) =>
        metadata?.name?.startsWith("agent") ? { metadata: { labels: null } } : undefined,
      ),
      patch("DaemonSet", "agent", { metadata: { labels: { changed: "yes" } } }),
      each("take the labels of the StatefulSet's revision", revisions, ({ metadata }) =>
        metadata?.name?.startsWith("db") ? { metadata: { labels: null } } : undefined,
      ),
      patch("StatefulSet", "db", { metadata: { labels: { changed: "yes" } } }),
      patch("DaemonSet", "agent", image("agent:2")),
      patch("StatefulSet", "db", image("db:2")),
    ],
  },
  {
    name: "revisions-raised",
    nodes: 1,
    steps: [
      db(),
      agent("revisions-raised"),
      each("set the revisions to 9", revisions, () => ({ revision: 9 })),
      patch("DaemonSet", "agent", image("agent:2")),
      patch("StatefulSet", "db", image("db:2")),
      each("set the revisions to 3", revisions, () => ({ revision: 3 })),
      patch("DaemonSet", "agent", image("agent:1")),
      patch("StatefulSet", "db", image("db:1"), 15_000),
    ],
  },
  {
    name: "revisions-copied",
    nodes: 1,
    steps: [
      agent("revisions-copied", { revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } }),
      patch("DaemonSet", "agent", image("agent:2")),
      act("copy the newest revision of the DaemonSet", async ({ client, namespace }) => {
        const handle = client.resource(ControllerRevision).namespace(namespace);
        const { data, metadata } = (await handle.list()).items.find(({ revision }) => revision === 2)!;
        const labels = { ...metadata!.labels, "controller-revision-hash": "copy" };
        const { ownerReferences } = metadata!;
        await handle.create({ metadata: { name: "agent-copy", labels, ownerReferences }, data, revision: 5 });
      }),
      patch("DaemonSet", "agent", { metadata: { labels: { changed: "yes" } } }),
      patch("DaemonSet", "agent", image("agent:3")),
      patch("DaemonSet", "agent", image("agent:4")),
      patch("DaemonSet", "agent", { spec: { updateStrategy: { type: "RollingUpdate" } } }),
    ],
  },
  {
    name: "slices-taken",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      each("take the manager of the slice", slices, () => ({ metadata: { labels: { [managedBy]: null } } })),
      patch("Deployment", "web", { spec: { replicas: 3 } }),
      each("give the slices a manager", slices, () => ({ metadata: { labels: { [managedBy]: "other" } } })),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
      each("give the slices back", slices, () => ({
        metadata: { labels: { [managedBy]: "endpointslice-controller.k8s.io" } },
      })),
    ],
  },
  {
    name: "slices-edited-ports",
    steps: [
      create("Deployment", "web", web({ replicas: 2 })),
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      each("take the ports of the slice", slices, () => ({ ports: null })),
      each("change the port of the slice", slices, () => ({ ports: [{ name: "", port: 81, protocol: "TCP" }] })),
      each("take the labels of the slice", slices, () => ({
        metadata: { labels: { "service.kubernetes.io/headless": "", own: "yes" } },
      })),
      each("take the owner of the slice", slices, () => ({ metadata: { ownerReferences: null } })),
      patch("Deployment", "web", { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "mirrored-slices-taken",
    steps: [
      create("Service", "own", { spec: { ports: [{ port: 80 }] } }),
      create("Endpoints", "own", { subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] }),
      each("label the mirrored slice", slices, () => ({ metadata: { labels: { team: "a" } } })),
      each("take the owner of the mirrored slice", slices, () => ({ metadata: { ownerReferences: null } })),
      each("take the manager of the mirrored slice", slices, () => ({ metadata: { labels: { [managedBy]: null } } })),
      patch("Endpoints", "own", { subsets: [{ addresses: [{ ip: "192.0.2.2" }], ports: [{ port: 80 }] }] }),
      each("give the mirrored slice back", slices, () => ({
        metadata: { labels: { [managedBy]: "endpointslicemirroring-controller.k8s.io" } },
      })),
      each("take the ports of the mirrored slice", slices, () => ({ ports: null })),
    ],
  },
  {
    name: "claims-of-others",
    steps: [
      claimedSet({ whenScaled: "Delete", whenDeleted: "Delete" }),
      addController(true),
      patch("StatefulSet", "db", { spec: { template: { metadata: { annotations: { changed: "1" } } } } }, 15_000),
      addController(false),
      patch("StatefulSet", "db", { spec: { template: { metadata: { annotations: { changed: "2" } } } } }, 15_000),
      patch("StatefulSet", "db", { spec: { replicas: 1 } }, 12_000),
      patch("StatefulSet", "db", {
        spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain", whenDeleted: "Retain" } },
      }),
      remove("StatefulSet", "db", {}, 12_000),
    ],
  },
];

/** Objects of controllers that people edit by hand. */
export const editedObjects: readonly Scenario[] = [...statuses, ...contents, ...dependents, ...takings];
