import type { Client } from "../../../client/client.js";
import type { Pod } from "../../../kinds/core/v1.js";
import { type AllocationResult, ResourceClaim, type ResourceClaimStatus } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { addFinalizer } from "../../../objects/finalizers.js";
import { updateClaimStatus, withReservation } from "../../controllers/shared/device-claims.js";

const finalizer = "resource.kubernetes.io/delete-protection";

/** Writes allocations and reservations to claims. */
export interface ClaimWriter {
  /** Reserves a claim for a pod, and allocates it first if need be. The server refuses what contradicts its state. */
  reserve(
    claim: DeepReadonly<ResourceClaim>,
    pod: DeepReadonly<Pod>,
    allocation: AllocationResult | undefined,
    signal: AbortSignal,
  ): Promise<ResourceClaim>;
  /** Takes back the reservation of a claim for a pod. */
  release(claim: DeepReadonly<ResourceClaim>, pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void>;
  /** Takes back the allocation of a claim, and its reservations. */
  deallocate(claim: DeepReadonly<ResourceClaim>, signal: AbortSignal): Promise<void>;
}

/** Creates a writer. */
export function createClaimWriter(client: Client): ClaimWriter {
  return {
    async reserve(claim, pod, allocation, signal) {
      const { namespace, name } = claim.metadata!;
      const claims = client.resource(ResourceClaim).namespace(namespace!);
      if (allocation !== undefined) await addFinalizer(claims, name!, finalizer, { signal });
      const reserve = (status: ResourceClaimStatus): ResourceClaimStatus =>
        withReservation({ ...status, ...(allocation && { allocation }) }, pod);
      return updateClaimStatus(client, claim, reserve, signal);
    },
    async release(claim, pod, signal) {
      const release = ({ reservedFor = [], ...rest }: ResourceClaimStatus): ResourceClaimStatus => ({
        ...rest,
        reservedFor: reservedFor.filter(({ uid }) => uid !== pod.metadata!.uid),
      });
      await updateClaimStatus(client, claim, release, signal);
    },
    async deallocate(claim, signal) {
      await updateClaimStatus(client, claim, () => ({}), signal);
    },
  };
}
