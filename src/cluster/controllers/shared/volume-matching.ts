import type { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { compareQuantities } from "../../../meta/quantity.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

const otherClass = "storageClassName does not match";

/** Returns the volumes that a claim can be bound to, the smallest first: free ones, and those reserved for it. */
export function matchingVolumes(claim: Claim, volumes: readonly Volume[]): Volume[] {
  return volumes
    .filter((volume) => isFree(volume, claim) && suits(volume, claim))
    .sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)) || (a.metadata!.name! < b.metadata!.name! ? -1 : 1));
}

/** Returns why a volume doesn't suit a claim; `undefined` if it does. The labels that the claim selects don't count. */
export function findMismatch(volume: Volume, { spec: wanted = {} }: Claim): string | undefined {
  const { metadata, spec = {} } = volume;
  const { accessModes = [], volumeMode = "Filesystem" } = wanted;
  if (metadata?.deletionTimestamp !== undefined) return `the volume is marked for deletion "${metadata.name!}"`;
  if (compareQuantities(sizeOf(volume), wanted.resources?.requests?.["storage"] ?? "0") < 0)
    return "requested PV is too small";
  if ((spec.volumeAttributesClassName ?? "") !== (wanted.volumeAttributesClassName ?? ""))
    return "volumeAttributesClassName does not match";
  if ((spec.volumeMode ?? "Filesystem") !== volumeMode) return "incompatible volumeMode";
  if (!accessModes.every((mode) => spec.accessModes?.includes(mode) === true)) return "incompatible accessMode";
  return (spec.storageClassName ?? "") === (wanted.storageClassName ?? "") ? undefined : otherClass;
}

function sizeOf({ spec }: Volume): string {
  return spec?.capacity?.["storage"] ?? "0";
}

/** Returns true if a volume is reserved for a claim, or bound to it. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { namespace, name, uid = "" } = spec?.claimRef ?? {};
  return namespace === metadata?.namespace && name === metadata?.name && (uid === "" || uid === metadata?.uid);
}

function isFree(volume: Volume, claim: Claim): boolean {
  if (volume.spec?.claimRef !== undefined) return isReservedFor(volume, claim);
  const { phase = "Pending" } = volume.status ?? {};
  return phase === "Available" || phase === "Pending";
}

function suits(volume: Volume, claim: Claim): boolean {
  const mismatch = findMismatch(volume, claim);
  // A volume that is reserved for the claim may be of another class, and needs no labels.
  if (volume.spec?.claimRef !== undefined) return mismatch === undefined || mismatch === otherClass;
  const selector = claim.spec?.selector;
  return mismatch === undefined && (selector === undefined || matchesLabelSelector(selector, volume.metadata?.labels));
}
