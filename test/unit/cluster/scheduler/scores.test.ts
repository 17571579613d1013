import { describe, expect, it } from "vitest";
import { interPodAffinity } from "../../../../src/cluster/scheduler/plugins/inter-pod-affinity.js";
import { balancedAllocation, nodeResourcesFit } from "../../../../src/cluster/scheduler/plugins/node-resources.js";
import {
  nodeAffinity,
  nodeUnschedulable,
  taintToleration,
} from "../../../../src/cluster/scheduler/plugins/node-rules.js";
import type { SchedulerPlugin } from "../../../../src/cluster/scheduler/plugins/plugin.js";
import { podTopologySpread } from "../../../../src/cluster/scheduler/plugins/pod-topology-spread.js";
import { filterNodes } from "../../../../src/cluster/scheduler/select-node.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";
import type { NodeShape } from "./snapshots.js";
import { cluster, nodeTerm, pod, requesting, taint, tainted, zone } from "./snapshots.js";

function scores(plugin: SchedulerPlugin, given: Pod, nodes: Record<string, NodeShape>): readonly number[] | undefined {
  const snapshot = cluster(nodes);
  return plugin.score?.(podInfo(given), snapshot.nodes, snapshot);
}

describe("The best node", () => {
  it("has the most resources left", () => {
    const nodes = { a: { pods: [requesting({ cpu: "2", memory: "4Gi" })] }, b: {} };
    expect(
      scores(nodeResourcesFit({ classOfResource: () => undefined }), requesting({ cpu: "1", memory: "2Gi" }), nodes),
    ).toEqual([25, 75]);
  });

  it("uses CPU and memory in similar proportions", () => {
    const nodes = { a: { pods: [requesting({ cpu: "2" })] }, b: { pods: [requesting({ memory: "4Gi" })] } };
    expect(scores(balancedAllocation, requesting({ cpu: "1" }), nodes)).toEqual([68, 81]);
  });

  it("meets preferences by their weights", () => {
    const preferred = [
      { weight: 30, preference: nodeTerm("disk", "In", "ssd") },
      { weight: 10, preference: nodeTerm("zone", "Exists") },
    ];
    const given = pod({ affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } });
    expect(scores(nodeAffinity, given, { a: { labels: { disk: "ssd", zone: "x" } }, b: zone("x"), c: {} })).toEqual([
      100, 25, 0,
    ]);
  });

  it("has the fewest taints that the pod should avoid", () => {
    const slow = taint("slow", "PreferNoSchedule");
    expect(
      scores(taintToleration, pod(), { a: tainted(slow, taint("old", "PreferNoSchedule")), b: tainted(slow), c: {} }),
    ).toEqual([0, 50, 100]);
  });

  it("has the fewest pods of a preferred spread, and of the same controller", () => {
    const constraint = {
      topologyKey: "kubernetes.io/hostname",
      maxSkew: 1,
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: {},
    };
    const given = pod({ topologySpreadConstraints: [constraint] });
    expect(scores(podTopologySpread, given, { a: { pods: [pod(), pod()] }, b: { pods: [pod()] }, c: {} })).toEqual([
      0, 33, 100,
    ]);
    const owned = (): Pod => {
      const { metadata, spec } = pod({}, { app: "web" });
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "set", controller: true };
      return { metadata: { ...metadata!, ownerReferences: [owner] }, spec: spec! };
    };
    const [a, b] = scores(podTopologySpread, owned(), { a: { pods: [owned()] }, b: {} })!;
    expect(a).toBeLessThan(b!);
  });

  it("is near the pods that it should be near, by their weights", () => {
    const near = {
      weight: 10,
      podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: { app: "cache" } } },
    };
    const far = {
      weight: 5,
      podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: { app: "batch" } } },
    };
    const given = pod({
      affinity: {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [near] },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [far] },
      },
    });
    const nodes = {
      a: zone("x", [pod({}, { app: "cache" })]),
      b: zone("y", [pod({}, { app: "batch" })]),
      c: zone("z"),
    };
    expect(scores(interPodAffinity, given, nodes)).toEqual([100, 0, 33]);
  });
});

describe("The search for nodes", () => {
  const names = Array.from({ length: 150 }, (_, index) => `node-${index}`);
  /** Searches 150 nodes; if `cordoned` is true, only the last one is schedulable. */
  const search = (from: number, cordoned = false) => {
    const shape = (index: number) => ({ spec: { unschedulable: cordoned && index !== 149 } });
    const nodes = cluster(Object.fromEntries(names.map((name, index) => [name, shape(index)])));
    const selection = { plugins: [nodeUnschedulable], cluster: nodes };
    const { fitting, checked, rejections } = filterNodes(podInfo(pod()), selection, from);
    return { fitting: fitting.map(({ name }) => name), checked, rejected: rejections.size };
  };

  it("ends when 100 fit", () => {
    expect(search(0)).toEqual({ fitting: names.slice(0, 100), checked: 100, rejected: 0 });
  });

  it("goes on with the first node after the last", () => {
    const fitting = [...names.slice(100), ...names.slice(0, 50)];
    expect(search(100)).toEqual({ fitting, checked: 100, rejected: 0 });
  });

  it("reads all nodes if fewer fit", () => {
    expect(search(0, true)).toEqual({ fitting: ["node-149"], checked: 150, rejected: 149 });
  });
});
