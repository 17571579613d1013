import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.js";
import type { ClusterContext } from "../context.js";
import { writeStatus } from "../shared/write-status.js";

type Claim = DeepReadonly<PersistentVolumeClaim>;

/**
 * Creates the controller that expands the volumes of claims whose request has grown. A volume that the cluster
 * provisioned gets its new size at once; others wait for a controller of their driver, which an event says.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims
 */
export function createVolumeExpander(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const volumes = context.cache(PersistentVolume);
  const events = context.recorder("volume_expand");
  const resized = context.recorder("external-resizer");
  return createController({
    name: "persistentvolume-expander",
    for: client.resource(PersistentVolumeClaim),
    predicates: [({ object }) => isTooSmall(object)],
    clock,
    log,
    async reconcile({ namespace }, call) {
      const { object: claim, signal } = call;
      if (claim === undefined || !isTooSmall(claim)) return;
      const volume = volumes.store.get(claim.spec!.volumeName!);
      if (volume === undefined || volume.spec?.claimRef?.uid !== claim.metadata!.uid) return;
      const note = "waiting for an external controller to expand this PVC";
      events.event(claim, { reason: "ExternalExpanding", note });
      if (volume.metadata?.annotations?.["pv.kubernetes.io/provisioned-by"] === undefined) return;
      const storage = claim.spec!.resources!.requests!["storage"]!;
      const patch = { spec: { capacity: { storage } } };
      await client.resource(PersistentVolume).patch(volume.metadata.name!, { type: "merge", patch }, { signal });
      resized.event(claim, { reason: "VolumeResizeSuccessful", note: "Resize volume succeeded" });
      const status = { ...claim.status, capacity: { ...claim.status!.capacity, storage } };
      const handle = client.resource(PersistentVolumeClaim).namespace(namespace);
      await writeStatus<PersistentVolumeClaim>(handle, claim, status, call);
    },
  });
}

/** Returns true for a bound claim that requests more than its volume has. */
function isTooSmall({ spec, status }: Claim): boolean {
  const [requested, current] = [spec?.resources?.requests?.["storage"], status?.capacity?.["storage"]];
  if (status?.phase !== "Bound" || requested === undefined || current === undefined) return false;
  return compareQuantities(parseQuantity(requested), parseQuantity(current)) > 0;
}
