import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { CustomResourceDefinition } from "../../../../../src/kinds/apiextensions/v1.js";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../../../src/kinds/apps/v1.js";
import { Pod, type PodCondition } from "../../../../../src/kinds/core/v1.js";
import { PodDisruptionBudget, type PodDisruptionBudgetSpec } from "../../../../../src/kinds/policy/v1.js";
import { defineKind } from "../../../../../src/meta/define-kind.js";
import { formatTime } from "../../../../../src/meta/time.js";
import { ownerReference } from "../../../../../src/objects/owner-references.js";
import { evict } from "../../../../../src/operations/evict.js";

async function start(replicas: number, spec: PodDisruptionBudgetSpec): Promise<Cluster> {
  const cluster = await createCluster({ time: "virtual", seed: 1 });
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  const selector = { matchLabels: { app: "web" } };
  await cluster.client
    .resource(Deployment)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { replicas, selector, template } });
  await cluster.client
    .resource(PodDisruptionBudget)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { selector, ...spec } });
  await cluster.settled();
  return cluster;
}

async function budget(cluster: Cluster): Promise<string> {
  await cluster.settled();
  const { status } = await cluster.client.resource(PodDisruptionBudget).namespace("default").get("web");
  const [condition] = status!.conditions!;
  return `${status!.disruptionsAllowed} allowed, ${status!.currentHealthy} of ${status!.expectedPods} healthy, ${status!.desiredHealthy} desired, ${condition!.reason}`;
}

const Group = defineKind<{ replicas: number }>()({
  group: "example.com",
  version: "v1",
  kind: "Group",
  plural: "groups",
  scope: "Namespaced",
});

describe("a PodDisruptionBudget", () => {
  const rows: readonly [replicas: number, spec: PodDisruptionBudgetSpec, expected: string][] = [
    [3, { minAvailable: 2 }, "1 allowed, 3 of 3 healthy, 2 desired, SufficientPods"],
    [3, { minAvailable: 3 }, "0 allowed, 3 of 3 healthy, 3 desired, InsufficientPods"],
    [3, { minAvailable: "50%" }, "1 allowed, 3 of 3 healthy, 2 desired, SufficientPods"],
    [3, { maxUnavailable: 1 }, "1 allowed, 3 of 3 healthy, 2 desired, SufficientPods"],
    [3, { maxUnavailable: "34%" }, "2 allowed, 3 of 3 healthy, 1 desired, SufficientPods"],
    [3, {}, "0 allowed, 3 of 0 healthy, 0 desired, InsufficientPods"],
    [0, { maxUnavailable: 1 }, "0 allowed, 0 of 0 healthy, 0 desired, InsufficientPods"],
  ];
  it.each(rows)("of %i pods with %j counts what it allows", async (replicas, spec, expected) => {
    await using cluster = await start(replicas, spec);
    expect(await budget(cluster)).toBe(expected);
  });

  it("keeps a pod of two budgets from being evicted, and says so", async () => {
    await using cluster = await start(2, { maxUnavailable: 1 });
    const selector = { matchLabels: { app: "web" } };
    await cluster.client
      .resource(PodDisruptionBudget)
      .namespace("default")
      .create({ metadata: { name: "other" }, spec: { selector, maxUnavailable: 1 } });
    await cluster.settled();
    const pods = cluster.client.resource(Pod).namespace("default");
    const name = (await pods.list()).items[0]!.metadata!.name!;
    await expect(evict(pods, name)).rejects.toMatchObject({
      status: { code: 500, message: expect.stringContaining("more than one") },
    });
    await pods.patch(name, { type: "merge", patch: { metadata: { annotations: { changed: "yes" } } } });
    await cluster.settled();
    expect((await cluster.events(`default/${name}`)).map(({ reason }) => reason)).toContain(
      "MultiplePodDisruptionBudgets",
    );
  });

  it("lets one pod be evicted, refuses the next one, and allows it when the first is replaced", async () => {
    await using cluster = await start(3, { minAvailable: 2 });
    const pods = cluster.client.resource(Pod).namespace("default");
    const { items } = await pods.list();
    const [first, second] = items.map(({ metadata }) => metadata!.name!);
    await evict(pods, first!);
    await expect(evict(pods, second!)).rejects.toThrow(/disruption budget/);
    await cluster.advance("1m");
    expect(await budget(cluster)).toBe("1 allowed, 3 of 3 healthy, 2 desired, SufficientPods");
    await evict(pods, second!);
  });

  it("allows the next eviction as soon as another pod has the name of the evicted one", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image: "db:1" }] } };
    const selector = { matchLabels: { app: "db" } };
    const sets = cluster.client.resource(StatefulSet).namespace("default");
    await sets.create({ metadata: { name: "db" }, spec: { replicas: 3, serviceName: "db", selector, template } });
    const budgets = cluster.client.resource(PodDisruptionBudget).namespace("default");
    await budgets.create({ metadata: { name: "db" }, spec: { selector, maxUnavailable: 1 } });
    await cluster.settled();
    await evict(cluster.client.resource(Pod).namespace("default"), "db-1", { gracePeriodSeconds: 0 });
    await cluster.settled();
    const { status } = await budgets.get("db");
    expect(status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
    expect(status).not.toHaveProperty("disruptedPods");
  });

  it("allows the next eviction soon if it sees the successor of an evicted pod, but not that one's end", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
    const selector = { matchLabels: { app: "web" } };
    const spec = { replicas: 2, selector, template, serviceName: "web" };
    await cluster.client
      .resource(StatefulSet)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec });
    const budgets = cluster.client.resource(PodDisruptionBudget).namespace("default");
    await budgets.create({ metadata: { name: "web" }, spec: { selector, maxUnavailable: 1 } });
    await cluster.advance("10s");
    cluster.controllers.pause("disruption");
    await evict(cluster.client.resource(Pod).namespace("default"), "web-0");
    await cluster.settled();
    cluster.controllers.resume("disruption");
    await cluster.advance("3s");
    const { status } = await budgets.get("web");
    expect(status).not.toHaveProperty("disruptedPods");
    expect(status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 2 });
  });

  it.each([
    { ago: "three minutes", evictedMs: 180_000, reasons: ["NotDeleted"] },
    { ago: "one minute", evictedMs: 60_000, reasons: [] },
  ])("records NotDeleted about a pod that was evicted $ago ago: $reasons", async ({ evictedMs, reasons }) => {
    await using cluster = await start(1, { minAvailable: 0 });
    await cluster.advance("10m");
    const pods = cluster.client.resource(Pod).namespace("default");
    const name = (await pods.list()).items[0]!.metadata!.name!;
    const status = { disruptedPods: { [name]: formatTime(cluster.now() - evictedMs) } };
    const budgets = cluster.client.resource(PodDisruptionBudget).namespace("default");
    await budgets.subresource("status").patch("web", { type: "merge", patch: { status } as object });
    await cluster.settled();
    const events = await cluster.events(`default/${name}`);
    expect(events.map(({ reason }) => reason).filter((reason) => reason === "NotDeleted")).toEqual(reasons);
  });

  it("of a DaemonSet allows none if it depends on the number of replicas, and says why", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
    const selector = { matchLabels: { app: "web" } };
    const sets = cluster.client.resource(DaemonSet).namespace("default");
    await sets.create({ metadata: { name: "web" }, spec: { selector, template } });
    const budgets = cluster.client.resource(PodDisruptionBudget).namespace("default");
    await budgets.create({ metadata: { name: "web" }, spec: { selector, maxUnavailable: 1 } });
    await cluster.settled();
    expect((await budgets.get("web")).status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ reason: "SyncFailed", message: "daemonsets.apps does not implement the scale subresource" }],
    });
  });

  it("counts pods that aren't ready against it", async () => {
    await using cluster = await start(3, { minAvailable: 2 });
    const { items } = await cluster.client.resource(Pod).namespace("default").list();
    await cluster
      .pods({ name: items[0]!.metadata!.name! })
      .failProbe("readiness")
      .catch(() => undefined);
    await cluster.pods({ name: items[0]!.metadata!.name! }).crash();
    expect(await budget(cluster)).toBe("0 allowed, 2 of 3 healthy, 2 desired, InsufficientPods");
  });

  const owners: readonly [string, { scalable: boolean; owned: "Pod" | "ReplicaSet" }, expected: string][] = [
    [
      "a custom resource with replicas",
      { scalable: true, owned: "Pod" },
      "0 allowed, 1 of 3 healthy, 2 desired, InsufficientPods",
    ],
    [
      "a ReplicaSet of a custom resource",
      { scalable: true, owned: "ReplicaSet" },
      "1 allowed, 2 of 2 healthy, 1 desired, SufficientPods",
    ],
    [
      "a custom resource without replicas",
      { scalable: false, owned: "Pod" },
      "0 allowed, 0 of 0 healthy, 0 desired, SyncFailed",
    ],
  ];
  it.each(owners)("of the pods of %s counts what its owner wants", async (_, { scalable, owned }, expected) => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const { client } = cluster;
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
    await client.resource(CustomResourceDefinition).create({
      metadata: { name: "groups.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "groups", kind: "Group" },
        versions: [{ ...version, subresources: { status: {}, ...(scalable && { scale }) } }],
      },
    });
    await cluster.settled();
    const owner = await client
      .resource(Group)
      .namespace("default")
      .create({ metadata: { name: "group" }, spec: { replicas: 3 } });
    const labels = { app: "web" };
    const metadata = { name: "web", labels, ownerReferences: [ownerReference(owner, { controller: true })] };
    const spec = { containers: [{ name: "main", image: "web:1" }] };
    const selector = { matchLabels: labels };
    if (owned === "Pod") await client.resource(Pod).namespace("default").create({ metadata, spec });
    else
      await client
        .resource(ReplicaSet)
        .namespace("default")
        .create({ metadata, spec: { replicas: 2, selector, template: { metadata: { labels }, spec } } });
    await client
      .resource(PodDisruptionBudget)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec: { selector, maxUnavailable: 1 } });
    expect(await budget(cluster)).toBe(expected);
  });
});

describe("the condition DisruptionTarget of a pod that isn't deleted", () => {
  async function disrupted(reason: string): Promise<Cluster> {
    const cluster = await createCluster({ time: "virtual", seed: 1 });
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "web:1" }] } });
    await cluster.settled();
    const lastTransitionTime = formatTime(cluster.now());
    await pods.subresource("status").update("web", (pod) => {
      pod.status!.conditions!.unshift({ type: "DisruptionTarget", status: "True", reason, lastTransitionTime });
    });
    return cluster;
  }

  async function condition(cluster: Cluster): Promise<PodCondition | undefined> {
    const { status } = await cluster.client.resource(Pod).namespace("default").get("web");
    return status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  }

  it("is False after two minutes, without a reason", async () => {
    await using cluster = await disrupted("PreemptionByScheduler");
    await cluster.advance("119s");
    expect(await condition(cluster)).toMatchObject({ status: "True" });
    await cluster.advance("1s");
    expect(await condition(cluster)).toMatchObject({ status: "False", observedGeneration: 1 });
    expect(await condition(cluster)).not.toHaveProperty("reason");
  });

  it("stays True if the kubelet ends the pod", async () => {
    await using cluster = await disrupted("TerminationByKubelet");
    await cluster.advance("5m");
    expect(await condition(cluster)).toMatchObject({ status: "True" });
  });

  it("stays True while the controller is paused", async () => {
    await using cluster = await disrupted("PreemptionByScheduler");
    cluster.controllers.pause("disruption");
    await cluster.advance("5m");
    expect(await condition(cluster)).toMatchObject({ status: "True" });
    cluster.controllers.resume("disruption");
    await cluster.settled();
    expect(await condition(cluster)).toMatchObject({ status: "False" });
  });
});
