import { expect, it } from "vitest";
import { createClient } from "../../../../../src/client/client.js";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { measureCustom } from "../../../../../src/cluster/controllers/autoscaling/custom-metrics.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { APIService } from "../../../../../src/kinds/apiregistration/v1.js";
import { Deployment } from "../../../../../src/kinds/apps/v1.js";
import { HorizontalPodAutoscaler, type MetricSpec } from "../../../../../src/kinds/autoscaling/v2.js";
import { Event, Pod } from "../../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../../src/transport/handler.js";

/** Answers of an adapter by path, without the group and its version. A number is the value of a list with one item. */
type Answers = Record<string, number | object | undefined>;

/** Creates a cluster with two pods and an autoscaler, whose metrics an adapter answers. */
async function createScaled(metric: object, answers: Answers, version: string) {
  const requests: string[] = [];
  const adapter = (request: Request): Response => {
    const { pathname, search } = new URL(decodeURIComponent(request.url));
    const path = pathname.split("/").slice(4).join("/");
    if (path === "") return Response.json({ kind: "APIResourceList", groupVersion: "", resources: [] });
    requests.push(`${pathname.slice("/apis/".length)}${search}`);
    const answer = answers[path];
    if (answer === undefined)
      return Response.json(
        {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          code: 404,
          reason: "NotFound",
          message: "no such metric",
        },
        { status: 404 },
      );
    const item = { describedObject: { kind: "Service", name: "web" }, value: String(answer) };
    return Response.json(typeof answer === "object" ? answer : { items: [item] });
  };
  const cluster = await createCluster({
    nodes: 1,
    time: "virtual",
    seed: 1,
    server: { resolveService: ({ name }) => (name === "adapter" ? adapter : undefined) },
  });
  for (const group of ["custom", "external"]) {
    const own = group === "custom" ? version : "v1beta1";
    await cluster.client.resource(APIService).create({
      metadata: { name: `${own}.${group}.metrics.k8s.io` },
      spec: {
        group: `${group}.metrics.k8s.io`,
        version: own,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: "default", name: "adapter" },
      },
    });
  }
  await cluster.client
    .resource(Deployment)
    .namespace("default")
    .create({
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
      },
    });
  await cluster.settled();
  await cluster.client
    .resource(HorizontalPodAutoscaler)
    .namespace("default")
    .create({
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        maxReplicas: 10,
        metrics: [metric as MetricSpec],
      },
    });
  await cluster.advance("20s");
  return { cluster, requests };
}

const read = async (cluster: Cluster): Promise<HorizontalPodAutoscaler> =>
  cluster.client.resource(HorizontalPodAutoscaler).namespace("default").get("web");
const notes = async (cluster: Cluster): Promise<string[]> => {
  const { items } = await cluster.client.resource(Event).namespace("default").list();
  const own = items.filter(({ involvedObject }) => involvedObject.kind === "HorizontalPodAutoscaler");
  return own.map(({ reason, message }) => `${reason}: ${message}`);
};

const hits = { name: "hits" };
const value = (amount: string): object => ({ type: "Value", value: amount });
const average = (amount: string): object => ({ type: "AverageValue", averageValue: amount });
const service = { kind: "Service", name: "web" };
const selector = { matchLabels: { path: "a" } };
const place = "namespaces/default";

it.each<{
  title: string;
  metric: object;
  answers: Answers;
  request: string;
  replicas: number;
  current: object;
  why: string;
}>([
  {
    title: "an object's value",
    metric: { type: "Object", object: { metric: hits, describedObject: service, target: value("10") } },
    answers: { [`${place}/services/web/hits`]: 15 },
    request: `custom.metrics.k8s.io/v1beta2/${place}/services/web/hits`,
    replicas: 3,
    current: { value: "15" },
    why: "Service metric hits above target",
  },
  {
    title: "an object's value for each pod",
    metric: {
      type: "Object",
      object: { metric: { ...hits, selector }, describedObject: service, target: average("5k") },
    },
    answers: { [`${place}/services/web/hits`]: 14_000 },
    request: `custom.metrics.k8s.io/v1beta2/${place}/services/web/hits?metricLabelSelector=path=a`,
    replicas: 3,
    current: { averageValue: "7k" },
    why: "external metric hits(&LabelSelector{MatchLabels:map[string]string{path: a,},MatchExpressions:[]LabelSelectorRequirement{},}) above target",
  },
  {
    title: "a namespace's value",
    metric: {
      type: "Object",
      object: {
        metric: hits,
        describedObject: { kind: "Namespace", name: "other", apiVersion: "v1" },
        target: value("2"),
      },
    },
    answers: { [`${place}/metrics/hits`]: 3 },
    request: `custom.metrics.k8s.io/v1beta2/${place}/metrics/hits`,
    replicas: 3,
    current: { value: "3" },
    why: "Namespace metric hits above target",
  },
  {
    title: "an object of another group",
    metric: {
      type: "Object",
      object: {
        metric: hits,
        describedObject: { kind: "Deployment", name: "web", apiVersion: "apps/v1" },
        target: value("2"),
      },
    },
    answers: { [`${place}/deployments.apps/web/hits`]: 3 },
    request: `custom.metrics.k8s.io/v1beta2/${place}/deployments.apps/web/hits`,
    replicas: 3,
    current: { value: "3" },
    why: "Deployment metric hits above target",
  },
  {
    title: "the sum of external values",
    metric: { type: "External", external: { metric: { ...hits, selector }, target: value("2") } },
    answers: { [`${place}/hits`]: { items: [{ value: "1500m" }, { value: "1500m" }] } },
    request: `external.metrics.k8s.io/v1beta1/${place}/hits?labelSelector=path=a`,
    replicas: 3,
    current: { value: "3" },
    why: "external metric hits(&LabelSelector{MatchLabels:map[string]string{path: a,},MatchExpressions:[]LabelSelectorRequirement{},}) above target",
  },
  {
    title: "external values for each pod",
    metric: { type: "External", external: { metric: hits, target: average("500m") } },
    answers: { [`${place}/hits`]: { items: [{ value: "2" }] } },
    request: `external.metrics.k8s.io/v1beta1/${place}/hits`,
    replicas: 4,
    current: { averageValue: "1" },
    why: "external metric hits(nil) above target",
  },
])("autoscaler scales by $title", async ({ metric, answers, request, replicas, current, why }) => {
  const { cluster, requests } = await createScaled(metric, answers, "v1beta2");
  await using _ = cluster;
  expect(requests[0]).toBe(request);
  const { status } = await read(cluster);
  expect(status?.desiredReplicas).toBe(replicas);
  expect(status?.conditions?.find(({ type }) => type === "ScalingActive")?.status).toBe("True");
  const [shown] = status!.currentMetrics!;
  expect((shown!.object ?? shown!.external)?.current).toEqual(current);
  expect(await notes(cluster)).toEqual([`SuccessfulRescale: New size: ${replicas}; reason: ${why}`]);
});

it("autoscaler scales by a metric of pods, in the version that is served", async () => {
  const metric = { type: "Pods", pods: { metric: hits, target: average("10") } };
  const answers: Answers = {};
  const { cluster, requests } = await createScaled(metric, answers, "v1beta1");
  await using _ = cluster;
  expect(requests[0]).toBe(`custom.metrics.k8s.io/v1beta1/${place}/pods/*/hits?labelSelector=app=web`);
  const problem = "unable to get metric hits: unable to fetch metrics from custom metrics API: no such metric";
  expect(await notes(cluster)).toEqual([
    `FailedGetPodsMetric: ${problem}`,
    `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: ${problem}`,
  ]);
  const pods = (await cluster.client.resource(Pod).namespace("default").list()).items;
  answers[`${place}/pods/*/hits`] = {
    items: pods.map(({ metadata }, index) => ({
      describedObject: { kind: "Pod", name: metadata!.name },
      value: String(10 + 10 * index),
    })),
  };
  await cluster.advance("15s");
  const { status } = await read(cluster);
  expect(status?.currentMetrics).toEqual([{ type: "Pods", pods: { metric: hits, current: { averageValue: "15" } } }]);
  expect((await notes(cluster)).at(-1)).toBe("SuccessfulRescale: New size: 3; reason: pods metric hits above target");
});

it("autoscaler keeps its replicas if a metric is close to its target, or isn't one value", async () => {
  const metric = { type: "Object", object: { metric: hits, describedObject: service, target: value("10") } };
  const path = `${place}/services/web/hits`;
  const answers: Answers = { [path]: 11 };
  const { cluster } = await createScaled(metric, answers, "v1beta2");
  await using _ = cluster;
  expect((await read(cluster)).status?.desiredReplicas).toBe(2);
  answers[path] = { items: [] };
  await cluster.advance("15s");
  expect((await notes(cluster))[0]).toBe(
    "FailedGetObjectMetric: unable to get metric hits: Service on default web/unable to fetch metrics from custom metrics API: " +
      "the custom metrics API server returned 0 results when we asked for exactly one",
  );
});

it("a metric of a workload without replicas proposes some, and shows the whole value as the average", async () => {
  const answer = Response.json({ items: [{ value: "7" }] });
  const transport = handlerTransport(() => Promise.resolve(answer));
  const spec = { type: "External", external: { metric: hits, target: average("2") } } as MetricSpec;
  const reading = await measureCustom(spec, {
    client: createClient({ transport }),
    signal: new AbortController().signal,
    resourceOf: () => Promise.resolve(undefined),
    namespace: "default",
    selector: "app=web",
    pods: [],
    current: 2,
    existing: 0,
    tolerances: { up: 0.1, down: 0.1 },
    nowMs: 0,
  });
  expect(reading).toMatchObject({ replicas: 4, status: { external: { current: { averageValue: "7" } } } });
});
