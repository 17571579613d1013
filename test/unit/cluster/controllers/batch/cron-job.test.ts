import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { CronJob, type CronJobSpec, Job } from "../../../../../src/kinds/batch/v1.js";
import { Pod } from "../../../../../src/kinds/core/v1.js";
import { Event } from "../../../../../src/kinds/events/v1.js";

// The cluster has no nodes, so the tests decide how the pods end. It starts at 2026-01-01T00:00:00Z.
const createTestCluster = (): Promise<Cluster> => createCluster({ nodes: 0, time: "virtual", seed: 1 });

async function createCronJob(cluster: Cluster, spec: Omit<CronJobSpec, "jobTemplate">): Promise<void> {
  const pod = { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] };
  await cluster.client
    .resource(CronJob)
    .namespace("default")
    .create({
      metadata: { name: "tick" },
      spec: { ...spec, jobTemplate: { spec: { template: { spec: pod } } } },
    });
  await cluster.settled();
}

/** Returns the minutes of 2026 at which the existing Jobs were scheduled. */
async function jobMinutes(cluster: Cluster): Promise<number[]> {
  const { items } = await cluster.client.resource(Job).namespace("default").list();
  const start = Date.UTC(2026, 0, 1) / 60_000;
  return items.map(({ metadata }) => Number(metadata!.name!.slice("tick-".length)) - start).sort((a, b) => a - b);
}

async function readCronJob(cluster: Cluster): Promise<CronJob> {
  return await cluster.client.resource(CronJob).namespace("default").get("tick");
}

/** Returns the notes of the events about the CronJob. */
async function notes(cluster: Cluster): Promise<(string | undefined)[]> {
  const { items } = await cluster.client.resource(Event).namespace("default").list();
  return items
    .filter(({ regarding }) => regarding?.kind === "CronJob")
    .sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1))
    .map(({ note }) => note);
}

async function endPods(cluster: Cluster, phase: "Succeeded" | "Failed"): Promise<void> {
  const handle = cluster.client.resource(Pod).namespace("default");
  for (const pod of (await handle.list()).items)
    if (pod.status?.phase === "Pending") await handle.subresource("status").update({ ...pod, status: { phase } });
  await cluster.settled();
}

describe("CronJob in a cluster", () => {
  it("starts a Job at each time of its schedule, and keeps the last three that completed", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "*/10 * * * *" });
    for (let time = 0; time < 5; time++) {
      await cluster.advance("10m");
      await endPods(cluster, "Succeeded");
    }
    expect(await jobMinutes(cluster)).toEqual([30, 40, 50]);
    const { status } = await readCronJob(cluster);
    expect(status).toMatchObject({
      lastScheduleTime: "2026-01-01T00:50:00Z",
      lastSuccessfulTime: "2026-01-01T00:50:00Z",
    });
    expect(status?.active).toBeUndefined();
  });

  it.each<[NonNullable<CronJobSpec["concurrencyPolicy"]>, number[]]>([
    ["Allow", [1, 2, 3]],
    ["Forbid", [1]],
    ["Replace", [3]],
  ])("with the policy %s has the Jobs of the minutes %j while none ends", async (concurrencyPolicy, minutes) => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "* * * * *", concurrencyPolicy });
    await cluster.advance("3m30s");
    expect(await jobMinutes(cluster)).toEqual(minutes);
    expect((await readCronJob(cluster)).status?.active).toHaveLength(minutes.length);
  });

  it("reports a Job that someone else created for it, and doesn't count it as active", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 0 1 1 *" });
    const { metadata, spec } = await readCronJob(cluster);
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "tick", uid: metadata!.uid!, controller: true };
    await cluster.client
      .resource(Job)
      .namespace("default")
      .create({ metadata: { name: "manual", ownerReferences: [owner] }, spec: spec.jobTemplate.spec! });
    await cluster.settled();
    await endPods(cluster, "Succeeded");
    const { items } = await cluster.client.resource(Event).namespace("default").list();
    expect(items.filter(({ regarding }) => regarding?.kind === "CronJob").map(({ note }) => note)).toEqual([
      "Saw a job that the controller did not create or forgot: manual",
    ]);
    expect((await readCronJob(cluster)).status?.active).toBeUndefined();
  });

  it("keeps a Job without its owner in the list of active ones until it's gone", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 * * * *" });
    await cluster.advance("1h");
    const jobs = cluster.client.resource(Job).namespace("default");
    const { name } = (await jobs.list()).items[0]!.metadata!;
    await jobs.patch(name!, { type: "merge", patch: { metadata: { ownerReferences: null } } });
    await cluster.settled();
    expect((await readCronJob(cluster)).status?.active).toHaveLength(1);
    await jobs.delete(name!, { propagationPolicy: "Background" });
    await cluster.advance("1h");
    expect((await readCronJob(cluster)).status?.active?.map((each) => each.name)).not.toContain(name);
  });

  it("starts one Job for all the times that it missed while it was suspended", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "* * * * *", suspend: true });
    await cluster.advance("5h");
    expect(await jobMinutes(cluster)).toEqual([]);
    const handle = cluster.client.resource(CronJob).namespace("default");
    await handle.patch("tick", { type: "merge", patch: { spec: { suspend: false } } });
    await cluster.settled();
    expect(await jobMinutes(cluster)).toEqual([300]);
    const { items } = await cluster.client.resource(Event).namespace("default").list();
    expect(items.find(({ reason }) => reason === "TooManyMissedTimes")?.note).toBe(
      "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    );
  });

  it("doesn't start a Job after its starting deadline", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 * * * *", suspend: true, startingDeadlineSeconds: 60 });
    await cluster.advance("90m");
    const handle = cluster.client.resource(CronJob).namespace("default");
    await handle.patch("tick", { type: "merge", patch: { spec: { suspend: false } } });
    await cluster.advance("1m");
    expect(await jobMinutes(cluster)).toEqual([]);
    await cluster.advance("30m");
    expect(await jobMinutes(cluster)).toEqual([120]);
  });

  it("starts no Job for the times of a new schedule that are over", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 0 1 7 *" });
    await cluster.advance("630s");
    const handle = cluster.client.resource(CronJob).namespace("default");
    await handle.patch("tick", { type: "merge", patch: { spec: { schedule: "* * * * *" } } });
    await cluster.advance("20s");
    expect(await jobMinutes(cluster)).toEqual([]);
    await cluster.advance("1m");
    expect(await jobMinutes(cluster)).toEqual([11]);
  });

  it.each([
    ["Asia/Tokyo", 23, "2026-01-02T08:00:00+09:00"],
    ["America/St_Johns", 11.5, "2026-01-01T08:00:00-03:30"],
    ["UTC", 8, "2026-01-01T08:00:00Z"],
    [undefined, 8, "2026-01-01T08:00:00Z"],
  ])("follows the clocks of the time zone %s", async (timeZone, hours, scheduled) => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 8 * * *", ...(timeZone && { timeZone }) });
    await cluster.advance("23h30m");
    expect(await jobMinutes(cluster)).toEqual([hours * 60]);
    const [job] = (await cluster.client.resource(Job).namespace("default").list()).items;
    expect(job?.metadata?.annotations).toEqual({ "batch.kubernetes.io/cronjob-scheduled-timestamp": scheduled });
  });

  it("reports the deletion, and not the end, of a Job that its history doesn't keep", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 * * * *", successfulJobsHistoryLimit: 0 });
    await cluster.advance("1h");
    await endPods(cluster, "Succeeded");
    expect(await notes(cluster)).toEqual(["Created job tick-29453820", "Deleted job tick-29453820"]);
    const { status } = await readCronJob(cluster);
    expect(status).toEqual({
      lastScheduleTime: "2026-01-01T01:00:00Z",
      lastSuccessfulTime: "2026-01-01T01:00:00Z",
    });
  });

  it("starts the next Job although the server refuses to delete an old one, and reports that", async () => {
    await using cluster = await createTestCluster();
    cluster.server.faults.add({ match: { verb: "delete", resource: "jobs" }, effect: { type: "status", code: 403 } });
    await createCronJob(cluster, { schedule: "0 * * * *", successfulJobsHistoryLimit: 0 });
    await cluster.advance("1h");
    await endPods(cluster, "Succeeded");
    await cluster.advance("1h");
    expect(await jobMinutes(cluster)).toEqual([60, 120]);
    expect((await notes(cluster)).filter((note) => note?.startsWith("Deleted job: "))).not.toEqual([]);
  });

  it("waits for its next change if another program has created a Job with the name of a time", async () => {
    await using cluster = await createTestCluster();
    const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] } };
    const jobs = cluster.client.resource(Job).namespace("default");
    await jobs.create({ metadata: { name: "tick-29453820" }, spec: { template } });
    await createCronJob(cluster, { schedule: "0 * * * *" });
    await cluster.advance("150m");
    expect((await readCronJob(cluster)).status?.lastScheduleTime).toBeUndefined();
    const handle = cluster.client.resource(CronJob).namespace("default");
    await handle.patch("tick", { type: "merge", patch: { metadata: { labels: { changed: "yes" } } } });
    await cluster.settled();
    expect((await readCronJob(cluster)).status?.lastScheduleTime).toBe("2026-01-01T02:00:00Z");
  });

  it("lists the Job of a time once if a client moves the last time back", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 * * * *" });
    await cluster.advance("1h");
    const status = { lastScheduleTime: "2026-01-01T00:00:00Z" };
    const handle = cluster.client.resource(CronJob).namespace("default");
    await handle.subresource("status").patch("tick", { type: "merge", patch: { status } });
    await cluster.settled();
    expect((await readCronJob(cluster)).status?.active).toHaveLength(1);
  });

  it("starts no Job with a deadline of 0 seconds", async () => {
    await using cluster = await createTestCluster();
    await createCronJob(cluster, { schedule: "0 * * * *", startingDeadlineSeconds: 0 });
    await cluster.advance("3h");
    expect(await jobMinutes(cluster)).toEqual([]);
  });
});
