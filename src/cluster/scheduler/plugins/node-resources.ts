import type { ClassOfResource } from "../devices/extended-resources.js";
import { hostPortsOf, portsClash } from "../snapshot/host-ports.js";
import { NodeInfo, type PodInfo } from "../snapshot/node-info.js";
import { amountsOf, podRequests } from "../snapshot/pod-resources.js";
import type { DeviceReader } from "./dynamic-resources.js";
import type { NodeChange, PodChange, Rejection, SchedulerPlugin } from "./plugin.js";
import { bestScore } from "./plugin.js";

/**
 * Creates the rule that rejects nodes without the resources that a pod requests, and prefers those with the most left.
 * Extended resources of a device class that a node doesn't offer are left to the rule for devices.
 */
export function nodeResourcesFit({ classOfResource }: Pick<DeviceReader, "classOfResource">): SchedulerPlugin {
  return {
    name: "NodeResourcesFit",
    filter: (pod) => (node) => insufficient(pod, node, classOfResource),
    mayHelp(change, pod) {
      switch (change.type) {
        case "node":
          return offersMore(change, pod, classOfResource);
        case "pod":
          return change.now === undefined || takesLess(change, pod);
        case "deviceClass":
          return change.resources.some((name) => (pod.requests[name] ?? 0) > 0);
        default:
          return false;
      }
    },
    score: (pod, nodes) => nodes.map((node) => leastAllocated(pod, node)),
  };
}

/** Prefers nodes whose CPU and memory are used in similar proportions with the pod. */
export const balancedAllocation: SchedulerPlugin = {
  name: "NodeResourcesBalancedAllocation",
  score(pod, nodes) {
    if (Object.keys(pod.requests).length === 0) return undefined;
    return nodes.map((node) => {
      const after = balance(node, pod.requests);
      return Math.floor(bestScore / 2 + (bestScore / 2 + after - balance(node, {})) / 2);
    });
  },
};

/** Rejects nodes on which another pod uses one of the pod's host ports. */
export const nodePorts: SchedulerPlugin = {
  name: "NodePorts",
  filter({ hostPorts }) {
    if (hostPorts.length === 0) return undefined;
    const rejection = { reasons: ["node(s) didn't have free ports for the requested pod ports"], resolvable: true };
    return ({ pods }) => {
      const used = [...pods.values()].flatMap((other) => other.hostPorts);
      return portsClash(hostPorts, used) ? rejection : undefined;
    };
  },
  mayHelp(change, { hostPorts }) {
    if (change.type === "node") return change.old === undefined;
    if (change.type !== "pod" || change.now !== undefined) return false;
    return change.old !== undefined && portsClash(hostPorts, hostPortsOf(change.old));
  },
};

/** Returns true if a pod fits on an empty node that is new, or has more of a resource that the pod requests. */
function offersMore({ now, old }: NodeChange, pod: PodInfo, classOfResource: ClassOfResource): boolean {
  if (now === undefined || insufficient(pod, new NodeInfo(now), classOfResource) !== undefined) return false;
  if (old === undefined) return true;
  const [before, after] = [amountsOf(old.status?.allocatable), amountsOf(now.status?.allocatable)];
  const grows = (name: string): boolean => (after[name] ?? 0) > (before[name] ?? 0);
  // Devices provide a resource that the node doesn't offer.
  return grows("pods") || requested(pod).some((name) => grows(name) || (after[name] ?? 0) === 0);
}

/** Returns true if a pod on a node takes less of a resource that another one requests. */
function takesLess({ now, old }: PodChange, pod: PodInfo): boolean {
  if (now === undefined || old === undefined) return false;
  const options = { whileResized: true };
  const [before, after] = [podRequests(old, options), podRequests(now, options)];
  return requested(pod).some((name) => (before[name] ?? 0) > (after[name] ?? 0));
}

/** Returns the names of the resources that a pod requests. */
function requested({ requests }: PodInfo): string[] {
  return Object.keys(requests).filter((name) => requests[name]! > 0);
}

function insufficient(
  { requests }: PodInfo,
  { allocatable, requested, pods }: NodeInfo,
  classOfResource: ClassOfResource,
): Rejection | undefined {
  let reasons: string[] | undefined;
  let resolvable = true;
  if (pods.size + 1 > (allocatable["pods"] ?? 0)) reasons = ["Too many pods"];
  for (const name of Object.keys(requests)) {
    const amount = requests[name]!;
    const total = allocatable[name] ?? 0;
    if (amount === 0 || amount <= total - (requested[name] ?? 0)) continue;
    if (total === 0 && classOfResource(name) !== undefined) continue;
    reasons = [...(reasons ?? []), `Insufficient ${name}`];
    if (amount > total) resolvable = false;
  }
  return reasons && { reasons, resolvable };
}

function leastAllocated({ assumedRequests }: PodInfo, { allocatable, assumedRequested }: NodeInfo): number {
  let sum = 0;
  let count = 0;
  for (const name of ["cpu", "memory"]) {
    const total = allocatable[name] ?? 0;
    if (total === 0) continue;
    const used = (assumedRequested[name] ?? 0) + (assumedRequests[name] ?? 0);
    sum += used > total ? 0 : Math.floor(((total - used) * bestScore) / total);
    count++;
  }
  return count === 0 ? 0 : Math.floor(sum / count);
}

/** Returns 100 if the same fractions of CPU and memory are used, down to 50. */
function balance(node: NodeInfo, more: Readonly<Record<string, number>>): number {
  const cpu = usedFraction(node, "cpu", more);
  const memory = usedFraction(node, "memory", more);
  const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs(cpu - memory) / 2;
  return Math.floor((1 - deviation) * bestScore);
}

/** Returns the fraction of a resource that is used, at most 1; `undefined` if the node has none of it. */
function usedFraction(
  { allocatable, requested }: NodeInfo,
  name: "cpu" | "memory",
  more: Readonly<Record<string, number>>,
): number | undefined {
  const total = allocatable[name] ?? 0;
  return total > 0 ? Math.min(1, ((requested[name] ?? 0) + (more[name] ?? 0)) / total) : undefined;
}
