import type { CSIPersistentVolumeSource, Node } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Annotation of nodes whose volumes are attached by a controller instead of their kubelet. */
export const attachedByController = "volumes.kubernetes.io/controller-managed-attach-detach";

/** Volume of a CSI driver. */
export type DriverVolume = DeepReadonly<Pick<CSIPersistentVolumeSource, "driver" | "volumeHandle">>;

/** Returns the name of a volume in the status of nodes. */
export function attachedName({ driver, volumeHandle }: DriverVolume): string {
  return `kubernetes.io/csi/${driver}^${volumeHandle}`;
}

/** Returns true if a volume is attached to a node by the node's status. */
export function isAttached({ status }: DeepReadonly<Node>, volume: DriverVolume): boolean {
  return status?.volumesAttached?.some(({ name }) => name === attachedName(volume)) === true;
}
