import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { Source } from "../../../controller/reconcile/source.js";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import { CSIDriver, VolumeAttachment } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";
import { claimNames } from "../shared/claim-names.js";
import { createAttachment, detach, isGenerated, reportAttachment, reportFailure } from "./attachments.js";
import {
  canUnmount,
  conflictNote,
  createVolumeUsers,
  isExclusive,
  usesVolumes,
  type VolumeUsers,
} from "./volume-users.js";

/** Indexes of attachments by the names of their volume and node. */
const byVolume = "volume";
const byNode = "node";
/** Time in milliseconds after which a volume is detached from a node that doesn't unmount it. */
const longestUnmountMs = 360_000;

/**
 * Creates the controller that attaches the volumes of CSI drivers to the nodes whose pods use them, and detaches them when
 * the pods have ended. The drivers answer each attachment; those of simulated nodes are played by their kubelets.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume-attachment-v1/
 */
export function createAttachDetachController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const nodes = context.cache(Node).store;
  const volumeUsers = createVolumeUsers(context);
  const attachments = context.cache(VolumeAttachment).store;
  attachments.addIndex(byVolume, (attachment) => [volumeName(attachment)]);
  attachments.addIndex(byNode, ({ spec }) => [spec.nodeName]);
  /** When attachments were first seen without pods, by their UID. */
  const unused = new Map<string, number>();
  /** Nodes that were refused a volume that is attached elsewhere, by the name of the volume. */
  const refused = new Map<string, ReadonlySet<string>>();

  /** Returns the milliseconds until an attachment that no pod uses can be removed. */
  function unmountMs({ metadata, spec }: DeepReadonly<VolumeAttachment>): number {
    const uid = metadata!.uid!;
    const sinceMs = unused.get(uid) ?? clock.now();
    unused.set(uid, sinceMs);
    return canUnmount(nodes.get(spec.nodeName)) ? 0 : Math.max(0, sinceMs + longestUnmountMs - clock.now());
  }

  return createController({
    name: "persistentvolume-attach-detach",
    for: client.resource(PersistentVolume),
    watches: sourcesOf(context, volumeUsers),
    concurrency: 4,
    clock,
    log,
    async reconcile({ name }, { object: volume, signal, recordWrite }) {
      const users = volumeUsers.usersOf(volume);
      const found = attachments.byIndex(byVolume, name).filter(isGenerated);
      let waitMs = Number.POSITIVE_INFINITY;
      for (const attachment of found.filter(({ spec }) => !users.has(spec.nodeName))) {
        const remainingMs = unmountMs(attachment);
        if (remainingMs > 0) waitMs = Math.min(waitMs, remainingMs);
        else if (!isBeingDeleted(attachment)) {
          unused.delete(attachment.metadata!.uid!);
          await detach(client, attachment, signal);
          // Its removal brings the next step.
          return undefined;
        }
      }
      const waiting = new Set<string>();
      for (const [nodeName, pods] of users) {
        const attachment = found.find(({ spec }) => spec.nodeName === nodeName);
        unused.delete(attachment?.metadata?.uid ?? "");
        if (attachment !== undefined)
          await reportAttachment(context, attachment, { volume: volume!, node: nodes.get(nodeName)!, pods }, signal);
        else if (found.length === 0 || !isExclusive(volume!)) {
          const created = await createAttachment(client, volume!, nodeName, signal);
          recordWrite(created);
          found.push(created);
        } else if (!found.some(isBeingDeleted)) {
          const others = found.flatMap(({ spec }) => users.get(spec.nodeName) ?? []);
          if (refused.get(name)?.has(nodeName) !== true) reportFailure(context, pods, conflictNote(name, others));
          waiting.add(nodeName);
        }
      }
      if (waiting.size > 0) refused.set(name, waiting);
      else refused.delete(name);
      return Number.isFinite(waitMs) ? { requeueAfterMs: waitMs } : undefined;
    },
  });
}

/** Returns the objects whose changes concern volumes that are attached, or will be. */
function sourcesOf({ client, cache }: ClusterContext, { volumesOf }: VolumeUsers): Source[] {
  const attachments = cache(VolumeAttachment).store;
  const requests = (names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));
  const attachedTo = (node: string): string[] => attachments.byIndex(byNode, node).map(volumeName);
  return [
    kindSource(
      client.resource(PersistentVolumeClaim),
      enqueueMapped(({ spec }) => requests(spec?.volumeName === undefined ? [] : [spec.volumeName])),
    ),
    kindSource(
      client.resource(VolumeAttachment),
      enqueueMapped((attachment) => requests([volumeName(attachment)])),
    ),
    kindSource(
      client.resource(Pod),
      enqueueMapped((pod) => requests([...volumesOf(pod), ...attachedTo(pod.spec?.nodeName ?? "")])),
      {
        predicates: [
          ({ object }) => claimNames(object).length > 0,
          (change) => change.type !== "updated" || usesVolumes(change.object) !== usesVolumes(change.old),
        ],
      },
    ),
    kindSource(
      client.resource(Node),
      enqueueMapped(({ metadata }) => requests(attachedTo(metadata!.name!))),
      { predicates: [(change) => change.type !== "updated" || canUnmount(change.object) !== canUnmount(change.old)] },
    ),
    kindSource(client.resource(CSIDriver), () => []),
  ];
}

function volumeName({ spec }: DeepReadonly<VolumeAttachment>): string {
  return spec.source.persistentVolumeName ?? "";
}
