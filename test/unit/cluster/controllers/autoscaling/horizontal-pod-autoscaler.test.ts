import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { CustomResourceDefinition } from "../../../../../src/kinds/apiextensions/v1.js";
import { Deployment } from "../../../../../src/kinds/apps/v1.js";
import { HorizontalPodAutoscaler, type HorizontalPodAutoscalerSpec } from "../../../../../src/kinds/autoscaling/v2.js";
import { defineKind } from "../../../../../src/meta/define-kind.js";
import { topNodes, topPods } from "../../../../../src/operations/usage.js";

async function createScaled(spec: Partial<HorizontalPodAutoscalerSpec> = {}, cpu = "100m"): Promise<Cluster> {
  const cluster = await createCluster({
    nodes: 3,
    time: "virtual",
    seed: 1,
    images: { "web:*": { usage: { cpu, memory: "64Mi" } } },
  });
  const containers = [{ name: "main", image: "web:1", resources: { requests: { cpu: "100m" } } }];
  const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
  await cluster.client
    .resource(Deployment)
    .namespace("default")
    .create({
      metadata: { name: "web" },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    });
  const target = { type: "Utilization", averageUtilization: 50 };
  await cluster.client
    .resource(HorizontalPodAutoscaler)
    .namespace("default")
    .create({
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
        ...spec,
      },
    });
  await cluster.settled();
  return cluster;
}

const read = async (cluster: Cluster): Promise<HorizontalPodAutoscaler> =>
  cluster.client.resource(HorizontalPodAutoscaler).namespace("default").get("web");
const replicas = async (cluster: Cluster): Promise<number | undefined> =>
  (await cluster.client.resource(Deployment).namespace("default").get("web")).spec?.replicas;
const conditions = ({ status }: HorizontalPodAutoscaler): string[] =>
  (status?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort();

describe("metrics of a cluster", () => {
  it("show what scripts say that containers use, in sum for nodes, until a test sets something else", async () => {
    await using cluster = await createScaled({ maxReplicas: 2 });
    await cluster.advance("10s");
    const usage = async (): Promise<unknown[]> =>
      (await topPods(cluster.client, { namespace: "default" })).map((pod) => pod.usage);
    expect(await usage()).toEqual([
      { cpu: "100m", memory: "64Mi" },
      { cpu: "100m", memory: "64Mi" },
    ]);
    await cluster.pods("app=web").setUsage({ cpu: "250m" });
    expect(await usage()).toEqual([
      { cpu: "250m", memory: "64Mi" },
      { cpu: "250m", memory: "64Mi" },
    ]);
    const nodes = await topNodes(cluster.client);
    expect(nodes.map((node) => node.usage?.["cpu"]).sort()).toEqual(["0", "250m", "250m"]);
    expect(nodes[0]?.allocatable).toMatchObject({ cpu: "8" });
  });
});

describe("HorizontalPodAutoscaler in a cluster", () => {
  it("scales up to the target's utilization", async () => {
    await using cluster = await createScaled();
    await cluster.advance("2m");
    // Two pods at 100 % of their request need four at 50 %, which a script that doesn't react to load never reaches.
    expect(await replicas(cluster)).toBeGreaterThanOrEqual(4);
    const { status } = await read(cluster);
    expect(status?.currentMetrics).toEqual([
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "100m" } } },
    ]);
    const events = await cluster.events("default/web");
    expect(events.filter(({ reason }) => reason === "SuccessfulRescale")[0]?.message).toBe(
      "New size: 4; reason: cpu resource utilization (percentage of request) above target",
    );
  });

  it("acts for the first time 15 seconds after its creation, and then each 15 seconds", async () => {
    await using cluster = await createScaled({ minReplicas: 3, maxReplicas: 3 });
    await cluster.advance("14s");
    expect((await read(cluster)).status?.conditions).toBe(undefined);
    await cluster.advance("1s");
    expect(conditions(await read(cluster))).toEqual(["AbleToScale True SucceededRescale"]);
    await cluster.advance("14s");
    expect(conditions(await read(cluster))).toContain("AbleToScale True SucceededRescale");
    await cluster.advance("1s");
    expect(conditions(await read(cluster))).not.toContain("AbleToScale True SucceededRescale");
  });

  it("doesn't scale pods that another one scales, too", async () => {
    await using cluster = await createScaled();
    const autoscalers = cluster.client.resource(HorizontalPodAutoscaler).namespace("default");
    const { spec } = await autoscalers.get("web");
    await autoscalers.create({ metadata: { name: "other" }, spec });
    await cluster.advance("2m");
    // The first one acts before the selector of the other's target is known.
    expect(await replicas(cluster)).toBe(4);
    expect(conditions(await read(cluster))).toContain("ScalingActive False AmbiguousSelector");
    await autoscalers.delete("other");
    await cluster.advance("2m");
    expect(await replicas(cluster)).toBeGreaterThan(4);
  });

  it("stops at its maximum, and reports that it's limited", async () => {
    await using cluster = await createScaled({ maxReplicas: 3 });
    await cluster.advance("5m");
    expect(await replicas(cluster)).toBe(3);
    expect(conditions(await read(cluster))).toEqual([
      "AbleToScale True ReadyForNewScale",
      "ScalingActive True ValidMetricFound",
      "ScalingLimited True TooManyReplicas",
    ]);
  });

  it("measures the usage of pods by their own requests before those of their containers", async () => {
    await using cluster = await createScaled();
    const patch = { spec: { template: { spec: { resources: { requests: { cpu: "1" } } } } } };
    await cluster.client.resource(Deployment).namespace("default").patch("web", { type: "merge", patch });
    await cluster.advance("2m");
    const [metric] = (await read(cluster)).status?.currentMetrics ?? [];
    expect(metric?.resource?.current).toEqual({ averageUtilization: 10, averageValue: "100m" });
  });

  it("reports that the server refuses its change", async () => {
    await using cluster = await createScaled();
    const effect = { type: "status", code: 403, reason: "Forbidden" } as const;
    cluster.server.faults.add({ match: { verb: "patch", resource: "deployments" }, effect });
    await cluster.advance("1m");
    expect(await replicas(cluster)).toBe(2);
    expect(conditions(await read(cluster))).toContain("AbleToScale False FailedUpdateScale");
    const events = await cluster.events("default/web");
    expect(events.map(({ reason }) => reason)).toContain("FailedRescale");
  });

  it("doesn't scale a custom resource without a selector", async () => {
    await using cluster = await createScaled({
      scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "w" },
    });
    const names = { kind: "Widget", plural: "widgets", singular: "widget" };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const subresources = { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } };
    const versions = [{ name: "v1", served: true, storage: true, schema, subresources }];
    const spec = { group: "example.com", scope: "Namespaced" as const, names, versions };
    await cluster.client.resource(CustomResourceDefinition).create({ metadata: { name: "widgets.example.com" }, spec });
    await cluster.settled();
    const Widget = defineKind<{ replicas: number }>()({
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Namespaced",
    });
    const widgets = cluster.client.resource(Widget).namespace("default");
    await widgets.create({ metadata: { name: "w" }, spec: { replicas: 2 } });
    await cluster.advance("2m");
    expect((await widgets.get("w")).spec?.replicas).toBe(2);
    expect(conditions(await read(cluster))).toContain("ScalingActive False InvalidSelector");
  });

  it("scales down only when the load has been low for five minutes", async () => {
    await using cluster = await createScaled({ maxReplicas: 4 });
    await cluster.advance("5m");
    expect(await replicas(cluster)).toBe(4);
    await cluster.pods("app=web").setUsage({ cpu: "10m" });
    await cluster.advance("4m");
    expect(await replicas(cluster)).toBe(4);
    expect(conditions(await read(cluster))[0]).toBe("AbleToScale True ScaleDownStabilized");
    await cluster.advance("2m");
    expect(await replicas(cluster)).toBe(1);
  });

  it("leaves the number alone within the tolerance", async () => {
    await using cluster = await createScaled({}, "52m");
    await cluster.advance("5m");
    expect(await replicas(cluster)).toBe(2);
    expect(conditions(await read(cluster))).toEqual([
      "AbleToScale True ReadyForNewScale",
      "ScalingActive True ValidMetricFound",
      "ScalingLimited False DesiredWithinRange",
    ]);
  });

  it("follows the rates of its rules", async () => {
    const policies = [{ type: "Pods", value: 1, periodSeconds: 60 }];
    await using cluster = await createScaled({ behavior: { scaleUp: { policies } } });
    const sizes: (number | undefined)[] = [];
    for (let minute = 0; minute < 4; minute++) {
      await cluster.advance("1m");
      sizes.push(await replicas(cluster));
    }
    expect(sizes).toEqual([3, 4, 5, 6]);
  });

  it.each([
    [
      "pods without a request",
      {
        metrics: [
          { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
      ["AbleToScale True SucceededGetScale", "ScalingActive False FailedGetResourceMetric"],
    ],
    [
      "a workload that doesn't exist",
      { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" } },
      ["AbleToScale False FailedGetScale"],
    ],
  ])("reports %s", async (_, spec, expected) => {
    await using cluster = await createScaled(spec);
    await cluster.advance("1m");
    expect(conditions(await read(cluster))).toEqual(expected);
    expect(await replicas(cluster)).toBe(2);
  });

  it.each([
    {
      title: "an average amount of memory",
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "64Mi" } } },
      ],
      current: [{ type: "Resource", resource: { name: "memory", current: { averageValue: "64Mi" } } }],
      active: "the HPA was able to successfully calculate a replica count from memory resource",
      warnings: [],
      desired: 2,
    },
    {
      title: "no metric, because the pods don't request the resource",
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
      current: [{ type: "" }],
      active:
        "the HPA was unable to compute the replica count: failed to get memory utilization: missing request for memory in container main of Pod POD",
      warnings: [
        "FailedGetResourceMetric: failed to get memory utilization: missing request for memory in container main of Pod POD",
        "FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get memory resource metric value: failed to get memory utilization: missing request for memory in container main of Pod POD",
      ],
      desired: 0,
    },
    {
      title: "the metric that works next to one of another API",
      metrics: [
        { type: "Pods", pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1" } } },
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 100 } } },
      ],
      current: [
        { type: "" },
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "100m" } } },
      ],
      active:
        "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
      warnings: [
        "FailedGetPodsMetric: unable to get metric hits: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
      ],
      desired: 2,
    },
  ])("shows $title", async ({ metrics, current, active, warnings, desired }) => {
    await using cluster = await createScaled({ metrics });
    await cluster.advance("40s");
    const { status } = await read(cluster);
    const withoutNames = (text = ""): string => text.replace(/web-[\w-]+/g, "POD");
    expect(status?.currentMetrics).toEqual(current);
    expect(status?.desiredReplicas).toBe(desired);
    expect(withoutNames(status?.conditions?.find(({ type }) => type === "ScalingActive")?.message)).toBe(active);
    const events = (await cluster.events("default/web")).filter(({ type }) => type === "Warning");
    const seen = new Set(events.map(({ reason, message }) => `${reason}: ${withoutNames(message)}`));
    // Before the pods are measured, metrics fail for that reason.
    expect([...seen].filter((each) => !/did not receive metrics|2 invalid out of 2/.test(each))).toEqual(warnings);
  });

  const value = { type: "Value", value: "1" };
  const average = { type: "AverageValue", averageValue: "1" };
  const customApi =
    "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
  const externalApi = (selector: string): string =>
    `unable to get external metric default/hits/${selector}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get hits.external.metrics.k8s.io)`;
  const describedObject = { kind: "Service", name: "web" };
  const labels = {
    matchLabels: { b: "2", a: "1" },
    matchExpressions: [{ key: "c", operator: "In", values: ["3", "4"] }],
  };
  it.each([
    {
      type: "Object",
      source: { object: { metric: { name: "hits" }, describedObject, target: value } },
      note: `unable to get metric hits: Service on default web/${customApi}`,
      context: "failed to get object metric value",
    },
    {
      type: "Object",
      source: { object: { metric: { name: "hits" }, describedObject, target: average } },
      note: `unable to get metric hits: Service on default web/${customApi}`,
      context: "failed to get object metric value: failed to get hits object metric",
    },
    {
      type: "External",
      source: { external: { metric: { name: "hits" }, target: value } },
      note: externalApi("nil"),
      context: "failed to get hits external metric value: failed to get external metric hits",
    },
    {
      type: "External",
      source: { external: { metric: { name: "hits", selector: labels }, target: average } },
      note: externalApi(
        "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,Values:[3 4],},},}",
      ),
      context: "failed to get hits external metric value: failed to get hits external metric",
    },
  ])("reports a metric of the type $type that isn't served: $context", async ({ type, source, note, context }) => {
    await using cluster = await createScaled({ metrics: [{ type, ...source }] });
    await cluster.advance("20s");
    const events = (await cluster.events("default/web")).filter(({ type }) => type === "Warning");
    expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      `FailedGet${type}Metric: ${note}`,
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: ${context}: ${note}`,
    ]);
  });

  it.each([
    { kind: "Widget", apiVersion: "example.com/v1", problem: 'no matches for kind "Widget" in group "example.com"' },
    { kind: "DaemonSet", apiVersion: "apps/v1", problem: "the server could not find the requested resource" },
    { kind: "ReplicationController", apiVersion: "v1", problem: 'replicationcontrollers "none" not found' },
  ])("reports a target of the kind $kind of $apiVersion without a scale", async ({ kind, apiVersion, problem }) => {
    await using cluster = await createScaled({ scaleTargetRef: { apiVersion, kind, name: "none" } });
    await cluster.advance("20s");
    const [event] = (await cluster.events("default/web")).filter(({ reason }) => reason === "FailedGetScale");
    expect(event?.message).toBe(problem);
    expect((await read(cluster)).status?.conditions?.[0]?.message).toBe(
      `the HPA controller was unable to get the target's current scale: ${problem}`,
    );
  });
});
