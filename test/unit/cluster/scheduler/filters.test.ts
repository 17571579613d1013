import { describe, expect, it } from "vitest";
import { interPodAffinity } from "../../../../src/cluster/scheduler/plugins/inter-pod-affinity.js";
import { nodePorts, nodeResourcesFit } from "../../../../src/cluster/scheduler/plugins/node-resources.js";
import {
  nodeAffinity,
  nodeUnschedulable,
  taintToleration,
} from "../../../../src/cluster/scheduler/plugins/node-rules.js";
import type { SchedulerPlugin } from "../../../../src/cluster/scheduler/plugins/plugin.js";
import { podTopologySpread } from "../../../../src/cluster/scheduler/plugins/pod-topology-spread.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";
import type { NodeShape } from "./snapshots.js";
import { cluster, nodeTerm, pod, requesting, taint, tainted, zone } from "./snapshots.js";

const fit = nodeResourcesFit({ classOfResource: () => undefined });

/** Returns the first reason by node; nodes that fit have none. */
function reasons(plugin: SchedulerPlugin, given: Pod, nodes: Record<string, NodeShape>): Record<string, string> {
  const snapshot = cluster(nodes);
  const filter = plugin.filter?.(podInfo(given), snapshot);
  if (typeof filter === "object") return { all: filter.rejectsAll };
  return Object.fromEntries(
    snapshot.nodes.flatMap((node) => {
      const rejection = filter?.(node);
      return rejection === undefined ? [] : [[node.name, rejection.reasons.join(", ")]];
    }),
  );
}
const required = (...terms: object[]): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});

describe("A node is rejected", () => {
  it("when it's cordoned, unless the pod tolerates it", () => {
    const nodes = { a: { spec: { unschedulable: true } }, b: {} };
    expect(reasons(nodeUnschedulable, pod(), nodes)).toEqual({ a: "node(s) were unschedulable" });
    const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }];
    expect(reasons(nodeUnschedulable, pod({ tolerations }), nodes)).toEqual({});
  });

  it.each([
    { title: "without a toleration", tolerations: [], rejected: ["a", "b"] },
    {
      title: "with the same key, value and effect",
      tolerations: [{ key: "gpu", value: "yes", effect: "NoSchedule" }],
      rejected: ["b"],
    },
    { title: "with another value", tolerations: [{ key: "gpu", value: "no" }], rejected: ["a", "b"] },
    { title: "with any value", tolerations: [{ key: "gpu", operator: "Exists" }], rejected: ["b"] },
    { title: "with any key", tolerations: [{ operator: "Exists" }], rejected: [] },
    { title: "with another effect", tolerations: [{ operator: "Exists", effect: "NoExecute" }], rejected: ["a"] },
    {
      title: "with a number below the limit",
      tolerations: [{ key: "sla", operator: "Lt", value: "950" }],
      rejected: ["a"],
    },
  ])("for its taints $title of the pod", ({ tolerations, rejected }) => {
    const nodes = {
      a: tainted(taint("gpu", "NoSchedule", "yes")),
      b: tainted(taint("sla", "NoExecute", "900")),
      c: tainted(taint("slow", "PreferNoSchedule")),
    };
    const found = reasons(taintToleration, pod({ tolerations }), nodes);
    expect(Object.keys(found)).toEqual(rejected);
    for (const reason of Object.values(found)) expect(reason).toBe("node(s) had untolerated taint(s)");
  });

  it.each([
    { title: "a label of the node selector", spec: { nodeSelector: { disk: "ssd" } }, fits: ["a"] },
    { title: "In", spec: required(nodeTerm("disk", "In", "ssd", "nvme")), fits: ["a"] },
    { title: "NotIn", spec: required(nodeTerm("disk", "NotIn", "ssd")), fits: ["b", "c"] },
    { title: "Exists", spec: required(nodeTerm("disk", "Exists")), fits: ["a", "b"] },
    { title: "DoesNotExist", spec: required(nodeTerm("disk", "DoesNotExist")), fits: ["c"] },
    { title: "Gt", spec: required(nodeTerm("cores", "Gt", "4")), fits: ["c"] },
    { title: "Lt", spec: required(nodeTerm("cores", "Lt", "8")), fits: ["b"] },
    {
      title: "one of several terms",
      spec: required(nodeTerm("disk", "In", "ssd"), nodeTerm("cores", "Gt", "4")),
      fits: ["a", "c"],
    },
    { title: "an empty term", spec: required({}), fits: [] },
    {
      title: "its name",
      spec: required({ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }),
      fits: ["b"],
    },
  ])("when it doesn't match $title", ({ spec, fits }) => {
    const nodes = {
      a: { labels: { disk: "ssd" } },
      b: { labels: { disk: "hdd", cores: "4" } },
      c: { labels: { cores: "16" } },
    };
    const found = reasons(nodeAffinity, pod(spec), nodes);
    expect(Object.keys(nodes).filter((name) => found[name] === undefined)).toEqual(fits);
    for (const reason of Object.values(found)) expect(reason).toBe("node(s) didn't match Pod's node affinity/selector");
  });

  it("when its name isn't the one of the only term that can be met; all are, when no term can be met", () => {
    const name = (value: string): object => ({ key: "metadata.name", operator: "In", values: [value] });
    const impossible = { matchFields: [name("a"), name("b")] };
    const nodes = { a: {}, b: {} };
    expect(reasons(nodeAffinity, pod(required(impossible)), nodes)).toEqual({ all: "pod affinity terms conflict" });
    expect(Object.keys(reasons(nodeAffinity, pod(required(impossible, { matchFields: [name("b")] })), nodes))).toEqual([
      "a",
    ]);
  });

  it.each([
    { title: "fits exactly", requests: { cpu: "1", memory: "4Gi" }, reason: undefined },
    { title: "has too little CPU left", requests: { cpu: "1001m" }, reason: "Insufficient cpu" },
    { title: "has too little memory left", requests: { memory: "4097Mi" }, reason: "Insufficient memory" },
    {
      title: "has too little of both",
      requests: { cpu: "2", memory: "5Gi" },
      reason: "Insufficient cpu, Insufficient memory",
    },
    {
      title: "doesn't have the extended resource",
      requests: { "example.com/gpu": "1" },
      reason: "Insufficient example.com/gpu",
    },
    { title: "is asked for nothing", requests: {}, reason: undefined },
  ])("by its resources unless it $title", ({ requests, reason }) => {
    const used = requesting({ cpu: "3", memory: "4Gi" });
    expect(reasons(fit, requesting(requests as never), { a: { pods: [used] } })["a"]).toBe(reason);
  });

  it("when it has as many pods as it may have", () => {
    const nodes = { a: { allocatable: { pods: "1" }, pods: [pod()] } };
    expect(reasons(fit, pod(), nodes)).toEqual({ a: "Too many pods" });
  });

  it.each([
    { port: { hostPort: 80 }, free: false },
    { port: { hostPort: 80, protocol: "UDP" }, free: true },
    { port: { hostPort: 81 }, free: true },
    { port: { hostPort: 80, hostIP: "10.0.0.1" }, free: false },
    { port: { hostPort: 90, hostIP: "10.0.0.2" }, free: true },
  ])("when another pod has the host port $port: $free", ({ port, free }) => {
    const withPorts = (...ports: object[]): Pod => pod({ containers: [{ name: "main", ports }] });
    const nodes = { a: { pods: [withPorts({ hostPort: 80 }, { hostPort: 90, hostIP: "10.0.0.1" })] } };
    expect(reasons(nodePorts, withPorts(port), nodes)["a"]).toBe(
      free ? undefined : "node(s) didn't have free ports for the requested pod ports",
    );
  });
});

describe("Topology spread rejects a node", () => {
  const web = { app: "web" };
  const spread = (more: object = {}): object => ({
    topologySpreadConstraints: [
      {
        topologyKey: "zone",
        maxSkew: 1,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: web },
        ...more,
      },
    ],
  });
  const nodes = { a: zone("east", [pod({}, web), pod({}, web)]), b: zone("west", [pod({}, web)]), c: {} };
  const skew = "node(s) didn't match pod topology spread constraints";

  it.each([
    {
      title: "whose zone would have two more than the least",
      more: {},
      rejected: { a: skew, c: `${skew} (missing required label)` },
    },
    { title: "by the given skew", more: { maxSkew: 2 }, rejected: { c: `${skew} (missing required label)` } },
    {
      title: "while there are fewer zones than required",
      more: { minDomains: 3 },
      rejected: { a: skew, b: skew, c: `${skew} (missing required label)` },
    },
    { title: "never if the constraint is a preference", more: { whenUnsatisfiable: "ScheduleAnyway" }, rejected: {} },
    {
      title: "by pods of the same revision",
      more: { matchLabelKeys: ["revision"] },
      rejected: { c: `${skew} (missing required label)` },
    },
  ])("$title", ({ more, rejected }) => {
    const given = pod(spread(more), { ...web, revision: "2" });
    expect(reasons(podTopologySpread, given, nodes)).toEqual(rejected);
  });

  it("without counting zones that the pod's node selector excludes, unless the policy ignores it", () => {
    const twoNodes = { a: { labels: { zone: "east", disk: "ssd" }, pods: [pod({}, web)] }, b: zone("west") };
    const nodeSelector = { disk: "ssd" };
    expect(reasons(podTopologySpread, pod({ ...spread(), nodeSelector }, web), twoNodes)).toEqual({});
    const ignoring = { ...spread({ nodeAffinityPolicy: "Ignore" }), nodeSelector };
    expect(reasons(podTopologySpread, pod(ignoring, web), twoNodes)).toEqual({ a: skew });
  });

  it("without counting tainted nodes, if the policy honours taints", () => {
    const twoNodes = {
      a: zone("east", [pod({}, web)]),
      b: { ...zone("west"), ...tainted(taint("gpu", "NoSchedule")) },
    };
    expect(reasons(podTopologySpread, pod(spread({ nodeTaintsPolicy: "Honor" }), web), twoNodes)).toEqual({});
    expect(reasons(podTopologySpread, pod(spread(), web), twoNodes)).toEqual({ a: skew });
  });
});

describe("Pod affinity rejects a node", () => {
  const term = (labels: object, more: object = {}): object => ({
    topologyKey: "zone",
    labelSelector: { matchLabels: labels },
    ...more,
  });
  const affinity = (kind: "podAffinity" | "podAntiAffinity", ...terms: object[]): object => ({
    affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const db = { app: "db" };
  const nodes = { a: zone("east", [pod({}, db)]), b: zone("east"), c: zone("west"), d: {} };
  const apart = "node(s) didn't match pod affinity rules";

  it.each([
    {
      title: "in another zone than the wanted pod",
      spec: affinity("podAffinity", term(db)),
      rejected: { c: apart, d: apart },
    },
    {
      title: "in the zone of the avoided pod",
      spec: affinity("podAntiAffinity", term(db)),
      rejected: {
        a: "node(s) didn't match pod anti-affinity rules",
        b: "node(s) didn't match pod anti-affinity rules",
      },
    },
    {
      title: "if only a pod of another namespace matches",
      spec: affinity("podAffinity", term(db, { namespaces: ["other"] })),
      rejected: { a: apart, b: apart, c: apart, d: apart },
    },
    {
      title: "unless the namespace selector matches",
      spec: affinity("podAffinity", term(db, { namespaceSelector: { matchLabels: { team: "default" } } })),
      rejected: { c: apart, d: apart },
    },
    {
      title: "without the topology if the pod is the first of its group",
      spec: affinity("podAffinity", term({ app: "web" })),
      rejected: { d: apart },
    },
  ])("$title", ({ spec, rejected }) => {
    expect(reasons(interPodAffinity, pod(spec, { app: "web" }), nodes)).toEqual(rejected);
  });

  it("in the zone of a pod that avoids the new one", () => {
    const hermit = pod(affinity("podAntiAffinity", term({ app: "web" })), db);
    const found = reasons(interPodAffinity, pod({}, { app: "web" }), {
      a: zone("east", [hermit]),
      b: zone("east"),
      c: zone("west"),
    });
    const reason = "node(s) didn't satisfy existing pods anti-affinity rules";
    expect(found).toEqual({ a: reason, b: reason });
  });
});
