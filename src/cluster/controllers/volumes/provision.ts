import type { Client } from "../../../client/client.js";
import type { EventRecorder } from "../../../controller/events/event-recorder.js";
import { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/core/v1.js";
import type { StorageClass } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { provisionedBy, selectedNode } from "./annotations.js";

const claimProvisioner = "volume.kubernetes.io/storage-provisioner";
const betaProvisioner = "volume.beta.kubernetes.io/storage-provisioner";

/** Marks a claim for its provisioner. Once it is marked, creates the volume in place of the provisioner. */
export async function provision(
  claim: DeepReadonly<PersistentVolumeClaim>,
  storageClass: DeepReadonly<StorageClass>,
  { client, events, signal }: { client: Client; events: EventRecorder; signal: AbortSignal },
): Promise<void> {
  const { namespace = "", name = "", annotations = {} } = claim.metadata ?? {};
  const { provisioner } = storageClass;
  if (annotations[claimProvisioner] !== provisioner) {
    const patch = { metadata: { annotations: { [claimProvisioner]: provisioner, [betaProvisioner]: provisioner } } };
    const handle = client.resource(PersistentVolumeClaim).namespace(namespace);
    await handle.patch(name, { type: "merge", patch }, { signal });
    return;
  }
  const wait = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by`;
  const hint = "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  events.event(claim, { reason: "ExternalProvisioning", note: `${wait} the system administrator. ${hint}` });
  const volume = provisionedVolume(claim, storageClass, annotations[selectedNode]);
  await client.resource(PersistentVolume).create(volume, { signal });
  const note = `Successfully provisioned volume ${volume.metadata!.name}`;
  events.event(claim, { reason: "ProvisioningSucceeded", note });
}

/** Returns the volume that a storage class provides for a claim, on `node` if one was selected. */
function provisionedVolume(
  claim: DeepReadonly<PersistentVolumeClaim>,
  { metadata, provisioner, reclaimPolicy = "Delete", mountOptions }: DeepReadonly<StorageClass>,
  node: string | undefined,
): PersistentVolume {
  const { namespace, name, uid } = claim.metadata!;
  const { accessModes = [], resources, volumeMode = "Filesystem", volumeAttributesClassName } = claim.spec ?? {};
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
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
      ...(mountOptions && { mountOptions: [...mountOptions] }),
      ...(node !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
    },
  };
}
