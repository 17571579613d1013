import type { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { compareQuantities } from "../../../meta/quantity.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/** Returns the volumes that a claim can be bound to, the smallest first: free ones, and those reserved for it. */
export function matchingVolumes(claim: Claim, volumes: readonly Volume[]): Volume[] {
  const size = claim.spec?.resources?.requests?.["storage"] ?? "0";
  return volumes
    .filter((volume) => isFree(volume, claim) && suits(volume, claim) && compareQuantities(sizeOf(volume), size) >= 0)
    .sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)) || (a.metadata!.name! < b.metadata!.name! ? -1 : 1));
}

function sizeOf({ spec }: Volume): string {
  return spec?.capacity?.["storage"] ?? "0";
}

function isFree({ metadata, spec, status }: Volume, claim: Claim): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  const { claimRef } = spec ?? {};
  if (claimRef === undefined)
    return status?.phase === undefined || status.phase === "Available" || status.phase === "Pending";
  const { namespace, name, uid } = claim.metadata!;
  return claimRef.namespace === namespace && claimRef.name === name && (claimRef.uid ?? uid) === uid;
}

function suits({ metadata, spec }: Volume, claim: Claim): boolean {
  const { storageClassName = "", accessModes = [], selector, volumeMode = "Filesystem" } = claim.spec ?? {};
  return (
    (spec?.storageClassName ?? "") === storageClassName &&
    (spec?.volumeMode ?? "Filesystem") === volumeMode &&
    accessModes.every((mode) => spec?.accessModes?.includes(mode) === true) &&
    (selector === undefined || matchesLabelSelector(selector, metadata?.labels))
  );
}
