import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/core/v1.js";
import { VolumeAttributesClass } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted, removeFinalizer } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";

const finalizer = "kubernetes.io/vac-protection";

/**
 * Creates the controller that lets a deleted VolumeAttributesClass go once no claim and no volume uses it.
 * @see https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
 */
export function createAttributesClassProtectionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const claims = context.cache(PersistentVolumeClaim).store;
  const volumes = context.cache(PersistentVolume).store;
  return createController({
    name: "volumeattributesclass-protection",
    for: client.resource(VolumeAttributesClass),
    predicates: [({ object }) => isBeingDeleted(object)],
    watches: [
      kindSource(
        client.resource(PersistentVolumeClaim),
        enqueueMapped((claim) => classesOfClaim(claim).map((name) => ({ name }))),
        { predicates: [({ type }) => type !== "added"] },
      ),
      kindSource(
        client.resource(PersistentVolume),
        enqueueMapped((volume) => classesOfVolume(volume).map((name) => ({ name }))),
        { predicates: [({ type }) => type !== "added"] },
      ),
    ],
    clock,
    log,
    async reconcile({ name }, { object: attributesClass, signal }) {
      if (attributesClass === undefined || !isBeingDeleted(attributesClass)) return;
      const isUsed =
        claims.list().some((claim) => classesOfClaim(claim).includes(name)) ||
        volumes.list().some((volume) => classesOfVolume(volume).includes(name));
      if (!isUsed) await removeFinalizer(client.resource(VolumeAttributesClass), name, finalizer, { signal });
    },
  });
}

/** Returns the classes that a claim has, wants, or is changed to. */
function classesOfClaim({ spec, status }: DeepReadonly<PersistentVolumeClaim>): string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = status ?? {};
  return [
    spec?.volumeAttributesClassName ?? "",
    currentVolumeAttributesClassName ?? "",
    modifyVolumeStatus?.targetVolumeAttributesClassName ?? "",
  ].filter((name) => name !== "");
}

function classesOfVolume({ spec }: DeepReadonly<PersistentVolume>): string[] {
  return spec?.volumeAttributesClassName === undefined ? [] : [spec.volumeAttributesClassName];
}
