import type { DaemonSet } from "../../../../kinds/apps/v1.js";
import type { Node, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { intOrPercent } from "../../shared/int-or-percent.js";
import { availableInMs, isFinished, isReady } from "../../shared/pods.js";
import { isCurrent, nodeOf, placementOn } from "./node-pods.js";

type Set = DeepReadonly<DaemonSet>;
type PodOf = DeepReadonly<Pod>;

/** A node, whether it should run a pod, and the pods that it has, the oldest first. */
export interface NodeState {
  readonly name: string;
  readonly exists: boolean;
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
  readonly pods: readonly PodOf[];
}

/** Nodes that get a pod, and pods that go. */
export interface Step {
  readonly create: readonly string[];
  readonly delete: readonly PodOf[];
  /** Pods that have ended, to replace. */
  readonly ended: readonly PodOf[];
}

/**
 * Sorts the pods of a DaemonSet by node. Pods of nodes that don't exist have a state of their own; deleted pods that have
 * ended don't count, even if a finalizer keeps them.
 */
export function nodeStates(set: Set, nodes: readonly DeepReadonly<Node>[], pods: readonly PodOf[]): NodeState[] {
  const byNode = new Map<string, PodOf[]>();
  for (const pod of [...pods].sort(oldestFirst)) {
    if (isTerminating(pod) && isFinished(pod)) continue;
    const node = nodeOf(pod) ?? "";
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  const states = nodes.map((node): NodeState => {
    const name = node.metadata!.name!;
    const own = byNode.get(name) ?? [];
    byNode.delete(name);
    return { name, exists: true, ...placementOn(set, node), pods: own };
  });
  for (const [name, left] of byNode) states.push({ name, exists: false, shouldRun: false, mayStay: false, pods: left });
  return states;
}

function isScheduled({ spec }: PodOf): boolean {
  return (spec?.nodeName ?? "") !== "";
}

/** Orders pods: scheduled ones first, then the oldest. */
function oldestFirst(a: PodOf, b: PodOf): number {
  if (isScheduled(a) !== isScheduled(b)) return isScheduled(a) ? -1 : 1;
  const [first = "", second = ""] = [a, b].map(({ metadata }) => metadata?.creationTimestamp ?? "");
  return first < second || (first === second && a.metadata!.name! < b.metadata!.name!) ? -1 : 1;
}

/** Decides which nodes get a pod and which pods go: misplaced ones, duplicates, and those of old templates. */
export function nextStep(set: Set, states: readonly NodeState[], hash: string, nowMs: number): Step {
  const create: string[] = [];
  const doomed: PodOf[] = [];
  const ended: PodOf[] = [];
  const surge = surgeOf(set, states);
  for (const { name, exists, shouldRun, mayStay, pods } of states) {
    const staying = pods.filter((pod) => !isTerminating(pod));
    if (!mayStay) {
      // The garbage collector removes the pods that were on a missing node.
      doomed.push(...(exists ? staying : staying.filter((pod) => !isScheduled(pod))));
      continue;
    }
    ended.push(...staying.filter(isFinished));
    const running = staying.filter((pod) => !isFinished(pod));
    // With a surge, a new pod doesn't wait until the one that ends is gone.
    if (shouldRun && (surge > 0 ? running : pods).length === 0) create.push(name);
    else doomed.push(...(surge === 0 ? running.slice(1) : excess(set, running, hash)));
  }
  if (set.spec?.updateStrategy?.type === "OnDelete") return { create, delete: doomed, ended };
  const update =
    surge > 0 ? updateBySurge(set, states, { hash, nowMs, surge }) : updateInPlace(set, states, hash, nowMs);
  return {
    create: [...create, ...update.create],
    delete: [...new Set([...doomed, ...update.delete])],
    ended,
  };
}

/**
 * Returns the pods of a node that are too many while pods are replaced before they go: one of the current template may
 * stand next to an old one that is ready.
 */
function excess(set: Set, running: readonly PodOf[], hash: string): readonly PodOf[] {
  const current = running.find((pod) => isCurrent(set, pod, hash));
  const old = running.find((pod) => !isCurrent(set, pod, hash));
  return running.filter((pod) => (pod === old ? current !== undefined && !isReady(old) : pod !== current));
}

/** Replaces old pods after they are gone, with at most `maxUnavailable` nodes without an available pod. */
function updateInPlace(set: Set, states: readonly NodeState[], hash: string, nowMs: number): Omit<Step, "ended"> {
  const limit = limitOf(set, states);
  const broken: PodOf[] = [];
  const candidates: PodOf[] = [];
  let unavailable = 0;
  for (const { shouldRun, pods } of states) {
    const pod = pods.find((each) => !isTerminating(each));
    const old = pod !== undefined && !isCurrent(set, pod, hash);
    // A pod that ends counts, too, also on a lost node that should run none now.
    if (pod === undefined) unavailable += shouldRun || pods.length > 0 ? 1 : 0;
    else if (!isAvailable(set, pod, nowMs)) {
      unavailable++;
      if (old) broken.push(pod);
    } else if (old) candidates.push(pod);
  }
  return { create: [], delete: [...broken, ...candidates.slice(0, Math.max(0, limit - unavailable))] };
}

/**
 * Creates new pods next to the old ones, on at most `surge` nodes, and removes the old ones once those are available. On
 * nodes that get no new pod, the old one goes as soon as enough others are available.
 */
function updateBySurge(
  set: Set,
  states: readonly NodeState[],
  { hash, nowMs, surge }: { hash: string; nowMs: number; surge: number },
): Omit<Step, "ended"> {
  const create: string[] = [];
  const candidates: string[] = [];
  const doomed: PodOf[] = [];
  const leaving: PodOf[] = [];
  let [surging, available] = [0, 0];
  for (const { name, shouldRun, mayStay, pods } of states) {
    if (!mayStay) continue;
    const staying = pods.filter((pod) => !isTerminating(pod) && !isFinished(pod));
    if (excess(set, staying, hash).length > 0) {
      // They go first.
      surging++;
      continue;
    }
    const current = staying.find((pod) => isCurrent(set, pod, hash));
    const old = staying.find((pod) => !isCurrent(set, pod, hash));
    const oldest = old ?? current;
    const isServing = oldest !== undefined && isAvailable(set, oldest, nowMs);
    if (isServing) available++;
    if (old === undefined) continue;
    if (current !== undefined) {
      if (isAvailable(set, current, nowMs)) doomed.push(old);
      else surging++;
    } else if (shouldRun) (isServing ? candidates : create).push(name);
    else (isServing ? leaving : doomed).push(old);
  }
  const spare = Math.max(0, available - desired(states));
  return {
    create: [...create, ...candidates.slice(0, Math.max(0, surge - surging))],
    delete: [...doomed, ...leaving.slice(0, spare)],
  };
}

function surgeOf(set: Set, states: readonly NodeState[]): number {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  return type === "OnDelete" ? 0 : intOrPercent(rollingUpdate?.maxSurge, desired(states), "up");
}

function limitOf(set: Set, states: readonly NodeState[]): number {
  return Math.max(1, intOrPercent(set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired(states), "up"));
}

function desired(states: readonly NodeState[]): number {
  return states.filter(({ shouldRun }) => shouldRun).length;
}

function isTerminating({ metadata }: PodOf): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Returns true for a pod that has been ready for `minReadySeconds`. */
function isAvailable(set: Set, pod: PodOf, nowMs: number): boolean {
  return !isTerminating(pod) && availableInMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) === 0;
}
