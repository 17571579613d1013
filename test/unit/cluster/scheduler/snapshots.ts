import { SchedulerSnapshot } from "../../../../src/cluster/scheduler/snapshot/scheduler-snapshot.js";
import type { Node, Pod, PodSpec } from "../../../../src/kinds/core/v1.js";

/** A node, and the pods on it. */
export interface NodeShape {
  labels?: Record<string, string>;
  spec?: Node["spec"];
  allocatable?: Record<string, string>;
  pods?: Pod[];
}

let uids = 0;

/** Returns a pod with a UID of its own. */
export function pod(spec: object = {}, labels: Record<string, string> = {}): Pod {
  return {
    metadata: { name: "pod", namespace: "default", uid: `uid-${++uids}`, labels },
    spec: { containers: [], ...spec } as PodSpec,
  };
}

/** Returns a pod with one container that requests resources. */
export function requesting(requests: Record<string, string>): Pod {
  return pod({ containers: [{ name: "main", resources: { requests } }] });
}

/** Returns a snapshot of nodes and their pods. */
export function cluster(nodes: Record<string, NodeShape>): SchedulerSnapshot {
  const snapshot = new SchedulerSnapshot((name) => ({ team: name }));
  for (const [name, { labels = {}, spec = {}, allocatable = {}, pods = [] }] of Object.entries(nodes)) {
    snapshot.setNode({
      metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
      spec,
      status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable } },
    });
    for (const each of pods) snapshot.setPod({ ...each, spec: { ...each.spec!, nodeName: name } }, name);
  }
  return snapshot;
}

export const taint = (key: string, effect: string, value = ""): object => ({ key, effect, value });
export const tainted = (...taints: object[]): NodeShape => ({ spec: { taints } as Node["spec"] });
export const zone = (name: string, pods: Pod[] = []): NodeShape => ({ labels: { zone: name }, pods });
export const nodeTerm = (key: string, operator: string, ...values: string[]): object => ({
  matchExpressions: [{ key, operator, values }],
});
