import { describe, expect, it } from "vitest";
import { interPodAffinity } from "../../../../src/cluster/scheduler/plugins/inter-pod-affinity.js";
import { nodePorts, nodeResourcesFit } from "../../../../src/cluster/scheduler/plugins/node-resources.js";
import {
  nodeAffinity,
  nodeUnschedulable,
  taintToleration,
} from "../../../../src/cluster/scheduler/plugins/node-rules.js";
import {
  type ClusterChange,
  isWorthRetry,
  type SchedulerPlugin,
} from "../../../../src/cluster/scheduler/plugins/plugin.js";
import { podTopologySpread } from "../../../../src/cluster/scheduler/plugins/pod-topology-spread.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import type { Node, Pod } from "../../../../src/kinds/core/v1.js";
import { cluster, pod, requesting, taint } from "./snapshots.js";

const fit = nodeResourcesFit({ classOfResource: () => undefined });
const node = (allocatable: Record<string, string>, labels: Record<string, string> = {}, spec: object = {}): Node => ({
  metadata: { name: "a", labels },
  spec,
  status: { allocatable: { pods: "10", ...allocatable } },
});
const big = { cpu: "8", memory: "8Gi" };
const nodes = (old: Node | undefined, now: Node | undefined): ClusterChange => ({ type: "node", old, now });
const pods = (old: Pod | undefined, now: Pod | undefined): ClusterChange => ({ type: "pod", old, now });
const labelled = (app: string): Pod => pod({}, { app });
const cordoned = { unschedulable: true };
const gpu = { taints: [taint("gpu", "NoSchedule")] };
const port = (hostPort: number): Pod =>
  pod({ containers: [{ name: "main", ports: [{ hostPort, containerPort: 80 }] }] });

const near = (kind: string, app: string): object => ({
  [kind]: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", labelSelector: { matchLabels: { app } } }],
  },
});
const withWeb = pod({ affinity: near("podAffinity", "web") });
const withoutWeb = pod({ affinity: near("podAntiAffinity", "web") }, { app: "db" });
const spread = pod({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
    },
  ],
});

describe("A pod that is rejected", () => {
  const four = requesting({ cpu: "4" });
  const cases: readonly [plugin: SchedulerPlugin, pod: Pod, title: string, change: ClusterChange, again: boolean][] = [
    [fit, four, "a new node with room", nodes(undefined, node(big)), true],
    [fit, four, "a new node that is too small", nodes(undefined, node({ cpu: "2" })), false],
    [fit, four, "more of a requested resource", nodes(node({ cpu: "2" }), node(big)), true],
    [fit, four, "more of a requested resource, but too little", nodes(node({ cpu: "2" }), node({ cpu: "3" })), false],
    [fit, four, "more of another resource", nodes(node({ cpu: "8" }), node(big)), false],
    [fit, four, "more pods per node", nodes(node(big), node({ ...big, pods: "20" })), true],
    [fit, four, "other labels of a node", nodes(node(big), node(big, { disk: "ssd" })), false],
    [fit, four, "a taint", nodes(node(big), node(big, {}, gpu)), true],
    [fit, four, "a cordon", nodes(node(big), node(big, {}, cordoned)), false],
    [fit, four, "the end of a cordon", nodes(node(big, {}, cordoned), node(big)), true],
    [fit, four, "the end of a node", nodes(node(big), undefined), false],
    [fit, four, "the end of another pod", pods(pod(), undefined), true],
    [fit, four, "another pod on a node", pods(undefined, pod()), false],
    [fit, four, "a pod that takes less", pods(requesting({ cpu: "2" }), requesting({ cpu: "1" })), true],
    [fit, four, "a pod that takes less of another resource", pods(requesting({ memory: "2" }), requesting({})), false],
    [fit, four, "a class of another resource", { type: "deviceClass", resources: ["gpu"] }, false],
    [fit, requesting({ gpu: "1" }), "a class of its resource", { type: "deviceClass", resources: ["gpu"] }, true],
    [nodeUnschedulable, pod(), "the end of a cordon", nodes(node(big, {}, cordoned), node(big)), true],
    [nodeUnschedulable, pod(), "a new node with a cordon", nodes(undefined, node(big, {}, cordoned)), false],
    [nodeUnschedulable, pod(), "a taint", nodes(node(big), node(big, {}, gpu)), false],
    [taintToleration, pod(), "a taint that is gone", nodes(node(big, {}, gpu), node(big)), true],
    [taintToleration, pod(), "another taint", nodes(node(big), node(big, {}, gpu)), false],
    [taintToleration, pod(), "other labels of a node", nodes(node(big), node(big, { disk: "ssd" })), false],
    [
      nodeAffinity,
      pod({ nodeSelector: { disk: "ssd" } }),
      "a label",
      nodes(node(big), node(big, { disk: "ssd" })),
      true,
    ],
    [
      nodeAffinity,
      pod({ nodeSelector: { disk: "ssd" } }),
      "another label",
      nodes(node(big), node(big, { a: "b" })),
      false,
    ],
    [nodeAffinity, pod({ nodeSelector: { disk: "ssd" } }), "the end of another pod", pods(pod(), undefined), false],
    [nodePorts, port(80), "the end of a pod with its port", pods(port(80), undefined), true],
    [nodePorts, port(80), "the end of a pod with another port", pods(port(81), undefined), false],
    [nodePorts, port(80), "a new node", nodes(undefined, node({})), true],
    [nodePorts, port(80), "a larger node", nodes(node({}), node(big)), false],
    [interPodAffinity, withWeb, "a pod that it wants", pods(undefined, labelled("web")), true],
    [interPodAffinity, withWeb, "a pod that becomes one it wants", pods(labelled("db"), labelled("web")), true],
    [interPodAffinity, withWeb, "another pod", pods(undefined, labelled("db")), false],
    [interPodAffinity, withWeb, "the end of a pod that it wants", pods(labelled("web"), undefined), false],
    [
      interPodAffinity,
      withWeb,
      "a node in another zone",
      nodes(node({}, { zone: "a" }), node({}, { zone: "b" })),
      true,
    ],
    [interPodAffinity, withWeb, "a node without a zone", nodes(node({}, { zone: "a" }), node({})), false],
    [interPodAffinity, withoutWeb, "the end of a pod that it avoids", pods(labelled("web"), undefined), true],
    [interPodAffinity, withoutWeb, "the end of another pod", pods(labelled("api"), undefined), false],
    [interPodAffinity, withoutWeb, "a pod that it stops avoiding", pods(labelled("web"), labelled("api")), true],
    [interPodAffinity, withoutWeb, "a new node", nodes(undefined, node({})), true],
    [interPodAffinity, withoutWeb, "a node that gets a zone", nodes(node({}), node({}, { zone: "a" })), false],
    [interPodAffinity, labelled("web"), "the end of a pod that avoids it", pods(withoutWeb, undefined), true],
    [interPodAffinity, labelled("api"), "the end of a pod that avoids others", pods(withoutWeb, undefined), false],
    [podTopologySpread, spread, "a pod that counts", pods(undefined, labelled("web")), true],
    [podTopologySpread, spread, "the end of a pod that counts", pods(labelled("web"), undefined), true],
    [podTopologySpread, spread, "a pod that starts to count", pods(labelled("db"), labelled("web")), true],
    [podTopologySpread, spread, "the end of another pod", pods(labelled("db"), undefined), false],
    [podTopologySpread, spread, "a pod that changes and counts", pods(labelled("web"), labelled("web")), false],
    [podTopologySpread, spread, "a new node in a zone", nodes(undefined, node({}, { zone: "a" })), true],
    [podTopologySpread, spread, "the end of a node in a zone", nodes(node({}, { zone: "a" }), undefined), true],
    [podTopologySpread, spread, "a new node without a zone", nodes(undefined, node({})), false],
    [
      podTopologySpread,
      spread,
      "a taint of a node in a zone",
      nodes(node({}, { zone: "a" }), node({}, { zone: "a" }, gpu)),
      true,
    ],
    [podTopologySpread, spread, "a taint of a node without a zone", nodes(node({}), node({}, {}, gpu)), false],
  ];
  it.each(
    cases.map(([plugin, given, title, change, again]) => ({ name: plugin.name, plugin, given, title, change, again })),
  )("by $name is tried again after $title: $again", ({ plugin, given, change, again }) => {
    expect(isWorthRetry(plugin, change, podInfo(given), cluster({}))).toBe(again);
  });
});
