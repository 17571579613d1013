import type { Deployment, DeploymentStatus, ReplicaSet } from "../../../../kinds/apps/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { intOrPercent } from "../../shared/int-or-percent.js";

/** A ReplicaSet with the number of pods that it should have. */
export interface Scaling {
  readonly set: DeepReadonly<ReplicaSet>;
  readonly replicas: number;
}

/** Annotation of a ReplicaSet: the Deployment's number of pods when it was last scaled, and that number with the surge. */
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Returns the number of pods that a Deployment should have. */
export function desiredReplicas({ spec }: DeepReadonly<Deployment>): number {
  return spec?.replicas ?? 1;
}

/** Returns the number of pods that a ReplicaSet should have. */
export function specReplicas({ spec }: DeepReadonly<ReplicaSet>): number {
  return spec?.replicas ?? 1;
}

/** Returns the sum of a count over ReplicaSets. */
export function sum(
  sets: readonly DeepReadonly<ReplicaSet>[],
  count: (set: DeepReadonly<ReplicaSet>) => number | undefined,
): number {
  return sets.reduce((total, set) => total + (count(set) ?? 0), 0);
}

/**
 * Returns the pods that a rolling update may have above and below the desired number. Both are zero at once only if no
 * pods are desired and the surge is zero.
 */
export function rollingLimits(deployment: DeepReadonly<Deployment>): { maxSurge: number; maxUnavailable: number } {
  const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
  const desired = desiredReplicas(deployment);
  if (type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = intOrPercent(rollingUpdate?.maxSurge, desired, "up");
  const maxUnavailable = intOrPercent(rollingUpdate?.maxUnavailable, desired, "down");
  const least = maxSurge === 0 ? 1 : 0;
  return { maxSurge, maxUnavailable: Math.min(Math.max(maxUnavailable, least), desired) };
}

/** Returns the number of pods that the current ReplicaSet should have now: as many as the surge allows. */
export function currentReplicas(
  deployment: DeepReadonly<Deployment>,
  all: readonly DeepReadonly<ReplicaSet>[],
  current: number,
): number {
  const desired = desiredReplicas(deployment);
  if (deployment.spec?.strategy?.type === "Recreate" || current > desired) return desired;
  const room = desired + rollingLimits(deployment).maxSurge - sum(all, specReplicas);
  return current + Math.max(0, Math.min(room, desired - current));
}

/**
 * Returns how a rolling update scales the old ReplicaSets down: first pods that aren't available, then as many available
 * ones as may be missing. A set with more available pods than it should have was just scaled down, and its status is out
 * of date: nothing else is scaled until it's written.
 */
export function scaleDownOld(
  deployment: DeepReadonly<Deployment>,
  current: DeepReadonly<ReplicaSet>,
  old: readonly DeepReadonly<ReplicaSet>[],
): Scaling[] {
  const all = [...old, current];
  const minAvailable = desiredReplicas(deployment) - rollingLimits(deployment).maxUnavailable;
  const missing = specReplicas(current) - (current.status?.availableReplicas ?? 0);
  let unhealthy = sum(all, specReplicas) - minAvailable - missing;
  if (unhealthy <= 0 || sum(old, specReplicas) === 0) return [];
  const active = oldestFirst(old).filter((set) => specReplicas(set) > 0);
  if (active.some((set) => (set.status?.availableReplicas ?? 0) > specReplicas(set))) return [];
  let healthy = sum(all, ({ status }) => status?.availableReplicas) - minAvailable;
  return active
    .map((set) => {
      const count = Math.min(unhealthy, specReplicas(set) - (set.status?.availableReplicas ?? 0));
      unhealthy -= count;
      return { set, replicas: specReplicas(set) - count };
    })
    .map(({ set, replicas }) => {
      const count = Math.max(0, Math.min(healthy, replicas));
      healthy -= count;
      return { set, replicas: replicas - count };
    })
    .filter(({ set, replicas }) => replicas !== specReplicas(set));
}

/**
 * Returns how a change of the Deployment's number of pods is shared among its ReplicaSets. In the middle of a rolling
 * update each gets its proportion.
 */
export function scaleProportionally(
  deployment: DeepReadonly<Deployment>,
  current: DeepReadonly<ReplicaSet> | undefined,
  old: readonly DeepReadonly<ReplicaSet>[],
): Scaling[] {
  const all = current === undefined ? old : [...old, current];
  const active = all.filter((set) => specReplicas(set) > 0);
  const desired = desiredReplicas(deployment);
  if (active.length <= 1) {
    const only = active[0] ?? current ?? oldestFirst(old).at(-1);
    return only === undefined || specReplicas(only) === desired ? [] : [{ set: only, replicas: desired }];
  }
  if (current !== undefined && isSaturated(current, desired))
    return old.filter((set) => specReplicas(set) > 0).map((set) => ({ set, replicas: 0 }));
  if (deployment.spec?.strategy?.type === "Recreate") return [];
  const allowed = desired === 0 ? 0 : desired + rollingLimits(deployment).maxSurge;
  const toAdd = allowed - sum(active, specReplicas);
  let left = toAdd;
  const bySize = oldestFirst(active);
  if (toAdd > 0) bySize.reverse();
  bySize.sort((a, b) => specReplicas(b) - specReplicas(a));
  const shares = bySize.map((set) => {
    const share = limitTo(shareOf(set, deployment, allowed), left);
    left -= share;
    return { set, replicas: specReplicas(set) + share };
  });
  // What rounding leaves goes to the largest.
  return shares.map((share, index) =>
    index === 0 ? { ...share, replicas: Math.max(0, share.replicas + left) } : share,
  );
}

function isSaturated({ spec, status, metadata }: DeepReadonly<ReplicaSet>, desired: number): boolean {
  return (
    spec?.replicas === desired &&
    metadata?.annotations?.[desiredAnnotation] === String(desired) &&
    status?.availableReplicas === desired
  );
}

/** Returns the pods by which one ReplicaSet changes so that its part of the whole stays the same. */
function shareOf(set: DeepReadonly<ReplicaSet>, deployment: DeepReadonly<Deployment>, allowed: number): number {
  const size = specReplicas(set);
  if (desiredReplicas(deployment) === 0) return -size;
  const before = Number(set.metadata?.annotations?.[maxAnnotation]) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * allowed) / before) - size;
}

/** Returns the value, but no more than the limit, both in its direction. */
function limitTo(value: number, limit: number): number {
  return limit > 0 ? Math.min(Math.max(0, value), limit) : Math.max(Math.min(0, value), limit);
}

/** Returns the ReplicaSets in the order of their creation. */
export function oldestFirst(sets: readonly DeepReadonly<ReplicaSet>[]): DeepReadonly<ReplicaSet>[] {
  const keyOf = ({ metadata }: DeepReadonly<ReplicaSet>): string =>
    `${metadata?.creationTimestamp ?? ""}/${metadata?.name ?? ""}`;
  return [...sets].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns true if all pods of a Deployment are of its template and available. */
export function isComplete(deployment: DeepReadonly<Deployment>, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0)
  );
}
