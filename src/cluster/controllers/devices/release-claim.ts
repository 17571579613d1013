import { isNotFound } from "../../../errors/predicates.js";
import { Pod } from "../../../kinds/core/v1.js";
import { ResourceClaim, type ResourceClaimConsumerReference } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../objects/finalizers.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { isFinished } from "../shared/pods.js";

/** Finalizer of an allocated claim. */
const finalizer = "resource.kubernetes.io/delete-protection";

/**
 * Removes the reservations for pods that have ended from a claim. When the last one goes, the claim is deallocated. A claim
 * that was made for a pod is deleted when that pod has ended.
 */
export async function releaseClaim(
  context: ClusterContext,
  claim: DeepReadonly<ResourceClaim>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = claim.metadata!;
  const claims = context.client.resource(ResourceClaim).namespace(namespace!);
  const { allocation, reservedFor = [], ...rest } = claim.status ?? {};
  const kept = await keptReservations(context, claim, signal);
  const isReleased = kept.length < reservedFor.length;
  const endsUse = kept.length === 0 && (isReleased || isBeingDeleted(claim)) && hasFinalizer(claim, finalizer);
  if (isReleased || (endsUse && allocation !== undefined)) {
    const status = { ...rest, ...(!endsUse && { allocation }), reservedFor: kept };
    await claims.subresource("status").update({ ...claim, status } as ResourceClaim, { signal });
  }
  if (endsUse) await removeFinalizer(claims, name!, finalizer, { signal });
  if (kept.length > 0 || isBeingDeleted(claim) || !isLeftOver(context, claim)) return;
  await claims.delete(name!, { preconditions: { uid: uid! }, signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Returns the reservations for pods that still run, or will, and those for consumers of other kinds. */
async function keptReservations(
  { client, cache }: ClusterContext,
  { metadata, status }: DeepReadonly<ResourceClaim>,
  signal: AbortSignal,
): Promise<DeepReadonly<ResourceClaimConsumerReference>[]> {
  const namespace = metadata!.namespace!;
  const kept: DeepReadonly<ResourceClaimConsumerReference>[] = [];
  for (const consumer of status?.reservedFor ?? []) {
    if (consumer.resource !== "pods" || (consumer.apiGroup ?? "") !== "") {
      kept.push(consumer);
      continue;
    }
    // The cache may lack a new pod.
    const pod =
      cache(Pod).store.get(`${namespace}/${consumer.name}`) ??
      (await client.resource(Pod).namespace(namespace).getOptional(consumer.name, { signal }));
    if (pod?.metadata?.uid === consumer.uid && !isDone(pod)) kept.push(consumer);
  }
  return kept;
}

/** Returns true for a claim whose pod has ended or was replaced. If the pod is gone, the claim is garbage. */
function isLeftOver({ cache }: ClusterContext, claim: DeepReadonly<ResourceClaim>): boolean {
  const owner = getControllerOwner(claim);
  if (owner?.kind !== "Pod" || owner.apiVersion !== "v1") return false;
  const pod = cache(Pod).store.get(`${claim.metadata!.namespace}/${owner.name}`);
  return pod !== undefined && (pod.metadata?.uid !== owner.uid || isDone(pod));
}

/** Returns true for a pod whose containers don't run, and never will. */
function isDone(pod: DeepReadonly<Pod>): boolean {
  return isFinished(pod) || (isBeingDeleted(pod) && pod.spec?.nodeName === undefined);
}
