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
import { serverMessage } from "../shared/server-message.js";

/** Reason why a pod can't have the claim of an ephemeral volume. */
class ClaimError extends Error {}

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

  /** Creates the claim of a volume if it's ephemeral and has none. Returns the reason why it can't have one. */
  async function makeClaim(
    pod: DeepReadonly<Pod>,
    volume: DeepReadonly<Volume>,
    signal: AbortSignal,
  ): Promise<ClaimError | undefined> {
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (template === undefined) return undefined;
    const { namespace = "", name: owner = "" } = pod.metadata ?? {};
    const name = `${owner}-${volume.name}`;
    const known = claims.store.get(`${namespace}/${name}`);
    if (known !== undefined) return isOwnedBy(known, pod) ? undefined : new ClaimError(foreignClaim(pod, name));
    const { labels, annotations } = template.metadata ?? {};
    const metadata = {
      name,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [ownerReference(pod, { controller: true })],
    };
    const spec = structuredClone(template.spec) as PersistentVolumeClaim["spec"];
    try {
      await client.resource(PersistentVolumeClaim).namespace(namespace).create({ metadata, spec }, { signal });
    } catch (error) {
      // The cache doesn't show it yet.
      if (isAlreadyExists(error)) return undefined;
      if (signal.aborted) throw error;
      return new ClaimError(`create PVC ${name}: ${serverMessage(error)}`, { cause: error });
    }
    return undefined;
  }

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
    async reconcile(_, { object: pod, signal }) {
      if (pod === undefined || !isActive(pod)) return;
      for (const volume of pod.spec?.volumes ?? []) {
        const problem = await makeClaim(pod, volume, signal);
        if (problem === undefined) continue;
        const note = `ephemeral volume ${volume.name}: ${problem.message}`;
        events.event(pod, { type: "Warning", reason: "FailedBinding", note });
        throw problem;
      }
    },
  });
}

function isClaimOf(pod: DeepReadonly<Pod>, volume: DeepReadonly<Volume>, name: string): boolean {
  return volume.ephemeral !== undefined && claimName(pod, volume) === name;
}
