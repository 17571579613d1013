import type { Pod, PodCondition, PodSpec, PodTemplateSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import { ownerReference } from "../../../objects/owner-references.js";

/** Returns true for a pod that runs or will run: it isn't finished and isn't being deleted. */
export function isActive(pod: DeepReadonly<Pod>): boolean {
  return !isFinished(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** Returns true for a pod whose containers have ended for good. */
export function isFinished(pod: DeepReadonly<Pod>): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Returns true for a pod that is being deleted and whose containers haven't all ended for good. */
export function isTerminating(pod: DeepReadonly<Pod>): boolean {
  return pod.metadata?.deletionTimestamp !== undefined && !isFinished(pod);
}

/** Returns the condition `Ready` of a pod. */
function readyCondition(pod: DeepReadonly<Pod>): DeepReadonly<PodCondition> | undefined {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}

/** Returns true if the pod's condition `Ready` is true. */
export function isReady(pod: DeepReadonly<Pod>): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Returns the time in milliseconds since the epoch at which a pod became ready; `undefined` if it isn't. */
export function readySince(pod: DeepReadonly<Pod>): number | undefined {
  const condition = readyCondition(pod);
  return condition?.status === "True" ? parseTime(condition.lastTransitionTime)?.getTime() : undefined;
}

/**
 * Returns the time in milliseconds until a ready pod counts as available; 0 if it does, `undefined` if it isn't ready.
 */
export function availableInMs(pod: DeepReadonly<Pod>, minReadySeconds: number, nowMs: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1_000 - nowMs);
}

/** Returns when to reconcile again: after the shortest of the waiting times that isn't over. */
export function nextCheck(waits: readonly (number | undefined)[]): { requeueAfterMs: number } | undefined {
  const pending = waits.filter((ms) => ms !== undefined && ms > 0) as number[];
  return pending.length === 0 ? undefined : { requeueAfterMs: Math.min(...pending) };
}

/**
 * Returns a pod as a template describes it, owned by the given object. Its spec is a shallow copy: pods of a template share
 * the parts, which must not be changed.
 */
export function podFromTemplate(
  template: DeepReadonly<PodTemplateSpec> | undefined,
  owner: DeepReadonly<KubernetesObject>,
): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const prefix = `${owner.metadata?.name ?? ""}-`;
  return {
    metadata: {
      // A name that is too long for a prefix is cut by the server.
      generateName: prefix,
      namespace: owner.metadata!.namespace!,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [ownerReference(owner, { controller: true })],
    },
    spec: { ...template?.spec } as NonNullable<Pod["spec"]>,
  };
}

/** Returns true if a restart rule of a pod may restart all of its containers. */
export function mayRestartAll({ initContainers = [], containers }: DeepReadonly<PodSpec>): boolean {
  return [...initContainers, ...containers].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"),
  );
}
