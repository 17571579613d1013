import type { Pod } from "../../../kinds/core/v1.js";
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
