import type { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/core/v1.js";
import type { StorageClass } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { provisionedBy } from "./annotations.js";

/** Returns the volume that a storage class provides for a claim, on `node` if one was selected. */
export function provisionedVolume(
  claim: DeepReadonly<PersistentVolumeClaim>,
  { metadata, provisioner, reclaimPolicy = "Delete", mountOptions }: DeepReadonly<StorageClass>,
  node: string | undefined,
): PersistentVolume {
  const { namespace, name, uid } = claim.metadata!;
  const { accessModes = [], resources, volumeMode = "Filesystem" } = claim.spec ?? {};
  const volumeName = `pvc-${uid}`;
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [node ?? ""] }];
  return {
    metadata: { name: volumeName, annotations: { [provisionedBy]: provisioner } },
    spec: {
      accessModes: [...accessModes],
      capacity: { storage: resources?.requests?.["storage"] ?? "1Gi" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      csi: { driver: provisioner.replaceAll("/", "."), volumeHandle: volumeName },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata!.name!,
      volumeMode,
      ...(mountOptions && { mountOptions: [...mountOptions] }),
      ...(node !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
    },
  };
}
