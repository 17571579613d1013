import { CronJob, Job } from "../../../../src/kinds/batch/v1.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { act, crash, create, patch, remove, type Scenario, type ScenarioStep, wait } from "../scenario.js";

/** Returns a Job whose pods have one container. */
export const job = (spec: object, image = "exit-0:1", pod: object = {}, args: readonly string[] = []): object => ({
  spec: {
    ...spec,
    template: {
      metadata: { labels: { app: "job" } },
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image, args }],
        ...pod,
      },
    },
  },
});
const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 };
const deleteIndex = (index: number, waitMs: number): ScenarioStep =>
  act(
    `delete the pod of index ${String(index)}`,
    ({ client, namespace }) =>
      client
        .resource(Pod)
        .namespace(namespace)
        .deleteCollection({ labelSelector: `batch.kubernetes.io/job-completion-index=${String(index)}` }),
    waitMs,
  );

export const jobEdges: readonly Scenario[] = [
  {
    name: "job-changed-while-suspended",
    steps: [
      create("Job", "job", job({ suspend: true, completions: 1 }, "stay:1")),
      patch("Job", "job", {
        spec: {
          template: {
            metadata: { labels: { app: "job", team: "a" }, annotations: { note: "x" } },
            spec: { nodeSelector: { pool: "common" } },
          },
        },
      }),
      patch("Job", "job", { spec: { suspend: false } }),
      patch("Job", "job", { spec: { template: { spec: { nodeSelector: { pool: "other" } } } } }),
      patch("Job", "job", { spec: { suspend: true } }),
      patch("Job", "job", {
        spec: { template: { spec: { nodeSelector: { pool: "common", "kubernetes.io/os": "linux" } } } },
      }),
      patch("Job", "job", { spec: { suspend: false } }),
      crash("app=job", 0, 8_000),
    ],
  },
  {
    name: "job-quota",
    steps: [
      create("ResourceQuota", "pods", { spec: { hard: { pods: "1" } } }),
      create("Job", "job", job({ completions: 3, parallelism: 3 }, "stay:1"), 8_000),
      crash("app=job", 0, 20_000),
    ],
  },
  {
    name: "job-parallelism",
    steps: [
      create("Job", "job", job({ completions: 4, parallelism: 2 }, "stay:1")),
      patch("Job", "job", { spec: { parallelism: 0 } }),
      patch("Job", "job", { spec: { parallelism: 9 } }),
      crash("app=job", 0, 8_000),
    ],
  },
  {
    // A deleted Job that its own finalizer keeps counts its pods, and neither creates nor removes any.
    name: "job-own-finalizer",
    steps: [
      create("Job", "job", job({ completions: 3, parallelism: 2 }, "stay:1")),
      patch("Job", "job", { metadata: { finalizers: ["example.com/hold"] } }),
      remove("Job", "job", { propagationPolicy: "Background" }),
      crash("app=job", 0, 8_000),
      patch("Job", "job", { spec: { suspend: true } }),
      patch("Job", "job", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "job-too-many-succeeded",
    steps: [
      ...["a", "b"].map((name) =>
        create("Pod", name, {
          metadata: { name, labels: { app: "job" } },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "exit-0:1" }] },
        }),
      ),
      create("Job", "job", job({ manualSelector: true, selector: { matchLabels: { app: "job" } } }), 8_000),
    ],
  },
  {
    name: "job-deleted-running",
    steps: [
      create("Job", "job", job({ parallelism: 2 }, "stay:1")),
      remove("Job", "job", { propagationPolicy: "Background" }),
      create("Job", "other", job({ parallelism: 2 }, "stay:1")),
      remove("Job", "other", { propagationPolicy: "Foreground" }),
    ],
  },
  {
    name: "job-deadline-resumed",
    steps: [
      create("Job", "job", job({ activeDeadlineSeconds: 14 }, "stay:1")),
      patch("Job", "job", { spec: { suspend: true } }),
      patch("Job", "job", { spec: { suspend: false } }, 8_000),
      wait(12_000),
    ],
  },
  {
    name: "job-success-count",
    steps: [
      create(
        "Job",
        "job",
        job(
          { ...indexed, completions: 5, parallelism: 5, successPolicy: { rules: [{ succeededCount: 2 }] } },
          "stay:1",
        ),
      ),
      crash("batch.kubernetes.io/job-completion-index=4", 0),
      crash("batch.kubernetes.io/job-completion-index=0", 0, 10_000),
    ],
  },
  {
    name: "job-success-then-fails",
    steps: [
      create(
        "Job",
        "job",
        job({ ...indexed, backoffLimitPerIndex: 0, successPolicy: { rules: [{ succeededIndexes: "1" }] } }, "stay:1"),
      ),
      crash("batch.kubernetes.io/job-completion-index=0", 1),
      crash("batch.kubernetes.io/job-completion-index=1", 0, 10_000),
    ],
  },
  {
    name: "job-index-deleted",
    steps: [
      create("Job", "job", job({ ...indexed, backoffLimitPerIndex: 1 }, "stay:1")),
      deleteIndex(1, 20_000),
      deleteIndex(1, 15_000),
      crash("app=job", 0, 8_000),
    ],
  },
  {
    name: "job-limit-with-restarts",
    steps: [
      create(
        "Job",
        "job",
        job({ backoffLimit: 2, parallelism: 2, completions: 2 }, "stay:1", { restartPolicy: "OnFailure" }),
      ),
      crash("app=job", 1, 15_000),
      crash("app=job", 1, 30_000),
    ],
  },
  {
    name: "job-limit-stops-running",
    steps: [
      create("Job", "job", job({ backoffLimit: 0, parallelism: 3, completions: 3 }, "stay:1")),
      act(
        "a pod fails",
        async ({ cluster, client, namespace }) => {
          const { items } = await client.resource(Pod).namespace(namespace).list();
          await cluster.pods({ namespace, name: items[0]!.metadata!.name! }).crash({ exitCode: 1 });
        },
        10_000,
      ),
    ],
  },
  {
    name: "job-limit-stops-stubborn",
    steps: [
      create(
        "Job",
        "job",
        job({ backoffLimit: 0, parallelism: 2, completions: 2, podReplacementPolicy: "Failed" }, "stubborn:1", {
          terminationGracePeriodSeconds: 15,
        }),
      ),
      act(
        "a pod fails",
        async ({ cluster, client, namespace }) => {
          const { items } = await client.resource(Pod).namespace(namespace).list();
          await cluster.pods({ namespace, name: items[0]!.metadata!.name! }).crash({ exitCode: 1 });
        },
        4_000,
      ),
      wait(20_000),
    ],
  },
  {
    name: "job-finalizer-of-user",
    steps: [
      create("Job", "job", { metadata: { name: "job", finalizers: ["example.com/hold"] }, ...job({ completions: 1 }) }),
      remove("Job", "job", { propagationPolicy: "Background" }),
      patch("Job", "job", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "job-pod-held",
    steps: [
      create("Job", "job", job({ completions: 1 }, "stay:1")),
      act("hold the pod", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const { items } = await pods.list();
        await pods.patch(items[0]!.metadata!.name!, {
          type: "strategic",
          patch: { metadata: { finalizers: ["example.com/hold"] } },
        });
      }),
      crash("app=job", 0, 8_000),
      remove("Job", "job", { propagationPolicy: "Foreground" }),
      act("let the pod go", async ({ client, namespace }) => {
        const pods = client.resource(Pod).namespace(namespace);
        const { items } = await pods.list();
        await pods.patch(items[0]!.metadata!.name!, { type: "merge", patch: { metadata: { finalizers: null } } });
      }),
    ],
  },
  {
    name: "job-ttl-later",
    steps: [
      create("Job", "job", job({ completions: 1 })),
      patch("Job", "job", { spec: { ttlSecondsAfterFinished: 0 } }),
      create("Job", "failed", job({ backoffLimit: 0, ttlSecondsAfterFinished: 4 }, "exit-1:1"), 12_000),
    ],
  },
  {
    name: "job-policy-rules",
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            ...indexed,
            backoffLimit: 6,
            podFailurePolicy: {
              rules: [
                { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
                { action: "Count", onExitCodes: { operator: "In", values: [1, 3] } },
                { action: "FailJob", onExitCodes: { containerName: "main", operator: "NotIn", values: [1, 3, 42] } },
              ],
            },
          },
          "stay:1",
        ),
      ),
      crash("batch.kubernetes.io/job-completion-index=0", 3, 15_000),
      crash("batch.kubernetes.io/job-completion-index=1", 42, 15_000),
      crash("batch.kubernetes.io/job-completion-index=2", 7, 8_000),
    ],
  },
  {
    name: "job-managed-immutable",
    steps: [
      create("Job", "job", job({}, "stay:1")),
      patch("Job", "job", { spec: { managedBy: "example.com/other" } }, 500),
      patch("Job", "job", { spec: { completions: 3 } }, 500),
      patch("Job", "job", { spec: { completionMode: "Indexed" } }, 500),
      patch("Job", "job", { spec: { backoffLimitPerIndex: 3 } }, 500),
      patch("Job", "job", { spec: { podReplacementPolicy: "Failed" } }, 500),
      patch("Job", "job", { spec: { backoffLimit: 1, activeDeadlineSeconds: 900 } }),
    ],
  },
  {
    name: "job-unscheduled-deleted",
    steps: [
      create("Job", "job", job({ backoffLimit: 1 }, "stay:1", { nodeSelector: { pool: "nowhere" } })),
      act(
        "delete the pod",
        ({ client, namespace }) => client.resource(Pod).namespace(namespace).deleteCollection({}),
        15_000,
      ),
    ],
  },
];

const cron = (spec: object, image = "exit-0:1", pod: object = {}): object => ({
  spec: {
    schedule: "* * * * *",
    ...spec,
    jobTemplate: {
      metadata: { labels: { from: "cron" }, annotations: { note: "x" } },
      spec: {
        template: {
          metadata: { labels: { app: "job" } },
          spec: {
            restartPolicy: "Never",
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "main", image }],
            ...pod,
          },
        },
      },
    },
  },
});

export const cronEdges: readonly Scenario[] = [
  {
    name: "cron-deadline",
    steps: [
      create("CronJob", "tick", cron({ suspend: true, startingDeadlineSeconds: 5 }), 75_000),
      patch("CronJob", "tick", { spec: { suspend: false } }, 65_000),
    ],
  },
  {
    name: "cron-job-deleted",
    steps: [
      create("CronJob", "tick", cron({ concurrencyPolicy: "Forbid" }, "stay:1"), 70_000),
      act(
        "delete the job",
        ({ client, namespace }) =>
          client.resource(Job).namespace(namespace).deleteCollection({ propagationPolicy: "Background" }),
        70_000,
      ),
    ],
  },
  {
    name: "cron-manual-job",
    steps: [
      create("CronJob", "tick", cron({ schedule: "0 0 1 1 *", successfulJobsHistoryLimit: 1 })),
      ...["one", "two"].map((name) =>
        act(
          `start the job ${name} by hand`,
          async ({ client, namespace }) => {
            const { metadata, spec } = await client.resource(CronJob).namespace(namespace).get("tick");
            const { apiVersion, kind } = { apiVersion: "batch/v1", kind: "CronJob" };
            await client
              .resource(Job)
              .namespace(namespace)
              .create({
                metadata: {
                  name,
                  annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
                  ownerReferences: [{ apiVersion, kind, name: "tick", uid: metadata!.uid!, controller: true }],
                },
                spec: spec!.jobTemplate.spec!,
              });
          },
          12_000,
        ),
      ),
      remove("CronJob", "tick", { propagationPolicy: "Background" }),
    ],
  },
  {
    name: "cron-changed",
    steps: [
      create("CronJob", "tick", cron({ schedule: "0 0 1 1 *" })),
      patch("CronJob", "tick", { spec: { schedule: "* * * * *" } }, 70_000),
      patch("CronJob", "tick", { spec: { schedule: "61 * * * *" } }, 500),
      patch("CronJob", "tick", { spec: { timeZone: "Nowhere/City" } }, 500),
      patch("CronJob", "tick", { spec: { schedule: "TZ=UTC * * * * *" } }, 500),
      patch("CronJob", "tick", { spec: { suspend: true } }),
    ],
  },
  {
    name: "cron-failing",
    steps: [
      create(
        "CronJob",
        "tick",
        cron({ failedJobsHistoryLimit: 1 }, "exit-1:1", { restartPolicy: "OnFailure" }),
        130_000,
      ),
    ],
  },
];
