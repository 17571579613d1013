import type { KubernetesObject } from "../meta/object.js";
import { getControllerOwner } from "../objects/owner-references.js";

/** The fields of a pod that a drain reads. */
export interface DrainedPod extends KubernetesObject {
  /** Volumes of the pod. */
  readonly spec?: { readonly volumes?: readonly { readonly emptyDir?: unknown }[] };
  /** Phase of the pod. */
  readonly status?: { readonly phase?: string };
}

/** Rules that decide which pods a drain may remove. By default it refuses pods whose removal loses data or is pointless. */
export interface DrainRules {
  /** True to skip pods of DaemonSets instead of refusing the drain. Default `false`. */
  readonly ignoreDaemonSets?: boolean | undefined;
  /** True to remove pods with `emptyDir` volumes, whose data is lost. Default `false`. */
  readonly deleteEmptyDirData?: boolean | undefined;
  /** True to remove pods that no controller will recreate. Default `false`. */
  readonly force?: boolean | undefined;
  /**
   * Skips pods whose deletion began longer than this many milliseconds ago, such as those of a node that is gone.
   * Default: none are skipped.
   */
  readonly ignoreDeletedForMs?: number | undefined;
}

/** Decision for one pod. `refuse` prevents the whole drain. */
export interface DrainDecision {
  readonly action: "take" | "leave" | "refuse";
  /** Reason; absent for an ordinary pod. */
  readonly reason?: string;
}

/** Existence of the DaemonSet that owns a pod, as far as it was queried. */
export type DaemonSetState = "exists" | "missing" | "unknown";

/** Returns the name of the pod's DaemonSet if it affects the decision. */
export function daemonSetOf(pod: DrainedPod): string | undefined {
  const controller = getControllerOwner(pod);
  return controller?.kind === "DaemonSet" && controller.apiVersion === "apps/v1" && !hasEnded(pod)
    ? controller.name
    : undefined;
}

/** Decides on a pod by kubectl's rules, in kubectl's order. `now` is in milliseconds since the epoch. */
export function decideDrain(pod: DrainedPod, rules: DrainRules, daemonSet: DaemonSetState, now: number): DrainDecision {
  if (isIgnored(pod, rules, now)) return { action: "leave", reason: "deleted long ago" };
  const owner = daemonSetOf(pod);
  if (owner !== undefined) {
    if (daemonSet === "exists")
      return rules.ignoreDaemonSets === true
        ? { action: "leave", reason: "is managed by a DaemonSet" }
        : {
            action: "refuse",
            reason: `is managed by DaemonSet ${JSON.stringify(owner)}, which would recreate it; set ignoreDaemonSets to skip such pods`,
          };
    if (rules.force !== true)
      return {
        action: "refuse",
        reason: `its DaemonSet ${JSON.stringify(owner)} doesn't exist; set force to remove such pods`,
      };
  }
  if (pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined)
    return { action: "leave", reason: "is the mirror of a static pod" };
  if (hasEnded(pod)) return { action: "take" };
  const local = pod.spec?.volumes?.some((volume) => volume.emptyDir !== undefined && volume.emptyDir !== null) === true;
  if (local && rules.deleteEmptyDirData !== true)
    return {
      action: "refuse",
      reason: "has emptyDir volumes, whose data would be lost; set deleteEmptyDirData to remove such pods",
    };
  if (getControllerOwner(pod) === undefined)
    return rules.force === true
      ? { action: "take", reason: "has no controller" }
      : { action: "refuse", reason: "has no controller that would recreate it; set force to remove such pods" };
  if (owner !== undefined) return { action: "take", reason: "its DaemonSet doesn't exist" };
  return local ? { action: "take", reason: "has emptyDir volumes" } : { action: "take" };
}

/** Returns true if the pod's deletion began so long ago that the drain doesn't wait for it. */
export function isIgnored(pod: DrainedPod, { ignoreDeletedForMs }: DrainRules, now: number): boolean {
  const deleted = pod.metadata?.deletionTimestamp;
  return (
    ignoreDeletedForMs !== undefined && typeof deleted === "string" && now - Date.parse(deleted) > ignoreDeletedForMs
  );
}

function hasEnded(pod: DrainedPod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
