import type { StatefulSet } from "../../../../kinds/apps/v1.js";
import type { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { availableInMs, isFinished } from "../../shared/pods.js";
import { ordinalOf, revisionLabel } from "./ordinal-pods.js";

type Set = DeepReadonly<StatefulSet>;
type PodOf = DeepReadonly<Pod>;

/**
 * Work for an ordinal that should have a pod. `create` makes the pod, and `replace` deletes one that has ended. `keep`
 * checks the claims, labels and volumes of a pod, `await` only its claims: the ordinals after it wait for it.
 */
export type Task =
  | { readonly action: "create"; readonly ordinal: number }
  | { readonly action: "replace" | "keep" | "await"; readonly pod: PodOf };

/** Work for a StatefulSet now. */
export interface Step {
  /** Work for the ordinals that should have a pod, ascending. */
  readonly tasks: readonly Task[];
  /** Surplus pods, when it is their turn. */
  readonly surplus: readonly PodOf[];
  /** Pods to delete when that has succeeded: surplus ones, and those that a rolling update replaces. */
  readonly delete: readonly PodOf[];
}

/** Pods of a StatefulSet by their place. */
export interface Places {
  /** Ordinals that should have a pod, ascending, each with the pod it has. */
  readonly wanted: readonly { readonly ordinal: number; readonly pod: PodOf | undefined }[];
  /** Pods of other ordinals, the highest first. */
  readonly surplus: readonly PodOf[];
}

/** Sorts the pods of a StatefulSet by ordinal. */
export function placesOf(set: Set, pods: readonly PodOf[]): Places {
  const first = firstOrdinal(set);
  const count = set.spec?.replicas ?? 1;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod) ?? -1, pod]));
  const isWanted = (ordinal: number): boolean => ordinal >= first && ordinal < first + count;
  return {
    wanted: Array.from({ length: count }, (_, index) => ({
      ordinal: first + index,
      pod: byOrdinal.get(first + index),
    })),
    surplus: [...byOrdinal]
      .filter(([ordinal]) => !isWanted(ordinal))
      .sort(([a], [b]) => b - a)
      .map(([, pod]) => pod),
  };
}

/**
 * Decides what to do next. Ordered sets create their pods one after the other, each when those before it are available,
 * and delete them in reverse. Parallel sets wait for none. A rolling update starts when no pod is missing.
 */
export function nextStep(set: Set, places: Places, updateRevision: string, nowMs: number): Step {
  const ordered = set.spec?.podManagementPolicy !== "Parallel";
  const tasks: Task[] = [];
  const doomed: PodOf[] = [];
  const stop = (): Step => ({ tasks, surplus: places.surplus, delete: doomed });
  for (const { ordinal, pod } of places.wanted) {
    const available = pod !== undefined && isAvailable(set, pod, nowMs);
    if (pod === undefined) tasks.push({ action: "create", ordinal });
    else if (!isTerminating(pod))
      tasks.push({ action: isFinished(pod) ? "replace" : available || !ordered ? "keep" : "await", pod });
    if (ordered && !available) return { tasks, surplus: [], delete: [] };
  }
  // A surplus pod that isn't available goes only if none of a lower ordinal is like it.
  const unhealthy = places.surplus.findLast((pod) => !isAvailable(set, pod, nowMs));
  for (const pod of places.surplus) {
    if (isTerminating(pod)) {
      if (ordered) return stop();
      continue;
    }
    if (ordered && !isAvailable(set, pod, nowMs) && pod !== unhealthy) return stop();
    doomed.push(pod);
    if (ordered) return stop();
  }
  if (!tasks.some(({ action }) => action === "create") && set.spec?.updateStrategy?.type !== "OnDelete") {
    const old = outdated(set, places, updateRevision, nowMs);
    // One that has ended is replaced anyway.
    if (old !== undefined && !isFinished(old)) doomed.push(old);
  }
  return stop();
}

/** Returns the first ordinal of a set. */
function firstOrdinal({ spec }: Set): number {
  return spec?.ordinals?.start ?? 0;
}

/** Returns the first ordinal that a rolling update replaces: the partition counts from the first ordinal of the set. */
export function firstUpdated(set: Set): number {
  return firstOrdinal(set) + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** Returns the pod that a rolling update replaces now: the last one of an old revision, once those after it are available. */
function outdated(set: Set, { wanted }: Places, updateRevision: string, nowMs: number): PodOf | undefined {
  for (const { ordinal, pod } of [...wanted].reverse()) {
    if (ordinal < firstUpdated(set) || pod === undefined) return undefined;
    if (pod.metadata?.labels?.[revisionLabel] !== updateRevision && !isTerminating(pod)) return pod;
    if (!isAvailable(set, pod, nowMs)) return undefined;
  }
  return undefined;
}

function isTerminating({ metadata }: PodOf): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Returns true for a pod that runs, isn't being deleted and has been ready for `minReadySeconds`. */
function isAvailable(set: Set, pod: PodOf, nowMs: number): boolean {
  if (isTerminating(pod) || pod.status?.phase !== "Running") return false;
  return availableInMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) === 0;
}
