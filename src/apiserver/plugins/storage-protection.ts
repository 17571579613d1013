import { addFinalizer } from "../kinds/core/volume/storage-metadata.js";
import type { AdmissionPlugin } from "../registry/services.js";

const finalizers: Readonly<Record<string, string>> = {
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

/**
 * Adds the finalizer that keeps volumes, claims and attribute classes until a controller finds them unused.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export const storageProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  admit({ operation, resource, subresource, object }) {
    const finalizer = finalizers[resource.bucket];
    if (operation === "CREATE" && subresource === "" && object !== undefined && finalizer !== undefined)
      addFinalizer(object, finalizer);
  },
};
