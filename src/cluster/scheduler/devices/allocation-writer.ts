import type { Pod } from "../../../kinds/core/v1.js";
import { type AllocationResult, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import type { ClusterContext } from "../../controllers/context.js";
import type { ClaimWriter } from "./claim-writer.js";
import type { ExtendedClaim } from "./extended-resources.js";

/** Writes allocations. Until the cache shows them, they are pending, so that other pods can't have the devices. */
export interface AllocationWriter {
  /** Reserves an allocated claim for a pod. Resolves when the cache shows it. */
  reserve(claim: DeepReadonly<ResourceClaim>, pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<ResourceClaim>;
  /** Allocates a claim, and reserves it for a pod. Resolves when the cache shows it. */
  allocate(
    claim: DeepReadonly<ResourceClaim>,
    pod: DeepReadonly<Pod>,
    result: AllocationResult,
    signal: AbortSignal,
  ): Promise<ResourceClaim>;
  /** Creates the claim for the extended resources of a pod, allocates it, and records it in the status of the pod. */
  createExtended(
    extended: ExtendedClaim,
    pod: DeepReadonly<Pod>,
    result: AllocationResult,
    signal: AbortSignal,
  ): Promise<ResourceClaim>;
}

/** Services of an `AllocationWriter`. */
export interface AllocationServices {
  readonly writer: ClaimWriter;
  /** Claims by UID whose allocation the cache doesn't show yet. */
  readonly pending: Map<string, DeepReadonly<ResourceClaim>>;
  /** Reports a change that may help all pods with devices, or only those that use a claim. */
  changed(claim?: DeepReadonly<ResourceClaim>): void;
}

/** Creates a writer. */
export function createAllocationWriter(
  { cache, clock }: Pick<ClusterContext, "cache" | "clock">,
  { writer, pending, changed }: AllocationServices,
): AllocationWriter {
  const reserve = async (
    claim: DeepReadonly<ResourceClaim>,
    pod: DeepReadonly<Pod>,
    signal: AbortSignal,
    allocation?: AllocationResult,
  ): Promise<ResourceClaim> => {
    const written = await writer.reserve(claim, pod, allocation, signal);
    await cache(ResourceClaim).waitForResourceVersion(written.metadata!.resourceVersion!, { signal });
    return written;
  };

  const allocate: AllocationWriter["allocate"] = async (claim, pod, result, signal) => {
    const uid = claim.metadata!.uid!;
    const allocation = { ...result, allocationTimestamp: formatTime(clock.now()) };
    pending.set(uid, { ...claim, status: { ...claim.status, allocation } });
    try {
      return await reserve(claim, pod, signal, allocation);
    } finally {
      pending.delete(uid);
      changed(claim);
    }
  };

  return {
    reserve: (claim, pod, signal) => reserve(claim, pod, signal),
    allocate,
    async createExtended({ claim, mappings }, pod, result, signal) {
      const uid = claim.metadata!.uid!;
      let created: ResourceClaim | undefined;
      pending.set(uid, { ...claim, status: { allocation: result } });
      try {
        created = await writer.create(claim, signal);
        pending.delete(uid);
        const allocated = await allocate(created, pod, result, signal);
        await writer.record(created, pod, mappings, signal);
        return allocated;
      } catch (error) {
        if (created !== undefined) await writer.remove(created, signal);
        throw error;
      } finally {
        if (pending.delete(uid)) changed();
      }
    },
  };
}
