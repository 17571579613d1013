import { Pod } from "../../../../src/kinds/core/v1.js";
import { act, crash, create, patch, remove, type Scenario } from "../scenario.js";

const job = (spec: object, image = "exit-0:1", pod: object = {}, args: readonly string[] = []): object => ({
  spec: {
    ...spec,
    template: {
      metadata: { labels: { app: "job" } },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image, args }], ...pod },
    },
  },
});

export const jobs: readonly Scenario[] = [
  { name: "job", steps: [create("Job", "job", job({})), remove("Job", "job", { propagationPolicy: "Foreground" })] },
  { name: "job-parallel", steps: [create("Job", "job", job({ completions: 5, parallelism: 2 }), 14_000)] },
  {
    name: "job-work-queue",
    steps: [
      create("Job", "job", job({ parallelism: 3 }, "stay:1")),
      act("one pod succeeds", async ({ cluster, client, namespace }) => {
        const { items } = await client.resource(Pod).namespace(namespace).list();
        await cluster.pods({ namespace, name: items[0]!.metadata!.name! }).crash({ exitCode: 0 });
      }),
      crash("app=job", 0),
    ],
  },
  { name: "job-fails", steps: [create("Job", "job", job({ backoffLimit: 0 }, "exit-1:1"))] },
  { name: "job-retries", steps: [create("Job", "job", job({ backoffLimit: 1 }, "exit-1:1"), 25_000)] },
  {
    name: "job-restarts",
    steps: [create("Job", "job", job({ backoffLimit: 1 }, "exit-1:1", { restartPolicy: "OnFailure" }), 40_000)],
  },
  {
    name: "job-deadline",
    steps: [
      create(
        "Job",
        "job",
        job({ activeDeadlineSeconds: 4, parallelism: 2, completions: 2 }, "stay:1", {
          terminationGracePeriodSeconds: 1,
        }),
        12_000,
      ),
    ],
  },
  {
    name: "job-suspend",
    steps: [
      create(
        "Job",
        "job",
        job({ suspend: true, parallelism: 2, completions: 2 }, "stay:1", { terminationGracePeriodSeconds: 1 }),
      ),
      patch("Job", "job", { spec: { suspend: false } }),
      patch("Job", "job", { spec: { suspend: true } }),
      patch("Job", "job", { spec: { suspend: false } }),
      crash("app=job", 0),
    ],
  },
  {
    name: "job-indexed",
    steps: [create("Job", "job", job({ completionMode: "Indexed", completions: 5, parallelism: 5 }))],
  },
  {
    name: "job-indexed-partial",
    steps: [
      create("Job", "job", job({ completionMode: "Indexed", completions: 6, parallelism: 6 }, "stay:1")),
      act("indexes 0, 1, 2 and 4 succeed", async ({ cluster, namespace }) => {
        await cluster
          .pods({ namespace, labels: "batch.kubernetes.io/job-completion-index in (0, 1, 2, 4)" })
          .crash({ exitCode: 0 });
      }),
      patch("Job", "job", { spec: { parallelism: 1 } }),
      patch("Job", "job", { spec: { completions: 4, parallelism: 4 } }),
    ],
  },
  {
    name: "job-elastic",
    steps: [
      create(
        "Job",
        "job",
        job({ completionMode: "Indexed", completions: 3, parallelism: 3 }, "stay:1", {
          terminationGracePeriodSeconds: 1,
        }),
      ),
      patch("Job", "job", { spec: { completions: 5, parallelism: 5 } }),
      patch("Job", "job", { spec: { completions: 2, parallelism: 2 } }),
      crash("app=job", 0),
    ],
  },
  {
    name: "job-limit-per-index",
    steps: [
      create(
        "Job",
        "job",
        job({ completionMode: "Indexed", completions: 4, parallelism: 4, backoffLimitPerIndex: 0 }, "exit-at:1", {}, [
          "1",
        ]),
        12_000,
      ),
    ],
  },
  {
    name: "job-limit-per-index-retries",
    steps: [
      create(
        "Job",
        "job",
        job(
          { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 2 },
          "exit-at:1",
          {},
          ["2"],
        ),
        30_000,
      ),
    ],
  },
  {
    name: "job-max-failed-indexes",
    steps: [
      create(
        "Job",
        "job",
        job(
          { completionMode: "Indexed", completions: 4, parallelism: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
          "exit-1:1",
        ),
        12_000,
      ),
    ],
  },
  ...(["FailJob", "Ignore", "Count"] as const).map((action) => ({
    name: `job-policy-${action.toLowerCase()}`,
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            backoffLimit: 0,
            parallelism: 2,
            completions: 2,
            podFailurePolicy: {
              rules: [{ action, onExitCodes: { containerName: "main", operator: "In" as const, values: [42] } }],
            },
          },
          "stay:1",
        ),
      ),
      act(
        "a container exits with 42",
        async ({ cluster, client, namespace }) => {
          const { items } = await client.resource(Pod).namespace(namespace).list();
          await cluster.pods({ namespace, name: items[0]!.metadata!.name! }).crash({ exitCode: 42 });
        },
        action === "Ignore" ? 15_000 : 8_000,
      ),
    ],
  })),
  {
    name: "job-policy-fail-index",
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            completionMode: "Indexed",
            completions: 3,
            parallelism: 3,
            backoffLimitPerIndex: 2,
            podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "NotIn", values: [3] } }] },
          },
          "exit-at:1",
          {},
          ["0"],
        ),
        10_000,
      ),
    ],
  },
  {
    name: "job-policy-disruption",
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            backoffLimit: 0,
            podFailurePolicy: {
              rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
            },
          },
          "stay:1",
          { terminationGracePeriodSeconds: 1 },
        ),
      ),
      act("evict", ({ cluster, namespace }) => cluster.pods({ namespace, labels: "app=job" }).evict(), 15_000),
    ],
  },
  {
    name: "job-success-policy",
    steps: [
      create(
        "Job",
        "job",
        job(
          {
            completionMode: "Indexed",
            completions: 4,
            parallelism: 4,
            successPolicy: { rules: [{ succeededIndexes: "0,2-3", succeededCount: 1 }] },
          },
          "stay:1",
          { terminationGracePeriodSeconds: 1 },
        ),
      ),
      crash("batch.kubernetes.io/job-completion-index=1", 0),
      crash("batch.kubernetes.io/job-completion-index=2", 0, 10_000),
    ],
  },
  {
    name: "job-replacement",
    steps: [
      create(
        "Job",
        "job",
        job({ podReplacementPolicy: "Failed", backoffLimit: 3 }, "stay:1", { terminationGracePeriodSeconds: 4 }),
      ),
      act(
        "delete the pod",
        async ({ client, namespace }) => {
          const pods = client.resource(Pod).namespace(namespace);
          const { items } = await pods.list();
          await pods.delete(items[0]!.metadata!.name!);
        },
        20_000,
      ),
    ],
  },
  {
    name: "job-pod-deleted",
    steps: [
      create("Job", "job", job({ backoffLimit: 3 }, "stay:1", { terminationGracePeriodSeconds: 1 })),
      act(
        "delete the pod",
        async ({ client, namespace }) => {
          const pods = client.resource(Pod).namespace(namespace);
          const { items } = await pods.list();
          await pods.delete(items[0]!.metadata!.name!);
        },
        20_000,
      ),
    ],
  },
  {
    name: "job-ttl",
    steps: [create("Job", "job", job({ ttlSecondsAfterFinished: 6 })), act("wait", () => Promise.resolve(), 10_000)],
  },
  {
    name: "job-managed-by-other",
    steps: [create("Job", "job", job({ managedBy: "example.com/other" }))],
  },
  {
    name: "job-manual-selector",
    steps: [
      create("Job", "job", {
        spec: {
          manualSelector: true,
          selector: { matchLabels: { app: "job" } },
          template: {
            metadata: { labels: { app: "job" } },
            spec: { restartPolicy: "Never", containers: [{ name: "main", image: "exit-0:1" }] },
          },
        },
      }),
    ],
  },
  {
    name: "job-finished-then-scaled",
    steps: [create("Job", "job", job({ completions: 1 })), patch("Job", "job", { spec: { parallelism: 0 } })],
  },
  {
    name: "job-zero",
    steps: [create("Job", "job", job({ completions: 0 })), create("Job", "none", job({ parallelism: 0 }))],
  },
  {
    name: "job-orphan",
    steps: [create("Job", "job", job({}, "stay:1")), remove("Job", "job", { propagationPolicy: "Orphan" })],
  },
];

const cron = (spec: object, image = "exit-0:1"): object => ({
  spec: {
    schedule: "* * * * *",
    ...spec,
    jobTemplate: {
      metadata: { labels: { from: "cron" } },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } } },
    },
  },
});

export const cronJobs: readonly Scenario[] = [
  { name: "cron", steps: [create("CronJob", "tick", cron({}), 130_000)] },
  { name: "cron-forbid", steps: [create("CronJob", "tick", cron({ concurrencyPolicy: "Forbid" }, "stay:1"), 130_000)] },
  {
    name: "cron-replace",
    steps: [create("CronJob", "tick", cron({ concurrencyPolicy: "Replace" }, "stay:1"), 130_000)],
  },
  {
    name: "cron-suspend",
    steps: [
      create("CronJob", "tick", cron({ suspend: true }), 65_000),
      patch("CronJob", "tick", { spec: { suspend: false } }, 70_000),
    ],
  },
  {
    name: "cron-limits",
    steps: [create("CronJob", "tick", cron({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }), 190_000)],
  },
  { name: "cron-zone", steps: [create("CronJob", "tick", cron({ timeZone: "Europe/Berlin" }), 70_000)] },
  { name: "cron-never", steps: [create("CronJob", "tick", cron({ schedule: "0 0 31 2 *" }), 6_000)] },
];
