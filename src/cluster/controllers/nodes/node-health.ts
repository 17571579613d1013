import type { Node, NodeCondition, Taint } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";

const prefix = "node.kubernetes.io/";

/** Conditions that a kubelet reports, and that are unknown when it doesn't. */
const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Taints of conditions by type and status. */
const taintOf: Readonly<Record<string, string>> = {
  "Ready False": "not-ready",
  "Ready Unknown": "unreachable",
  "MemoryPressure True": "memory-pressure",
  "DiskPressure True": "disk-pressure",
  "PIDPressure True": "pid-pressure",
  "NetworkUnavailable True": "network-unavailable",
};

type TaintId = Pick<Taint, "key" | "effect">;

/** Keys of the taints that keep running pods away, too. */
const evicting = new Set(["not-ready", "unreachable"].map((name) => prefix + name));
/** Keys of the taints that follow a node's conditions, by effect. Those with other effects are the user's. */
const owned = {
  NoSchedule: new Set([...Object.values(taintOf), "unschedulable"].map((name) => prefix + name)),
  NoExecute: evicting,
  PreferNoSchedule: new Set<string>(),
};

/** Returns a node's condition `Ready`. */
export function readyCondition({ status }: DeepReadonly<Node>): DeepReadonly<NodeCondition> | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** Returns the conditions of a node that has stopped reporting: all that its kubelet reports are unknown. */
export function unknownConditions(node: DeepReadonly<Node>, nowMs: number): NodeCondition[] {
  const time = formatTime(nowMs);
  const old = (node.status?.conditions ?? []) as NodeCondition[];
  const never = (type: string): NodeCondition => ({
    type,
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: node.metadata!.creationTimestamp!,
    lastTransitionTime: time,
  });
  return [
    ...old.map((condition) =>
      !reported.includes(condition.type) || condition.status === "Unknown"
        ? condition
        : {
            ...condition,
            status: "Unknown",
            reason: "NodeStatusUnknown",
            message: "Kubelet stopped posting node status.",
            lastTransitionTime: time,
          },
    ),
    ...reported.filter((type) => !old.some((condition) => condition.type === type)).map(never),
  ];
}

/** Returns true if a node has a taint that evicts pods because the node isn't ready. */
export function evictsPods({ spec }: DeepReadonly<Node>): boolean {
  return spec?.taints?.some(({ key, effect }) => effect === "NoExecute" && evicting.has(key)) === true;
}

/**
 * Returns the taints that a node should have by its conditions, with all others that it has; `undefined` if it has them.
 * `evict` is true if a node that isn't ready loses its pods.
 */
export function changedTaints(node: DeepReadonly<Node>, nowMs: number, evict: boolean): Taint[] | undefined {
  const has = node.spec?.taints ?? [];
  const wanted = wantedKeys(node).flatMap((key): TaintId[] => [
    { key, effect: "NoSchedule" },
    ...(evict && evicting.has(key) ? [{ key, effect: "NoExecute" as const }] : []),
  ]);
  const same = (a: TaintId, b: TaintId): boolean => a.key === b.key && a.effect === b.effect;
  const kept = has.filter((taint) => !owned[taint.effect].has(taint.key) || wanted.some((each) => same(each, taint)));
  const added = wanted.filter((taint) => !has.some((each) => same(each, taint)));
  if (added.length === 0 && kept.length === has.length) return undefined;
  return [
    ...kept.map((taint) => ({ ...taint })),
    ...added.map((taint) => ({ ...taint, timeAdded: formatTime(nowMs) })),
  ];
}

function wantedKeys({ spec, status }: DeepReadonly<Node>): string[] {
  const names = (status?.conditions ?? []).flatMap((condition) => {
    const name = taintOf[`${condition.type} ${condition.status}`];
    return name === undefined ? [] : [prefix + name];
  });
  return spec?.unschedulable === true ? [...names, `${prefix}unschedulable`] : names;
}
