import type { Client } from "../../../client/client.js";
import { isForbidden, isNotFound } from "../../../errors/predicates.js";
import { Pod } from "../../../kinds/core/v1.js";
import { type AllocationResult, ResourceClaim, type ResourceClaimStatus } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { addFinalizer, removeFinalizer } from "../../../objects/finalizers.js";
import { updateClaimStatus, withReservation } from "../../controllers/shared/device-claims.js";
import { serverMessage } from "../../controllers/shared/server-message.js";
import { DeviceBindingError } from "./allocation-error.js";
import type { ExtendedClaim } from "./extended-resources.js";

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
  /** Creates the claim for the extended resources of a pod. */
  create(claim: DeepReadonly<ResourceClaim>, signal: AbortSignal): Promise<ResourceClaim>;
  /** Deletes a claim, even if it is allocated. */
  remove(claim: DeepReadonly<ResourceClaim>, signal: AbortSignal): Promise<void>;
  /** Records in the status of a pod which devices of a claim are for its extended resources. */
  record(
    claim: DeepReadonly<ResourceClaim>,
    pod: DeepReadonly<Pod>,
    mappings: ExtendedClaim["mappings"],
    signal: AbortSignal,
  ): Promise<void>;
  /** Takes back the reservation of a claim for a pod. */
  release(claim: DeepReadonly<ResourceClaim>, pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void>;
  /** Takes back the allocation of a claim, and its reservations. */
  deallocate(claim: DeepReadonly<ResourceClaim>, signal: AbortSignal): Promise<void>;
}

/** Creates a writer. */
export function createClaimWriter(client: Client): ClaimWriter {
  const claimsOf = (namespace: string | undefined) => client.resource(ResourceClaim).namespace(namespace!);
  return {
    async reserve(claim, pod, allocation, signal) {
      const { namespace, name } = claim.metadata!;
      const claims = claimsOf(namespace);
      if (allocation !== undefined) await addFinalizer(claims, name!, finalizer, { signal });
      const reserve = (status: ResourceClaimStatus): ResourceClaimStatus =>
        withReservation({ ...status, ...(allocation && { allocation }) }, pod);
      return updateClaimStatus(client, claim, reserve, signal);
    },
    async create({ metadata: { name: _name, uid: _uid, ...metadata } = {}, spec }, signal) {
      try {
        return await claimsOf(metadata.namespace).create({ metadata, spec }, { signal });
      } catch (error) {
        // A quota may keep a pod from its devices for long.
        if (!isForbidden(error)) throw error;
        const message = `create claim for extended resources ${metadata.namespace}/: ${serverMessage(error)}`;
        throw new DeviceBindingError(message, { cause: error });
      }
    },
    async remove({ metadata }, signal) {
      const { namespace, name, uid } = metadata!;
      try {
        await removeFinalizer(claimsOf(namespace), name!, finalizer, { signal });
        await claimsOf(namespace).delete(name!, { preconditions: { uid: uid! }, signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
    async record({ metadata }, pod, mappings, signal) {
      const { namespace, name, uid } = pod.metadata!;
      const extendedResourceClaimStatus = { resourceClaimName: metadata!.name!, requestMappings: mappings };
      const patch = { metadata: { uid }, status: { extendedResourceClaimStatus } };
      const pods = client.resource(Pod).namespace(namespace!).subresource("status");
      await pods.patch(name!, { type: "strategic", patch }, { signal });
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
