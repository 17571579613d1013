import type { PersistentVolume, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { claimNames } from "../../controllers/shared/claim-names.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import { disksOf, hasConflict } from "./disk-conflicts.js";
import { isRelabeled, type Rejection, type SchedulerPlugin } from "./plugin.js";
import type { VolumeReader } from "./volume-binding.js";

const reject = (reason: string, resolvable = false): Rejection => ({ reasons: [reason], resolvable });
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
