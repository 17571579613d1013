import { addTo, amountsOf, type Resources } from "../scheduler/snapshot/pod-resources.js";

/** Resource that a node doesn't have for a pod, with the reason and the message of a kubelet. */
export interface Shortage {
  readonly reason: string;
  readonly message: string;
}

/** Returns the resource that a node lacks for a pod next to others; `undefined` if the pod fits. */
export function findShortage(
  requests: Resources,
  others: Iterable<Resources>,
  allocatable: Readonly<Record<string, string>> = {},
): Shortage | undefined {
  const capacities = amountsOf(allocatable);
  const used: Record<string, number> = {};
  for (const each of others) {
    addTo(used, each);
    addTo(used, { pods: 1 });
  }
  // Resources that the node doesn't know belong to the cluster.
  for (const [name, requested] of Object.entries({ pods: 1, ...requests })) {
    const capacity = capacities[name];
    const taken = used[name] ?? 0;
    if (capacity === undefined || requested === 0 || taken + requested <= capacity) continue;
    const amounts = `requested: ${String(requested)}, used: ${String(taken)}, capacity: ${String(capacity)}`;
    return { reason: `OutOf${name}`, message: `Node didn't have enough resource: ${name}, ${amounts}` };
  }
  return undefined;
}
