import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../../src/cluster/is-available.js";
import { readStages } from "../../../../src/cluster/stages/read-stages.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { CustomResourceDefinition } from "../../../../src/kinds/apiextensions/v1.js";
import { Deployment } from "../../../../src/kinds/apps/v1.js";
import { Job } from "../../../../src/kinds/batch/v1.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { defineKind } from "../../../../src/meta/define-kind.js";

const spec = { containers: [{ name: "main", image: "web:1" }] };

/** Pods that become ready after two to four seconds, complete if they belong to a Job, and are removed by a stage. */
const podStages = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ready }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector:
    matchExpressions:
    - { key: .metadata.deletionTimestamp, operator: DoesNotExist }
    - { key: .status.phase, operator: In, values: [Pending] }
    - { key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: NotIn, values: ["True"] }
  delay: { durationMilliseconds: 2000, jitterDurationMilliseconds: 4000 }
  next:
    event: { type: Normal, reason: Played, message: the pod is ready }
    statusTemplate: |
      {{ $now := Now }}
      conditions:
      {{ range $index, $type := list "Initialized" "ContainersReady" "Ready" }}
      - type: {{ $type | Quote }}
        status: "True"
        lastTransitionTime: {{ $now | Quote }}
      {{ end }}
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        ready: true
        restartCount: 0
        state: { running: { startedAt: {{ $now | Quote }} } }
      {{ end }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) .metadata.uid .metadata.name .metadata.namespace | Quote }}
      phase: Running
      startTime: {{ $now | Quote }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: complete }
spec:
  resourceRef: { kind: Pod }
  selector:
    matchExpressions:
    - { key: .status.phase, operator: In, values: [Running] }
    - { key: '.metadata.ownerReferences.[].kind', operator: In, values: [Job] }
  delay:
    durationMilliseconds: 1000
    durationFrom: { expressionFrom: '.metadata.annotations["example.com/delay"]' }
  next:
    statusTemplate: |
      {{ $root := . }}
      containerStatuses:
      {{ range $index, $item := .spec.containers }}
      {{ $origin := index $root.status.containerStatuses $index }}
      - name: {{ $origin.name | Quote }}
        image: {{ $item.image | Quote }}
        ready: false
        restartCount: 0
        state: { terminated: { exitCode: 0, reason: Completed, finishedAt: {{ Now | Quote }}, startedAt: {{ Now | Quote }} } }
      {{ end }}
      phase: Succeeded
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: delete }
spec:
  resourceRef: { kind: Pod }
  selector:
    matchExpressions: [{ key: .metadata.deletionTimestamp, operator: Exists }]
  delay: { durationMilliseconds: 3000 }
  next: { delete: true }
`;

describe("stages for pods", () => {
  it("play a Deployment and a Job in place of the nodes, with addresses, delays and events", async () => {
    await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1, stages: podStages });
    const selector = { matchLabels: { app: "web" } };
    const template = { metadata: { labels: { app: "web" } }, spec };
    const deployments = cluster.client.resource(Deployment).namespace("default");
    await deployments.create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template } });
    const start = cluster.now();
    await cluster.until(Deployment, "default/web", isAvailable);
    expect(cluster.now() - start).toBeGreaterThanOrEqual(2_000);
    expect(cluster.now() - start).toBeLessThan(5_000);
    const pods = cluster.client.resource(Pod).namespace("default");
    const { items } = await pods.list();
    expect(new Set(items.map(({ status }) => status?.podIP)).size).toBe(3);
    expect(items[0]?.status?.conditions?.map(({ type }) => type)).toContain("PodScheduled");
    expect((await cluster.events("default/web")).map(({ reason }) => reason)).toContain("Played");

    const annotations = { "example.com/delay": "1m" };
    const work = { metadata: { annotations }, spec: { ...spec, restartPolicy: "Never" as const } };
    const jobs = cluster.client.resource(Job).namespace("default");
    await jobs.create({ metadata: { name: "work" }, spec: { template: work } });
    const before = cluster.now();
    await cluster.until(Job, "default/work", (job) => job?.status?.succeeded === 1, { timeoutMs: 300_000 });
    expect(cluster.now() - before).toBeGreaterThanOrEqual(60_000);

    const baseline = await cluster.snapshot();
    await deployments.patch("web", { type: "merge", patch: { spec: { replicas: 0 } } });
    await cluster.advance("2s");
    expect((await pods.list()).items).toHaveLength(4);
    await cluster.advance("2s");
    expect((await pods.list()).items).toHaveLength(1);
    await cluster.restore(baseline);
    await cluster.advance("1m");
    expect((await pods.list()).items.filter(({ status }) => status?.phase === "Running")).toHaveLength(3);
  });

  it("take over single pods that run on a node, and leave their removal to it", async () => {
    await using cluster = await createCluster({
      time: "virtual",
      seed: 1,
      stages: [
        {
          metadata: { name: "fail" },
          spec: {
            resourceRef: { kind: "Pod" },
            selector: {
              matchLabels: { fails: "true" },
              matchExpressions: [{ key: ".status.phase", operator: "In", values: ["Running"] }],
            },
            delay: { durationMilliseconds: 30_000 },
            next: { statusTemplate: "phase: Failed\nreason: Broken" },
          },
        },
      ],
    });
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "doomed", labels: { fails: "true" } }, spec });
    await pods.create({ metadata: { name: "other" }, spec });
    await cluster.advance("29s");
    expect((await pods.get("doomed")).status?.phase).toBe("Running");
    await cluster.advance("2s");
    expect((await pods.get("doomed")).status).toMatchObject({ phase: "Failed", reason: "Broken" });
    expect((await pods.get("other")).status?.phase).toBe("Running");
    await pods.delete("doomed");
    await cluster.settled();
    expect(await pods.getOptional("doomed")).toBeUndefined();
  });
});

const Wheel = defineKind<object, { phase?: string; turns?: number }>()({
  group: "example.com",
  version: "v1",
  kind: "Wheel",
  plural: "wheels",
  scope: "Namespaced",
});
const resourceRef = { apiGroup: "example.com/v1", kind: "Wheel" };

/** Defines the kind Wheel, and waits until its stages have started. */
async function defineWheels(cluster: Cluster): Promise<void> {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { speed: { type: "integer" } } },
        status: { type: "object", properties: { phase: { type: "string" }, turns: { type: "integer" } } },
      },
    },
  };
  await cluster.client.resource(CustomResourceDefinition).create({
    metadata: { name: "wheels.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "wheels", kind: "Wheel" },
      versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
    },
  });
  await cluster.settled();
}

it("stages of a custom resource start once its definition is established, and change status and finalizers", async () => {
  const isDeleted = { key: ".metadata.deletionTimestamp", operator: "Exists" } as const;
  await using cluster = await createCluster({
    time: "virtual",
    seed: 1,
    stages: [
      {
        metadata: { name: "turn" },
        spec: {
          resourceRef,
          selector: { matchExpressions: [{ key: ".status.phase", operator: "DoesNotExist" }] },
          delay: { durationMilliseconds: 5_000 },
          next: {
            finalizers: { add: [{ value: "example.com/brake" }] },
            statusTemplate: "phase: {{ if gt .spec.speed 3 }}Fast{{ else }}Slow{{ end }}\nturns: {{ .spec.speed }}",
          },
        },
      },
      {
        metadata: { name: "brake" },
        spec: { resourceRef, selector: { matchExpressions: [isDeleted] }, next: { finalizers: { empty: true } } },
      },
    ],
  });
  await defineWheels(cluster);
  const wheels = cluster.client.resource(Wheel).namespace("default");
  await wheels.create({ metadata: { name: "front" }, spec: { speed: 5 } });
  const front = await cluster.until(Wheel, "default/front", (wheel) => wheel?.status?.phase !== undefined);
  expect(front).toMatchObject({ status: { phase: "Fast", turns: 5 }, metadata: { finalizers: ["example.com/brake"] } });
  await wheels.delete("front");
  await cluster.settled();
  expect(await wheels.getOptional("front")).toBeUndefined();
});

it("stages of a kind whose objects can't be listed end with a log entry", async () => {
  const entries: LogEntry[] = [];
  await using cluster = await createCluster({
    time: "virtual",
    seed: 1,
    stages: [{ metadata: { name: "turn" }, spec: { resourceRef, selector: {} } }],
    log: (entry) => entries.push(entry),
  });
  cluster.server.faults.add({ match: { resource: "wheels" }, effect: { type: "status", code: 403 } });
  await defineWheels(cluster);
  await cluster.advance("3m");
  await expect
    .poll(() => entries.filter(({ level }) => level === "error"))
    .toMatchObject([{ message: "controller failed", controller: "stage-wheel" }]);
});

describe("readStages", () => {
  const stage = (change: object, next: object = {}): object => ({
    metadata: { name: "odd" },
    spec: { resourceRef: { kind: "Pod" }, next, ...change },
  });
  it.each([
    ["a missing kind", { resourceRef: {} }, {}, "stages[0] (odd): spec.resourceRef.kind is required"],
    ["an unknown field", { steps: [] }, {}, "stages[0] (odd): spec.steps is not supported. Supported fields: "],
    ["a patch", {}, { patches: [] }, "stages[0] (odd): spec.next.patches is not supported"],
    ["a negative weight", { weight: -1 }, {}, "stages[0] (odd): spec.weight must be a non-negative integer"],
    [
      "a CEL expression",
      { selector: { matchExpressions: [{ cel: {} }] } },
      {},
      "stages[0] (odd): spec.selector.matchExpressions[0].cel is not supported: use key, operator and values",
    ],
    [
      "an unknown operator",
      { selector: { matchExpressions: [{ key: ".a", operator: "Near" }] } },
      {},
      "spec.selector.matchExpressions[0].operator must be In, NotIn, Exists or DoesNotExist",
    ],
    [
      "a jq function",
      { selector: { matchExpressions: [{ key: ".a | length", operator: "Exists" }] } },
      {},
      'spec.selector.matchExpressions[0].key: "length" is not supported: use paths such as',
    ],
    [
      "an unknown function of a template",
      {},
      { statusTemplate: "a: 1\nb: {{ Guess .spec }}" },
      'stages[0] (odd): spec.next.statusTemplate: line 2: "Guess" is not supported',
    ],
    [
      "a block that isn't ended",
      {},
      { statusTemplate: "{{ if .a }}x" },
      "statusTemplate: line 1: {{ end }} is missing",
    ],
    ["a finalizer in the wrong form", {}, { finalizers: { add: ["a"] } }, "spec.next.finalizers.add must be a list of"],
  ])("refuses %s and names the field", (_, change, next, message) => {
    expect(() => readStages([stage(change, next) as never])).toThrow(message);
  });

  it("refuses another kind in YAML, and YAML that can't be parsed", () => {
    expect(() => readStages("kind: Pod\nmetadata: { name: web }")).toThrow(
      'stages[0] (web): kind must be Stage, not "Pod"',
    );
    expect(() => readStages("a: [")).toThrow(/^stages: line 1: /);
  });
});
