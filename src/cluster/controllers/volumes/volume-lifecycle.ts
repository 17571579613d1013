import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isNotFound } from "../../../errors/predicates.js";
import { PersistentVolume, PersistentVolumeClaim, type PersistentVolumeStatus } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";
import { writeStatus } from "../shared/write-status.js";

/** Finalizer of the admission plugin StorageObjectInUseProtection. */
const finalizer = "kubernetes.io/pv-protection";

/**
 * Creates the controller of the phases of PersistentVolumes. When the claim of a volume is deleted, the volume is released,
 * and deleted if its reclaim policy says so. A deleted volume stays as long as it's bound.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming
 */
export function createVolumeLifecycleController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const claims = context.cache(PersistentVolumeClaim);
  const volumes = context.cache(PersistentVolume);

  /** Returns the phase of a volume; `undefined` while a claim is being bound to it. */
  function phaseOf({ spec }: DeepReadonly<PersistentVolume>): PersistentVolumeStatus["phase"] {
    const { namespace, name, uid } = spec?.claimRef ?? {};
    if (uid === undefined) return "Available";
    const claim = claims.store.get(`${namespace}/${name}`);
    if (claim?.metadata?.uid !== uid) return "Released";
    return (claim.spec?.volumeName ?? "") === "" ? undefined : "Bound";
  }

  return createController({
    name: "persistentvolume-lifecycle",
    for: client.resource(PersistentVolume),
    watches: [
      kindSource(
        client.resource(PersistentVolumeClaim),
        enqueueMapped(({ metadata, spec }) => {
          const names = volumes.store
            .list()
            .filter((volume) => volume.spec?.claimRef?.uid === metadata?.uid)
            .map((volume) => volume.metadata!.name!);
          return [...new Set([...names, ...(spec?.volumeName ? [spec.volumeName] : [])])].map((name) => ({ name }));
        }),
      ),
    ],
    clock,
    log,
    async reconcile({ name }, call) {
      const { object: volume, signal } = call;
      if (volume?.metadata === undefined) return;
      const phase = phaseOf(volume);
      const handle = client.resource(PersistentVolume);
      const isProtected = hasFinalizer(volume, finalizer);
      if (isBeingDeleted(volume)) {
        if (isProtected && phase !== "Bound") await removeFinalizer(handle, name, finalizer, { signal });
        return;
      }
      if (!isProtected) {
        await addFinalizer(handle, name, finalizer, { signal });
        return;
      }
      if (phase === undefined) return;
      if (phase !== volume.status?.phase) {
        const lastPhaseTransitionTime = formatTime(clock.now());
        await writeStatus<PersistentVolume>(handle, volume, { ...volume.status, phase, lastPhaseTransitionTime }, call);
      }
      if (phase !== "Released" || volume.spec?.persistentVolumeReclaimPolicy !== "Delete") return;
      await handle.delete(name, { preconditions: { uid: volume.metadata.uid! }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  });
}
