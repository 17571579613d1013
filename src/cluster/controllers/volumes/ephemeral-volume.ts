import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isAlreadyExists } from "../../../errors/predicates.js";
import { PersistentVolumeClaim, Pod, type Volume } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isOwnedBy, ownerReference } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { claimName, foreignClaim } from "../shared/claim-names.js";
import { isActive } from "../shared/pods.js";

/**
 * Creates the controller that makes the claims of the generic ephemeral volumes of pods. The garbage collector removes
 * them with their pod.
 * @see https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes
 */
export function createEphemeralVolumeController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const claims = context.cache(PersistentVolumeClaim);
  const pods = context.cache(Pod);
  const events = context.recorder("ephemeral_volume");
  return createController({
    name: "ephemeral-volume",
    for: client.resource(Pod),
    predicates: [
      ({ type, object }) => type === "added" && object.spec?.volumes?.some(({ ephemeral }) => ephemeral) === true,
    ],
    watches: [
      // Once a claim of the same name is deleted, that of a waiting pod can be created.
      kindSource(
        client.resource(PersistentVolumeClaim),
        enqueueMapped(({ metadata }) =>
          pods.store
            .list({ namespace: metadata!.namespace! })
            .filter((pod) => pod.spec?.volumes?.some((volume) => isClaimOf(pod, volume, metadata!.name!)))
            .map((pod) => ({ namespace: metadata!.namespace!, name: pod.metadata!.name! })),
        ),
        { predicates: [({ type }) => type === "deleted"] },
      ),
    ],
    clock,
    log,
    async reconcile({ namespace }, { object: pod, signal }) {
      if (pod === undefined || !isActive(pod)) return;
      for (const { name: volume, ephemeral } of pod.spec?.volumes ?? []) {
        const template = ephemeral?.volumeClaimTemplate;
        if (template === undefined) continue;
        const name = `${pod.metadata!.name}-${volume}`;
        const known = claims.store.get(`${namespace}/${name}`);
        if (known !== undefined) {
          if (isOwnedBy(known, pod)) continue;
          const note = `ephemeral volume ${volume}: ${foreignClaim(pod, name)}`;
          events.event(pod, { type: "Warning", reason: "FailedBinding", note });
          continue;
        }
        const { labels, annotations } = template.metadata ?? {};
        const metadata = {
          name,
          ...(labels && { labels: { ...labels } }),
          ...(annotations && { annotations: { ...annotations } }),
          ownerReferences: [ownerReference(pod, { controller: true })],
        };
        const spec = structuredClone(template.spec) as PersistentVolumeClaim["spec"];
        const handle = client.resource(PersistentVolumeClaim).namespace(namespace);
        await handle.create({ metadata, spec }, { signal }).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      }
    },
  });
}

function isClaimOf(pod: DeepReadonly<Pod>, volume: DeepReadonly<Volume>, name: string): boolean {
  return volume.ephemeral !== undefined && claimName(pod, volume) === name;
}
