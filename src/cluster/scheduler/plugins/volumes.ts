import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import type { StorageClass } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isOwnedBy } from "../../../objects/owner-references.js";
import { claimName, claimNames, foreignClaim } from "../../controllers/shared/claim-names.js";
import { matchesNodeSelector } from "../../controllers/shared/node-matching.js";
import { matchingVolumes } from "../../controllers/shared/volume-matching.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import { disksOf, hasConflict } from "./disk-conflicts.js";
import { isRelabeled, type Rejection, type SchedulerPlugin } from "./plugin.js";

/** Reads the objects that volumes of pods depend on. */
export interface VolumeReader {
  claim(namespace: string, name: string): DeepReadonly<PersistentVolumeClaim> | undefined;
  volume(name: string): DeepReadonly<PersistentVolume> | undefined;
  volumes(): readonly DeepReadonly<PersistentVolume>[];
  storageClass(name: string): DeepReadonly<StorageClass> | undefined;
}

/** Claims of a pod by their state. */
export interface PodClaims {
  readonly bound: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** Claims whose volume is chosen or provisioned for the node of their first pod. */
  readonly delayed: readonly DeepReadonly<PersistentVolumeClaim>[];
}

const reject = (reason: string, resolvable = false): Rejection => ({ reasons: [reason], resolvable });
const elsewhere = reject("node(s) didn't match PersistentVolume's node affinity");
const missing = reject("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
const unavailable = reject("node(s) didn't find available persistent volumes to bind");
const otherZone = reject("node(s) had no available volume zone");
const taken = reject(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  true,
);

const diskTaken = reject("node(s) had no available disk", true);

/** Returns true if two pods use the same claim, or disks that they can't share. */
function sharesVolume(pod: DeepReadonly<Pod>, other: DeepReadonly<Pod>): boolean {
  if (pod.metadata!.namespace !== other.metadata!.namespace) return false;
  const claims = claimNames(other);
  return claimNames(pod).some((name) => claims.includes(name)) || hasConflict(disksOf(pod), disksOf(other));
}

/** Returns the claims of a pod, or the reason for which no node fits. */
export function readClaims(pod: DeepReadonly<Pod>, reader: VolumeReader): PodClaims | { readonly rejectsAll: string } {
  const bound: DeepReadonly<PersistentVolumeClaim>[] = [];
  const delayed: DeepReadonly<PersistentVolumeClaim>[] = [];
  let immediate = false;
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimName(pod, volume);
    if (name === undefined) continue;
    const isEphemeral = volume.ephemeral !== undefined;
    const claim = reader.claim(pod.metadata!.namespace!, name);
    if (claim === undefined)
      return {
        rejectsAll: isEphemeral
          ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
          : `persistentvolumeclaim "${name}" not found`,
      };
    if (claim.status?.phase === "Lost")
      return {
        rejectsAll: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ""}"`,
      };
    if (claim.metadata?.deletionTimestamp !== undefined)
      return { rejectsAll: `persistentvolumeclaim "${name}" is being deleted` };
    if (isEphemeral && !isOwnedBy(claim, pod)) return { rejectsAll: foreignClaim(pod, name) };
    if ((claim.spec?.volumeName ?? "") !== "") {
      bound.push(claim);
      continue;
    }
    const mode = reader.storageClass(claim.spec?.storageClassName ?? "")?.volumeBindingMode;
    if (mode === "WaitForFirstConsumer") delayed.push(claim);
    else immediate = true;
  }
  return immediate ? { rejectsAll: "pod has unbound immediate PersistentVolumeClaims" } : { bound, delayed };
}

/** Returns the smallest volume that a claim can be bound to on a node. */
export function findVolume(
  claim: DeepReadonly<PersistentVolumeClaim>,
  { node }: NodeInfo,
  reader: VolumeReader,
): DeepReadonly<PersistentVolume> | undefined {
  return matchingVolumes(claim, reader.volumes()).find(
    ({ spec }) => spec?.nodeAffinity?.required === undefined || matchesNodeSelector(spec.nodeAffinity.required, node),
  );
}

function canProvision(
  claim: DeepReadonly<PersistentVolumeClaim>,
  { node, name }: NodeInfo,
  reader: VolumeReader,
): boolean {
  const chosen = claim.metadata?.annotations?.["volume.kubernetes.io/selected-node"];
  if (chosen !== undefined) return chosen === name;
  const storageClass = reader.storageClass(claim.spec?.storageClassName ?? "");
  if (storageClass === undefined || storageClass.provisioner === "kubernetes.io/no-provisioner") return false;
  const topologies = storageClass.allowedTopologies ?? [];
  if (topologies.length === 0) return true;
  return topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(node.metadata?.labels?.[key] ?? "")),
  );
}

/** Creates the rule that a pod's volumes must be reachable from its node. */
export function volumeBinding(reader: VolumeReader): SchedulerPlugin {
  return {
    name: "VolumeBinding",
    mayHelp: (change) => change.type === "volume" || isRelabeled(change),
    filter({ pod }) {
      if (claimNames(pod).length === 0) return undefined;
      const claims = readClaims(pod, reader);
      if ("rejectsAll" in claims) return claims;
      return (info) => {
        for (const claim of claims.bound) {
          const volume = reader.volume(claim.spec!.volumeName!);
          if (volume === undefined) return missing;
          const required = volume.spec?.nodeAffinity?.required;
          if (required !== undefined && !matchesNodeSelector(required, info.node)) return elsewhere;
        }
        const fits = claims.delayed.every(
          (claim) => findVolume(claim, info, reader) !== undefined || canProvision(claim, info, reader),
        );
        return fits ? undefined : unavailable;
      };
    },
  };
}

/**
 * Creates the rule that a volume with the access mode `ReadWriteOncePod` is used by one pod, and a disk by the pods of a node
 * that can share it.
 */
export function volumeRestrictions(reader: VolumeReader): SchedulerPlugin {
  return {
    name: "VolumeRestrictions",
    mayHelp: (change, { pod }) => {
      if (change.type === "pod") return change.now === undefined && sharesVolume(pod, change.old!);
      return change.type === "volume" || (change.type === "node" && change.old === undefined);
    },
    filter({ pod }, { nodes }) {
      const namespace = pod.metadata!.namespace!;
      const disks = disksOf(pod);
      const exclusive = claimNames(pod).filter(
        (name) => reader.claim(namespace, name)?.spec?.accessModes?.includes("ReadWriteOncePod") === true,
      );
      if (exclusive.length === 0 && disks.length === 0) return undefined;
      const uses = (info: NodeInfo): boolean =>
        [...info.pods.values()].some(
          ({ pod: other }) =>
            other.metadata!.namespace === namespace && claimNames(other).some((name) => exclusive.includes(name)),
        );
      const isUsed = exclusive.length > 0 && nodes.some(uses);
      return (info) => {
        if ([...info.pods.values()].some(({ pod: other }) => hasConflict(disks, disksOf(other)))) return diskTaken;
        return isUsed ? taken : undefined;
      };
    },
  };
}

/** Labels that name the zone and the region of a node. */
const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"] as const;

/** Creates the rule that a volume whose labels name a zone or region is used there. Nodes without such labels are anywhere. */
export function volumeZone(reader: VolumeReader): SchedulerPlugin {
  return {
    name: "VolumeZone",
    mayHelp: (change) => change.type === "volume" || isRelabeled(change),
    filter({ pod }) {
      const places = (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
        const claim = reader.claim(pod.metadata!.namespace!, persistentVolumeClaim?.claimName ?? "");
        return placesOf(reader.volume(claim?.spec?.volumeName ?? ""));
      });
      if (places.length === 0) return undefined;
      return ({ labels }) => {
        if (!topologyLabels.some((label) => labels[label] !== undefined)) return undefined;
        const isThere = places.every(({ label, names }) => names.includes(labels[label] ?? ""));
        return isThere ? undefined : otherZone;
      };
    },
  };
}

/** Returns the zones and regions of a volume, by the label of nodes. A label of a volume can name several. */
function placesOf(volume: DeepReadonly<PersistentVolume> | undefined): { label: string; names: string[] }[] {
  const labels = volume?.metadata?.labels ?? {};
  return topologyLabels.flatMap((label) =>
    [label, label.replace("topology.", "failure-domain.beta.")].flatMap((own) =>
      labels[own] === undefined ? [] : { label, names: labels[own].split("__") },
    ),
  );
}
