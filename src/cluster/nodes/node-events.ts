import type { Change } from "../../cache/store/change.js";
import { Node } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import type { SimulatedNode } from "./simulated-node.js";

/** Reasons of events by condition and its new status. */
const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MemoryPressure: { False: "NodeHasSufficientMemory", True: "NodeHasInsufficientMemory" },
  DiskPressure: { False: "NodeHasNoDiskPressure", True: "NodeHasDiskPressure" },
  PIDPressure: { False: "NodeHasSufficientPID", True: "NodeHasInsufficientPID" },
  Ready: { False: "NodeNotReady", True: "NodeReady" },
};

/** Records the events of kubelets about changes of their nodes. Returns a function that ends it. */
export function recordNodeEvents(
  { cache, recorder }: ClusterContext,
  nodes: ReadonlyMap<string, SimulatedNode>,
): () => void {
  const cordoned = new Set<string>();
  const { remove } = cache(Node).addHandler((change) => {
    const { metadata, spec } = change.object;
    const name = metadata!.name!;
    if (change.type === "deleted") cordoned.delete(name);
    if (change.type !== "updated" || nodes.get(name)?.state !== "up") return;
    const events = conditionReasons(change);
    const isCordoned = spec?.unschedulable === true;
    if (isCordoned !== cordoned.has(name)) events.push(isCordoned ? "NodeNotSchedulable" : "NodeSchedulable");
    if (isCordoned) cordoned.add(name);
    else cordoned.delete(name);
    for (const reason of events)
      recorder("kubelet", name).event(
        { apiVersion: "v1", kind: "Node", name },
        { reason, note: `Node ${name} status is now: ${reason}` },
      );
  });
  return remove;
}

function conditionReasons({ object: node, old }: Extract<Change<Node>, { type: "updated" }>): string[] {
  const statusOf = ({ status }: DeepReadonly<Node>, type: string): string =>
    status?.conditions?.find((condition) => condition.type === type)?.status ?? "";
  return Object.keys(reasons).flatMap((type) => {
    const status = statusOf(node, type);
    return status === statusOf(old, type) ? [] : (reasons[type]![status] ?? []);
  });
}
