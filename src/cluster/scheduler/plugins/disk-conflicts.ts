import type { Pod, Volume } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

type Disk = DeepReadonly<Volume>;

/** Returns the volumes of a pod that only some pods of a node can share. */
export function disksOf({ spec }: DeepReadonly<Pod>): readonly Disk[] {
  return (spec?.volumes ?? []).filter(
    ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }) =>
      gcePersistentDisk ?? awsElasticBlockStore ?? iscsi ?? rbd,
  );
}

/** Returns true if a volume is among others on a node already. */
export function hasConflict(disks: readonly Disk[], others: readonly Disk[]): boolean {
  return disks.some((disk) => others.some((other) => isTaken(disk, other)));
}

/** Two pods can share a disk that both only read, except for disks of EBS. */
function isTaken(a: Disk, b: Disk): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk?.pdName === a.gcePersistentDisk.pdName)
    return isWritten(a.gcePersistentDisk, b.gcePersistentDisk);
  if (a.awsElasticBlockStore) return b.awsElasticBlockStore?.volumeID === a.awsElasticBlockStore.volumeID;
  if (a.iscsi && b.iscsi?.iqn === a.iscsi.iqn) return isWritten(a.iscsi, b.iscsi);
  if (a.rbd && b.rbd && a.rbd.pool === b.rbd.pool && a.rbd.image === b.rbd.image) {
    const { monitors } = b.rbd;
    return isWritten(a.rbd, b.rbd) && a.rbd.monitors.some((monitor) => monitors.includes(monitor));
  }
  return false;
}

function isWritten(...sources: readonly { readonly readOnly?: boolean | undefined }[]): boolean {
  return sources.some(({ readOnly }) => readOnly !== true);
}
