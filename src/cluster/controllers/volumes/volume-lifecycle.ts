import type { Client } from "../../../client/client.js";
import type { Controller, ReconcileContext } from "../../../controller/reconcile/controller.js";
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
import { boundByController, provisionedBy } from "./annotations.js";
import { type Reclamation, reclamationOf } from "./reclaim-volume.js";

type Volume = DeepReadonly<PersistentVolume>;
type Phase = NonNullable<PersistentVolumeStatus["phase"]>;

/** Finalizer of the admission plugin StorageObjectInUseProtection. */
const finalizer = "kubernetes.io/pv-protection";

/**
 * Creates the controller of the phases of PersistentVolumes. When the claim of a volume is deleted, the volume is released,
 * and deleted or recycled if its reclaim policy says so. A deleted volume stays as long as it's bound.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming
 */
export function createVolumeLifecycleController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const claims = context.cache(PersistentVolumeClaim);
  const volumes = context.cache(PersistentVolume);
  const events = context.recorder("persistentvolume-controller");

  /** Returns the phase of a volume by its claim, or whether the claim is being bound to it or has another volume. */
  function stateOf({ metadata, spec }: Volume): "Available" | "Released" | "Binding" | "Bound" | "Elsewhere" {
    const { namespace, name, uid = "" } = spec?.claimRef ?? {};
    if (uid === "") return "Available";
    const claim = claims.store.get(`${namespace}/${name}`);
    if (claim?.metadata?.uid !== uid) return "Released";
    const { volumeName = "" } = claim.spec ?? {};
    if (volumeName === "") return "Binding";
    if (volumeName === metadata?.name) return "Bound";
    return spec?.persistentVolumeReclaimPolicy === "Delete" && metadata?.annotations?.[provisionedBy]
      ? "Released"
      : "Elsewhere";
  }

  /** Writes the phase of a volume. A failure stays until the volume is bound or available again. */
  async function writePhase(
    volume: Volume,
    phase: Phase,
    { failure, call }: { failure: Exclude<Reclamation, string> | undefined; call: ReconcileContext<PersistentVolume> },
  ): Promise<void> {
    const { message: _, ...status } = volume.status ?? {};
    if (phase === status.phase || (phase === "Released" && status.phase === "Failed")) return;
    const lastPhaseTransitionTime = formatTime(clock.now());
    const message = failure && { message: failure.message };
    const written = { ...status, phase, ...message, lastPhaseTransitionTime };
    await writeStatus<PersistentVolume>(client.resource(PersistentVolume), volume, written, call);
    if (failure !== undefined) events.event(volume, { type: "Warning", reason: failure.reason, note: failure.message });
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
      const state = stateOf(volume);
      const handle = client.resource(PersistentVolume);
      const isProtected = hasFinalizer(volume, finalizer);
      if (isBeingDeleted(volume)) {
        if (isProtected && state !== "Bound") await removeFinalizer(handle, name, finalizer, { signal });
        return;
      }
      if (!isProtected) {
        await addFinalizer(handle, name, finalizer, { signal });
        return;
      }
      if (state === "Binding") return;
      if (state === "Elsewhere") {
        await release(client, volume, signal);
        return;
      }
      const reclamation = state === "Released" ? reclamationOf(volume) : "keep";
      const failure = typeof reclamation === "object" ? reclamation : undefined;
      await writePhase(volume, failure === undefined ? state : "Failed", { failure, call });
      if (reclamation === "recycle") {
        events.event(volume, { reason: "VolumeRecycled", note: "Volume recycled" });
        await release(client, volume, signal);
      }
      if (reclamation !== "delete") return;
      await handle.delete(name, { preconditions: { uid: volume.metadata.uid! }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  });
}

/** Makes a volume available again: also to other claims, unless a user reserved it for one. */
async function release(client: Client, { metadata, spec }: Volume, signal: AbortSignal): Promise<void> {
  await client.resource(PersistentVolume).update(
    metadata!.name!,
    (live) => {
      if (live.spec?.claimRef?.uid !== spec?.claimRef?.uid) return;
      const { [boundByController]: byController, ...annotations } = live.metadata?.annotations ?? {};
      if (byController === undefined) delete live.spec!.claimRef!.uid;
      else {
        live.metadata = { ...live.metadata, annotations };
        delete live.spec!.claimRef;
      }
    },
    { signal },
  );
}
