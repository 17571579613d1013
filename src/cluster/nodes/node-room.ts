import type { Node, Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { matchesNodeAffinity, untoleratedTaint } from "../controllers/shared/node-matching.js";
import { hostPortsOf, portsClash } from "../scheduler/snapshot/host-ports.js";
import { addTo, amountsOf, type Resources } from "../scheduler/snapshot/pod-resources.js";
import type { Reason } from "./pod-host.js";

/** Reasons and messages of a kubelet for pods that a scheduler wouldn't place on its node. */
const otherNode: Reason = {
  reason: "NodeAffinity",
  message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
};
const takenPorts: Reason = {
  reason: "NodePorts",
  message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
};
const tainted: Reason = {
  reason: "TaintToleration",
  message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
};

/** Resources that a kubelet checks before others. It reports only the first that doesn't suffice. */
const checkedFirst = ["pods", "cpu", "memory", "ephemeral-storage"];

/** Returns the resource that a node lacks for a pod next to others; `undefined` if the pod fits. */
export function findShortage(
  requests: Resources,
  others: Iterable<Resources>,
  allocatable: Readonly<Record<string, string>> = {},
): Reason | undefined {
  const capacities = amountsOf(allocatable);
  const used: Record<string, number> = {};
  for (const each of others) {
    addTo(used, each);
    addTo(used, { pods: 1 });
  }
  const wanted: Resources = { ...requests, pods: 1 };
  for (const name of new Set([...checkedFirst, ...Object.keys(requests)])) {
    const requested = wanted[name] ?? 0;
    const capacity = capacities[name];
    const taken = used[name] ?? 0;
    // Resources that the node doesn't know belong to the cluster.
    if (capacity === undefined || requested === 0 || taken + requested <= capacity) continue;
    const amounts = `requested: ${String(requested)}, used: ${String(taken)}, capacity: ${String(capacity)}`;
    return { reason: `OutOf${name}`, message: `Node didn't have enough resource: ${name}, ${amounts}` };
  }
  return undefined;
}

/** Returns why a node can't run a pod next to others, although it has the resources; `undefined` if it can. */
export function findMismatch(
  pod: DeepReadonly<Pod>,
  others: Iterable<DeepReadonly<Pod>>,
  node: DeepReadonly<Node> | undefined,
): Reason | undefined {
  if (node !== undefined && !matchesNodeAffinity(pod, node)) return otherNode;
  const ports = hostPortsOf(pod);
  if (ports.length > 0 && portsClash(ports, [...others].flatMap(hostPortsOf))) return takenPorts;
  return untoleratedTaint(pod, node?.spec?.taints, ["NoExecute"]) === undefined ? undefined : tainted;
}
