import type { Client } from "../../../client/client.js";
import type { Pod } from "../../../kinds/core/v1.js";
import { ResourceClaim, type ResourceClaimStatus } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Use of a ResourceClaim by a pod. */
export interface DeviceClaimUse {
  /** Name of the entry in the pod's `spec.resourceClaims`. */
  readonly entry: string;
  /** Name of the claim; `undefined` while it has yet to be made from a template. */
  readonly claim: string | undefined;
  /** True for a claim that is made for the pod. */
  readonly isMade: boolean;
}

/** Returns the ResourceClaims that a pod uses. Entries for which it needs none are left out. */
export function deviceClaims({ spec, status }: DeepReadonly<Pod>): DeviceClaimUse[] {
  return (spec?.resourceClaims ?? []).flatMap(({ name: entry, resourceClaimName, resourceClaimTemplateName }) => {
    if (resourceClaimTemplateName === undefined) return { entry, claim: resourceClaimName, isMade: false };
    const made = status?.resourceClaimStatuses?.find(({ name }) => name === entry);
    const claim = made?.resourceClaimName;
    return made !== undefined && claim === undefined ? [] : { entry, claim, isMade: true };
  });
}

/** Returns the ResourceClaims that a pod uses, with the one that the scheduler made for its extended resources. */
export function allDeviceClaims(pod: DeepReadonly<Pod>): DeviceClaimUse[] {
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const uses = deviceClaims(pod);
  return extended === undefined ? uses : [...uses, { entry: "extended resources", claim: extended, isMade: true }];
}

/** Most pods that can use a claim at the same time. */
export const mostPods = 256;

/** Returns true if a claim is reserved for a pod. */
export function isReservedFor({ status }: DeepReadonly<ResourceClaim>, { metadata }: DeepReadonly<Pod>): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === metadata?.uid) === true;
}

/** Returns the status of a claim with a reservation for a pod. */
export function withReservation(status: ResourceClaimStatus, { metadata }: DeepReadonly<Pod>): ResourceClaimStatus {
  const { reservedFor = [] } = status;
  if (reservedFor.some(({ uid }) => uid === metadata!.uid)) return status;
  return { ...status, reservedFor: [...reservedFor, { resource: "pods", name: metadata!.name!, uid: metadata!.uid! }] };
}

/** Changes the status of a claim; tries again after a conflict. The server refuses what contradicts its state. */
export async function updateClaimStatus(
  client: Client,
  { metadata }: DeepReadonly<ResourceClaim>,
  change: (status: ResourceClaimStatus) => ResourceClaimStatus,
  signal: AbortSignal,
): Promise<ResourceClaim> {
  return client
    .resource(ResourceClaim)
    .namespace(metadata!.namespace!)
    .subresource("status")
    .update(metadata!.name!, ({ status = {}, ...rest }) => ({ ...rest, status: change(status) }), { signal });
}
