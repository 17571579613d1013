import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createBackOff } from "../../../../../src/cluster/controllers/batch/job/back-off.js";
import { formatIndexes, parseIndexes } from "../../../../../src/cluster/controllers/batch/job/indexes.js";
import { tally } from "../../../../../src/cluster/controllers/batch/job/tally.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Job, type JobSpec } from "../../../../../src/kinds/batch/v1.js";
import {
  type ContainerStatus,
  Namespace,
  Pod,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  ResourceQuota,
} from "../../../../../src/kinds/core/v1.js";
import { formatTime } from "../../../../../src/meta/time.js";

// The cluster has no nodes, so the tests decide how the pods end.
const createTestCluster = (): Promise<Cluster> => createCluster({ nodes: 0, time: "virtual", seed: 1 });

async function createJob(cluster: Cluster, spec: Omit<JobSpec, "template">): Promise<void> {
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] } };
  await cluster.client
    .resource(Job)
    .namespace("default")
    .create({ metadata: { name: "work" }, spec: { ...spec, template } });
  await cluster.settled();
}

interface End {
  readonly exitCode: number;
  readonly condition?: PodCondition;
}

/** Ends the running pod of an index, or any running pod. */
async function endPod(cluster: Cluster, { exitCode, condition }: End, index?: number): Promise<void> {
  const handle = cluster.client.resource(Pod).namespace("default");
  const { items } = await handle.list();
  const pod = items.find(
    ({ metadata, status }) =>
      status?.phase === "Pending" &&
      (index === undefined || metadata?.labels?.["batch.kubernetes.io/job-completion-index"] === String(index)),
  )!;
  const finishedAt = formatTime(cluster.now());
  const state = { terminated: { exitCode, finishedAt, reason: exitCode === 0 ? "Completed" : "Error" } };
  await handle.subresource("status").update({
    ...pod,
    status: {
      phase: exitCode === 0 ? "Succeeded" : "Failed",
      conditions: condition === undefined ? [] : [condition],
      containerStatuses: [{ name: "main", image: "work:1", imageID: "work:1", ready: false, restartCount: 0, state }],
    },
  });
  await cluster.settled();
}

async function readJob(cluster: Cluster): Promise<Job> {
  return await cluster.client.resource(Job).namespace("default").get("work");
}

async function podCount(cluster: Cluster): Promise<number> {
  const { items } = await cluster.client.resource(Pod).namespace("default").list();
  return items.filter(({ status }) => status?.phase === "Pending").length;
}

const conditionsOf = ({ status }: Job): string[] =>
  (status?.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);

describe("Job in a cluster", () => {
  it("adopts its pods while it runs, and no longer when it's finished", async () => {
    await using cluster = await createTestCluster();
    const pods = cluster.client.resource(Pod).namespace("default");
    const disown = async (): Promise<unknown> => {
      const name = (await pods.list()).items[0]!.metadata!.name!;
      await pods.patch(name, { type: "merge", patch: { metadata: { ownerReferences: null } } });
      await cluster.settled();
      return (await pods.get(name)).metadata?.ownerReferences?.[0]?.name;
    };
    await createJob(cluster, {});
    expect(await disown()).toBe("work");
    await endPod(cluster, { exitCode: 0 });
    expect(conditionsOf(await readJob(cluster))).toContain("Complete=True CompletionsReached");
    expect(await disown()).toBe(undefined);
  });

  it("tracks the pods that it adopts, and no longer those that it releases", async () => {
    await using cluster = await createTestCluster();
    const pods = cluster.client.resource(Pod).namespace("default");
    const metadata = { name: "early", labels: { app: "work" } };
    await pods.create({ metadata, spec: { restartPolicy: "Never", containers: [{ name: "main", image: "work:1" }] } });
    const template = {
      metadata: { labels: { app: "work" } },
      spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] },
    };
    const spec = { manualSelector: true, selector: { matchLabels: { app: "work" } }, template };
    await cluster.client
      .resource(Job)
      .namespace("default")
      .create({ metadata: { name: "work" }, spec });
    await cluster.settled();
    const read = async (): Promise<unknown[]> => {
      const { ownerReferences, finalizers } = (await pods.get("early")).metadata!;
      return [ownerReferences?.map(({ name }) => name), finalizers];
    };
    expect(await read()).toEqual([["work"], ["batch.kubernetes.io/job-tracking"]]);
    await pods.patch("early", { type: "merge", patch: { metadata: { labels: { app: "other" } } } });
    await cluster.settled();
    expect(await read()).toEqual([undefined, undefined]);
    await pods.patch("early", { type: "merge", patch: { metadata: { labels: { app: "work" } } } });
    await cluster.settled();
    await endPod(cluster, { exitCode: 0 });
    expect(conditionsOf(await readJob(cluster))).toContain("Complete=True CompletionsReached");
  });

  it("keeps the other pods of a work queue after the first success, also if it becomes narrower", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { parallelism: 3 });
    await endPod(cluster, { exitCode: 0 });
    const patch = { spec: { parallelism: 1 } };
    await cluster.client.resource(Job).namespace("default").patch("work", { type: "merge", patch });
    await cluster.advance("1m");
    expect(await podCount(cluster)).toBe(2);
  });

  it("counts the pods that it creates as active in the same write", async () => {
    await using cluster = await createTestCluster();
    const jobs = cluster.client.resource(Job).namespace("default");
    const { resourceVersion } = (await jobs.list()).metadata;
    await createJob(cluster, { completions: 3, parallelism: 2 });
    const counts: (number | undefined)[] = [];
    for await (const { type, object } of jobs.watch({ resourceVersion: resourceVersion! })) {
      if (type !== "MODIFIED") continue;
      counts.push(object.status?.active);
      if (object.status?.active === 2) break;
    }
    expect(counts).toEqual([2]);
  });

  it("runs its pods in parallel, counts each once and completes", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { completions: 3, parallelism: 2 });
    expect([await podCount(cluster), (await readJob(cluster)).status]).toMatchObject([
      2,
      { active: 2, ready: 0, terminating: 0, startTime: "2026-01-01T00:00:00Z" },
    ]);
    await endPod(cluster, { exitCode: 0 });
    expect([await podCount(cluster), (await readJob(cluster)).status]).toMatchObject([2, { active: 2, succeeded: 1 }]);
    await endPod(cluster, { exitCode: 0 });
    expect(await podCount(cluster)).toBe(1);
    await cluster.advance("30s");
    await endPod(cluster, { exitCode: 0 });
    const job = await readJob(cluster);
    expect(job.status).toMatchObject({
      succeeded: 3,
      completionTime: "2026-01-01T00:00:30Z",
      uncountedTerminatedPods: {},
    });
    expect(job.status?.active).toBeUndefined();
    expect(conditionsOf(job)).toEqual([
      "SuccessCriteriaMet=True CompletionsReached",
      "Complete=True CompletionsReached",
    ]);
    const { items } = await cluster.client.resource(Pod).namespace("default").list();
    expect(items.map(({ metadata }) => metadata?.finalizers ?? [])).toEqual([[], [], []]);
  });

  it("counts a failed pod once for its pauses, however often its status can't be written", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { backoffLimit: 3 });
    const conflict = { type: "status", code: 409, reason: "Conflict" } as const;
    cluster.server.faults.add({ match: { verb: "update", resource: "jobs" }, effect: conflict, times: 4 });
    await endPod(cluster, { exitCode: 1 });
    await cluster.advance(15_000);
    expect((await readJob(cluster)).status?.failed).toBe(1);
    expect(await podCount(cluster)).toBe(1);
  });

  it("replaces failed pods after 10, 20 and 40 s, and fails beyond its backoff limit", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { backoffLimit: 2 });
    for (const pauseSeconds of [10, 20]) {
      await endPod(cluster, { exitCode: 1 });
      await cluster.advance((pauseSeconds - 1) * 1_000);
      expect(await podCount(cluster)).toBe(0);
      await cluster.advance("2s");
      expect(await podCount(cluster)).toBe(1);
    }
    await endPod(cluster, { exitCode: 1 });
    const job = await readJob(cluster);
    expect(job.status).toMatchObject({ failed: 3 });
    expect(conditionsOf(job)).toEqual(["FailureTarget=True BackoffLimitExceeded", "Failed=True BackoffLimitExceeded"]);
  });

  it("fails when its backoff limit is lowered below its failures", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { backoffLimit: 3 });
    await endPod(cluster, { exitCode: 1 });
    await cluster.advance("11s");
    const jobs = cluster.client.resource(Job).namespace("default");
    await jobs.patch("work", { type: "merge", patch: { spec: { backoffLimit: 0 } } });
    await cluster.settled();
    expect(conditionsOf(await readJob(cluster))).toContain("FailureTarget=True BackoffLimitExceeded");
  });

  it("ends when its deadline is over, and deletes what still runs", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { activeDeadlineSeconds: 60, parallelism: 2 });
    await cluster.advance("59s");
    expect(await podCount(cluster)).toBe(2);
    await cluster.advance("2s");
    const job = await readJob(cluster);
    expect(conditionsOf(job)).toEqual(["FailureTarget=True DeadlineExceeded", "Failed=True DeadlineExceeded"]);
    expect([await podCount(cluster), job.status?.failed]).toEqual([0, 2]);
  });

  it("doesn't count an index as failed because its pod was deleted at the deadline", () => {
    const pod: Pod = {
      metadata: {
        name: "work-0",
        uid: "1",
        annotations: { "batch.kubernetes.io/job-completion-index": "0" },
        finalizers: ["batch.kubernetes.io/job-tracking"],
        deletionTimestamp: "2026-01-01T00:01:00Z",
      },
      status: { phase: "Running" },
    };
    const spec = { completionMode: "Indexed", completions: 1, backoffLimitPerIndex: 0, template: {} } as const;
    expect(tally({ spec } as Job, [pod]).indexes.failed).toEqual(new Set([0]));
    const status = { uncountedTerminatedPods: { failed: ["1"] } };
    expect(tally({ spec, status } as Job, [pod]).indexes.failed).toEqual(new Set());
  });

  it("ends when its deadline is over, even if a quota refuses its pods", async () => {
    await using cluster = await createTestCluster();
    const quotas = cluster.client.resource(ResourceQuota).namespace("default");
    await quotas.create({ metadata: { name: "none" }, spec: { hard: { pods: "0" } } });
    await cluster.settled();
    await createJob(cluster, { activeDeadlineSeconds: 60 });
    await cluster.advance("59s");
    expect(conditionsOf(await readJob(cluster))).toEqual([]);
    await cluster.advance("2s");
    expect(conditionsOf(await readJob(cluster))).toContain("Failed=True DeadlineExceeded");
  });

  it("doesn't count pods that its namespace refuses because it is being deleted", async () => {
    await using cluster = await createTestCluster();
    const { client } = cluster;
    const metadata = { name: "work", finalizers: ["example.com/hold"] };
    const spec = { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] };
    const jobs = client.resource(Job).namespace("going");
    await client.resource(Namespace).create({ metadata: { name: "going" } });
    await jobs.create({ metadata, spec: { template: { spec } } });
    await client.resource(Pod).namespace("going").create({ metadata, spec });
    await cluster.settled();
    expect((await jobs.get("work")).status?.active).toBe(1);
    await client.resource(Namespace).delete("going");
    await cluster.advance("1m");
    expect((await jobs.get("work")).status?.active).toBeUndefined();
  });

  it("lets its pods end, and replaces none, while its own finalizer delays its deletion", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { parallelism: 2, completions: 3 });
    const jobs = cluster.client.resource(Job).namespace("default");
    await jobs.patch("work", { type: "merge", patch: { metadata: { finalizers: ["example.com/hold"] } } });
    await jobs.delete("work", { propagationPolicy: "Background" });
    await cluster.settled();
    const { items } = await cluster.client.resource(Pod).namespace("default").list();
    expect(items.map(({ metadata }) => metadata?.finalizers)).toEqual([undefined, undefined]);
    expect((await readJob(cluster)).status?.active).toBe(2);
    for (const exitCode of [0, 1]) await endPod(cluster, { exitCode });
    await jobs.patch("work", { type: "merge", patch: { spec: { suspend: true } } });
    await cluster.advance("1m");
    const { active, succeeded, failed, conditions } = (await readJob(cluster)).status!;
    expect([active, succeeded, failed, conditions]).toEqual([undefined, undefined, undefined, undefined]);
    expect(await podCount(cluster)).toBe(0);
  });

  it("warns about more succeeded pods than it needs", async () => {
    await using cluster = await createTestCluster();
    const { client } = cluster;
    const template = {
      metadata: { labels: { app: "work" } },
      spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] },
    };
    for (const name of ["a", "b"]) {
      await client
        .resource(Pod)
        .namespace("default")
        .create({ ...template, metadata: { ...template.metadata, name } });
      await endPod(cluster, { exitCode: 0 });
    }
    const spec = { manualSelector: true, selector: { matchLabels: { app: "work" } }, template };
    await client
      .resource(Job)
      .namespace("default")
      .create({ metadata: { name: "work" }, spec });
    await cluster.settled();
    expect((await readJob(cluster)).status?.succeeded).toBe(2);
    const reasons = (await cluster.events()).filter(({ object }) => object === "Job/work").map(({ reason }) => reason);
    expect(reasons).toEqual(["TooManySucceededPods", "Completed"]);
  });

  it("deletes its pods while it is suspended, and starts again afterwards", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { parallelism: 2, completions: 2 });
    const jobs = cluster.client.resource(Job).namespace("default");
    await jobs.patch("work", { type: "merge", patch: { spec: { suspend: true } } });
    await cluster.settled();
    const suspended = await readJob(cluster);
    expect([await podCount(cluster), conditionsOf(suspended)]).toEqual([0, ["Suspended=True JobSuspended"]]);
    expect([suspended.status?.failed, suspended.status?.startTime]).toEqual([undefined, undefined]);
    await cluster.advance("1m");
    await jobs.patch("work", { type: "merge", patch: { spec: { suspend: false } } });
    await cluster.settled();
    const resumed = await readJob(cluster);
    expect([await podCount(cluster), conditionsOf(resumed)]).toEqual([2, ["Suspended=False JobResumed"]]);
    expect(resumed.status?.startTime).toBe("2026-01-01T00:01:00Z");
  });

  it("runs one pod for each index and remembers the completed ones", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { completions: 4, parallelism: 3, completionMode: "Indexed" });
    const { items } = await cluster.client.resource(Pod).namespace("default").list();
    expect(
      items.map(({ metadata, spec }) => [metadata?.generateName, spec?.hostname, spec?.containers[0]?.env?.[0]?.name]),
    ).toEqual([0, 1, 2].map((index) => [`work-${index}-`, `work-${index}`, "JOB_COMPLETION_INDEX"]));
    for (const index of [2, 0, 3]) await endPod(cluster, { exitCode: 0 }, index);
    expect((await readJob(cluster)).status).toMatchObject({ completedIndexes: "0,2,3", succeeded: 3, active: 1 });
    await endPod(cluster, { exitCode: 0 }, 1);
    expect((await readJob(cluster)).status).toMatchObject({ completedIndexes: "0-3", succeeded: 4 });
  });

  it("keeps the lowest indexes when an indexed Job shrinks", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { completionMode: "Indexed", completions: 5, parallelism: 5 });
    const patch = { spec: { completions: 2, parallelism: 2 } };
    await cluster.client.resource(Job).namespace("default").patch("work", { type: "merge", patch });
    await cluster.advance("1m");
    const { items } = await cluster.client.resource(Pod).namespace("default").list();
    expect(items.map(({ metadata }) => metadata?.labels?.["batch.kubernetes.io/job-completion-index"]).sort()).toEqual([
      "0",
      "1",
    ]);
    await endPod(cluster, { exitCode: 0 }, 0);
    await endPod(cluster, { exitCode: 0 }, 1);
    expect((await readJob(cluster)).status).toMatchObject({ completedIndexes: "0,1", succeeded: 2 });
  });

  it("gives up an index after its own limit, and goes on with the others", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 1 });
    for (let failure = 0; failure < 2; failure++) {
      await endPod(cluster, { exitCode: 1 }, 1);
      await cluster.advance("1m");
    }
    expect((await readJob(cluster)).status).toMatchObject({ failed: 2, failedIndexes: "1", active: 1 });
    await endPod(cluster, { exitCode: 0 }, 0);
    const job = await readJob(cluster);
    expect(conditionsOf(job)).toEqual(["FailureTarget=True FailedIndexes", "Failed=True FailedIndexes"]);
    expect(job.status).toMatchObject({ completedIndexes: "0", failedIndexes: "1", succeeded: 1, failed: 2 });
  });

  it("counts a deleted pod as a failure of its index", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 1 });
    const pods = cluster.client.resource(Pod).namespace("default");
    const labelSelector = "batch.kubernetes.io/job-completion-index=1";
    await pods.deleteCollection({ labelSelector });
    await cluster.advance("9s");
    expect([(await readJob(cluster)).status?.failed, await podCount(cluster)]).toEqual([undefined, 1]);
    await cluster.advance("2m");
    const [replacement] = (await pods.list({ labelSelector })).items;
    expect(replacement?.metadata?.annotations).toMatchObject({ "batch.kubernetes.io/job-index-failure-count": "1" });
    expect((await readJob(cluster)).status).toMatchObject({ failed: 1, active: 2, failedIndexes: "" });
    await pods.deleteCollection({ labelSelector });
    await cluster.advance("2m");
    expect((await readJob(cluster)).status).toMatchObject({ failed: 2, active: 1, failedIndexes: "1" });
  });

  it("follows the pod failure policy: fails at an exit code, ignores a disruption", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, {
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
        ],
      },
    });
    await endPod(cluster, { exitCode: 137, condition: { type: "DisruptionTarget", status: "True" } });
    expect([await podCount(cluster), (await readJob(cluster)).status?.failed]).toEqual([1, undefined]);
    await endPod(cluster, { exitCode: 42 });
    const job = await readJob(cluster);
    expect(conditionsOf(job)).toEqual(["FailureTarget=True PodFailurePolicy", "Failed=True PodFailurePolicy"]);
    expect(job.status?.conditions?.[0]?.message).toMatch(
      /^Container main for pod default\/work-\S+ failed with exit code 42 matching FailJob rule at index 1$/,
    );
  });

  it("completes early when its success policy is met", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, {
      completions: 3,
      parallelism: 3,
      completionMode: "Indexed",
      successPolicy: { rules: [{ succeededIndexes: "0", succeededCount: 1 }] },
    });
    await endPod(cluster, { exitCode: 0 }, 0);
    const job = await readJob(cluster);
    expect(conditionsOf(job)).toEqual(["SuccessCriteriaMet=True SuccessPolicy", "Complete=True SuccessPolicy"]);
    expect(await podCount(cluster)).toBe(0);
  });

  it("releases its pods when it is deleted", async () => {
    await using cluster = await createTestCluster();
    await createJob(cluster, { parallelism: 2 });
    await cluster.client.resource(Job).namespace("default").delete("work", { propagationPolicy: "Background" });
    await cluster.advance("1s");
    expect((await cluster.client.resource(Pod).namespace("default").list()).items).toEqual([]);
  });
});

describe("the pauses of a Job", () => {
  const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
  const pod = (
    uid: string,
    phase: "Failed" | "Succeeded" | "deleted",
    status: PodStatus = {},
    spec: Partial<PodSpec> = {},
  ): Pod => ({
    metadata: {
      uid,
      name: uid,
      creationTimestamp: at(0),
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ...(phase === "deleted" && { deletionTimestamp: at(50) }),
    },
    spec: { containers: [], ...spec },
    status: { ...status, phase: phase === "deleted" ? "Running" : phase },
  });
  const ended = (name: string, second: number): ContainerStatus => ({
    name,
    image: "work:1",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 1, finishedAt: at(second) } },
  });
  const unready = { conditions: [{ type: "Ready", status: "False" as const, lastTransitionTime: at(20) }] };
  const sidecar = { initContainers: [{ name: "proxy", image: "proxy:1", restartPolicy: "Always" as const }] };

  it.each<[string, Pod[], { count: number; second: number }]>([
    ["the last container", [pod("a", "Failed", { containerStatuses: [ended("main", 5)] })], { count: 1, second: 5 }],
    [
      "a sidecar",
      [
        pod(
          "a",
          "Failed",
          { containerStatuses: [ended("main", 5)], initContainerStatuses: [ended("proxy", 7), ended("setup", 9)] },
          sidecar,
        ),
      ],
      { count: 1, second: 7 },
    ],
    ["the readiness of a pod on a lost node", [pod("a", "deleted", unready)], { count: 1, second: 20 }],
    ["a deletion", [pod("a", "deleted")], { count: 1, second: 50 }],
    [
      "only the failures after a success",
      [
        pod("a", "Failed", { containerStatuses: [ended("main", 5)] }),
        pod("b", "Succeeded", { containerStatuses: [ended("main", 6)] }),
        pod("c", "Failed", { containerStatuses: [ended("main", 8)] }),
      ],
      { count: 1, second: 8 },
    ],
  ])("count from %s", (_, pods, { count, second }) => {
    const template = { spec: { restartPolicy: "Never" as const, containers: [] } };
    const counted = tally({ metadata: { name: "work" }, spec: { template } }, pods);
    expect(createBackOff().count("uid", counted)).toEqual({ count, lastMs: Date.parse(at(second)) });
  });
});

describe("completion indexes", () => {
  it.each<[string, number[]]>([
    ["", []],
    ["7", [7]],
    ["1,3-5,7", [1, 3, 4, 5, 7]],
    ["0,1", [0, 1]],
    ["0-2", [2, 0, 1]],
  ])("are written as %j", (text, indexes) => {
    expect(formatIndexes(indexes)).toBe(text);
    expect([...parseIndexes(text)].sort((a, b) => a - b)).toEqual([...indexes].sort((a, b) => a - b));
  });

  it("leave out what is beyond the number of completions, however long the range", () => {
    expect([...parseIndexes("1,3-900000000", 5)]).toEqual([1, 3, 4]);
  });
});
