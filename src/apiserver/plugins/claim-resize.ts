import type { PersistentVolumeClaim } from "../../kinds/core/v1.js";
import { compareQuantities } from "../../meta/quantity.js";
import { refusal } from "../admission/refusal.js";
import type { AdmissionPlugin } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";

const oldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Allows only bound claims of an expandable storage class to grow. */
export const claimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  validate(attributes, { services }) {
    const { resource, operation, subresource, object, old } = attributes;
    if (
      resource.bucket !== "/persistentvolumeclaims" ||
      operation !== "UPDATE" ||
      subresource !== "" ||
      object === undefined ||
      old === undefined
    )
      return;
    const [claim, before] = [object, old] as unknown as [PersistentVolumeClaim, PersistentVolumeClaim];
    if (compareQuantities(sizeOf(claim), sizeOf(before)) <= 0) return;
    if (before.status?.phase !== "Bound")
      throw refusal(attributes, "Only bound persistent volume claims can be expanded");
    const name = classOf(claim);
    const storageClass =
      name === "" || name !== classOf(before) ? undefined : getStored(services, "storage.k8s.io/storageclasses", name);
    if (storageClass?.["allowVolumeExpansion"] !== true)
      throw refusal(
        attributes,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
  },
};

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.["storage"] ?? "0";
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata?.annotations?.[oldClassAnnotation] ?? spec?.storageClassName ?? "";
}
