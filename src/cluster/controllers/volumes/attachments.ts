import { sha256 } from "@noble/hashes/sha2.js";
import type { Client } from "../../../client/client.js";
import { isNotFound } from "../../../errors/predicates.js";
import { type AttachedVolume, Node, type PersistentVolume, type Pod } from "../../../kinds/core/v1.js";
import { VolumeAttachment } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";
import { attachedName, type DriverVolume, isAttached } from "../shared/attached-volumes.js";

/** Volume with a node and the pods there that use it. */
interface Use {
  readonly volume: DeepReadonly<PersistentVolume>;
  readonly node: DeepReadonly<Node>;
  readonly pods: readonly DeepReadonly<Pod>[];
}

const generatedName = /^csi-[0-9a-f]{64}$/;
const namedVolume = /^kubernetes\.io\/csi\/([^^]*)\^(.*)$/s;

/** Returns true for an attachment that the controller made. */
export function isGenerated({ metadata }: DeepReadonly<VolumeAttachment>): boolean {
  return generatedName.test(metadata?.name ?? "");
}

/** Creates the attachment of a volume to a node. */
export async function createAttachment(
  client: Client,
  { metadata, spec }: DeepReadonly<PersistentVolume>,
  nodeName: string,
  signal: AbortSignal,
): Promise<VolumeAttachment> {
  const volume = spec!.csi!;
  return await client.resource(VolumeAttachment).create(
    {
      metadata: { name: attachmentName(volume, nodeName) },
      spec: { attacher: volume.driver, nodeName, source: { persistentVolumeName: metadata!.name! } },
    },
    { signal },
  );
}

/** Reports to the node and the pods of an attachment what its driver has answered. */
export async function reportAttachment(
  context: ClusterContext,
  attachment: DeepReadonly<VolumeAttachment>,
  { volume: { metadata, spec }, node, pods }: Use,
  signal: AbortSignal,
): Promise<void> {
  const { client } = context;
  const { attached, attachError } = attachment.status ?? {};
  if (isBeingDeleted(attachment)) return;
  if (attachError !== undefined) {
    const note = `AttachVolume.Attach failed for volume "${metadata!.name!}" : ${attachError.message ?? ""}`;
    reportFailure(context, pods, note);
  } else if (attached === true && !isAttached(node, spec!.csi!)) {
    const entry = { name: attachedName(spec!.csi!), devicePath: "" };
    await changeAttached(client, node.metadata!.name!, (all) => [...all.filter(isOther(entry)), entry], signal);
    const note = `AttachVolume.Attach succeeded for volume "${metadata!.name!}" `;
    for (const pod of pods) recorder(context).event(pod, { reason: "SuccessfulAttachVolume", note });
  }
}

/** Records for pods that their volume can't be attached. */
export function reportFailure(context: ClusterContext, pods: readonly DeepReadonly<Pod>[], note: string): void {
  for (const pod of pods) recorder(context).event(pod, { type: "Warning", reason: "FailedAttachVolume", note });
}

/** Removes an attached volume from the status of its node, and then the attachment. */
export async function detach(
  client: Client,
  { metadata, spec: { nodeName } }: DeepReadonly<VolumeAttachment>,
  signal: AbortSignal,
): Promise<void> {
  const { name = "", uid = "" } = metadata!;
  // The PersistentVolume may be gone.
  const isKept = (entry: AttachedVolume): boolean => {
    const [, driver = "", volumeHandle = ""] = namedVolume.exec(entry.name) ?? [];
    return attachmentName({ driver, volumeHandle }, nodeName) !== name;
  };
  await changeAttached(client, nodeName, (all) => all.filter(isKept), signal);
  await client.resource(VolumeAttachment).delete(name, { preconditions: { uid }, signal }).catch(ignoreMissing);
}

function attachmentName({ driver, volumeHandle }: DriverVolume, node: string): string {
  const digest = sha256(new TextEncoder().encode(`${volumeHandle}${driver}${node}`));
  return `csi-${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function isOther({ name }: AttachedVolume): (entry: AttachedVolume) => boolean {
  return (entry) => entry.name !== name;
}

async function changeAttached(
  client: Client,
  node: string,
  change: (all: AttachedVolume[]) => AttachedVolume[],
  signal: AbortSignal,
): Promise<void> {
  await client
    .resource(Node)
    .subresource("status")
    .update(
      node,
      (fresh) => {
        fresh.status = { ...fresh.status, volumesAttached: change(fresh.status?.volumesAttached ?? []) };
      },
      { signal },
    )
    .catch(ignoreMissing);
}

function recorder(context: ClusterContext): ReturnType<ClusterContext["recorder"]> {
  return context.recorder("attachdetach-controller");
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
