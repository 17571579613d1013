import type { KubernetesObject } from "../meta/object.js";
import { getControllerOwner } from "../objects/owner-references.js";

/** What a drain looks at in a pod. */
export interface DrainedPod extends KubernetesObject {
  /** Its volumes, and where it runs. */
  readonly spec?: { readonly volumes?: readonly { readonly emptyDir?: unknown }[] };
  /** Whether it has ended. */
  readonly status?: { readonly phase?: string };
}

/** Which pods a drain takes, and which it may take only if told. */
export interface DrainRules {
  /** Leaves pods of DaemonSets where they are instead of refusing. Default false. */
  readonly ignoreDaemonSets?: boolean;
  /** Takes pods with an `emptyDir`, whose data is lost. Default false. */
  readonly deleteEmptyDirData?: boolean;
  /** Takes pods that no controller will make again. Default false. */
  readonly force?: boolean;
  /** Leaves pods that have been deleted for longer than this, in milliseconds, as those of a node that is gone. Default: none. */
  readonly ignoreDeletedForMs?: number;
}

/** What becomes of a pod: `refuse` keeps the whole drain from beginning. */
export interface DrainDecision {
  readonly action: "take" | "leave" | "refuse";
  /** Why; absent where nothing is special. */
  readonly reason?: string;
}

/** What is to be asked of the server before a decision. */
export type DaemonSetState = "there" | "gone" | "not asked";

/** The DaemonSet that a pod belongs to, if that decides over the pod. */
export function daemonSetOf(pod: DrainedPod): string | undefined {
  const controller = getControllerOwner(pod);
  return controller?.kind === "DaemonSet" && controller.apiVersion === "apps/v1" && !hasEnded(pod)
    ? controller.name
    : undefined;
}

/** What becomes of a pod, by kubectl's rules in kubectl's order. `now` is in milliseconds since the epoch. */
export function decideDrain(pod: DrainedPod, rules: DrainRules, daemonSet: DaemonSetState, now: number): DrainDecision {
  if (isIgnored(pod, rules, now)) return { action: "leave", reason: "deleted long ago" };
  const owner = daemonSetOf(pod);
  if (owner !== undefined) {
    if (daemonSet === "there")
      return rules.ignoreDaemonSets === true
        ? { action: "leave", reason: "belongs to a DaemonSet" }
        : {
            action: "refuse",
            reason: `belongs to the DaemonSet ${JSON.stringify(owner)}, which puts it back at once; ignoreDaemonSets leaves such pods`,
          };
    if (rules.force !== true)
      return { action: "refuse", reason: `its DaemonSet ${JSON.stringify(owner)} is gone; force takes such pods` };
  }
  if (pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined)
    return { action: "leave", reason: "is a mirror of a static pod" };
  if (hasEnded(pod)) return { action: "take" };
  const local = pod.spec?.volumes?.some((volume) => volume.emptyDir !== undefined && volume.emptyDir !== null) === true;
  if (local && rules.deleteEmptyDirData !== true)
    return {
      action: "refuse",
      reason: "has local storage, whose data would be lost; deleteEmptyDirData takes such pods",
    };
  if (getControllerOwner(pod) === undefined)
    return rules.force === true
      ? { action: "take", reason: "has no controller" }
      : { action: "refuse", reason: "has no controller that would make it again; force takes such pods" };
  if (owner !== undefined) return { action: "take", reason: "its DaemonSet is gone" };
  return local ? { action: "take", reason: "has local storage" } : { action: "take" };
}

/** Whether a pod has been deleted for so long that nobody waits for it any more. */
export function isIgnored(pod: DrainedPod, { ignoreDeletedForMs }: DrainRules, now: number): boolean {
  const deleted = pod.metadata?.deletionTimestamp;
  return (
    ignoreDeletedForMs !== undefined && typeof deleted === "string" && now - Date.parse(deleted) > ignoreDeletedForMs
  );
}

function hasEnded(pod: DrainedPod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
