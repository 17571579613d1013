import type { CSIDriver, StorageClass } from "../../../kinds/storage/v1.js";
import { formatTime } from "../../objects/metadata.js";
import type { StructHooks } from "../shared/walk-structs.js";

function exactCount(request: { allocationMode?: string; count?: number }): void {
  request.allocationMode ??= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
}

function stamp(taint: { timeAdded?: string }, nowMs: number): void {
  taint.timeAdded ??= formatTime(nowMs);
}

/** Defaults of the groups storage.k8s.io and resource.k8s.io. */
export const storageDefaults: StructHooks = {
  "io.k8s.api.storage.v1.StorageClass": (storageClass: StorageClass) => {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  "io.k8s.api.storage.v1.CSIDriver": ({ spec }: CSIDriver) => {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  "io.k8s.api.resource.v1.DeviceTaint": stamp,
  "io.k8s.api.resource.v1beta2.DeviceTaint": stamp,
  "io.k8s.api.resource.v1beta1.DeviceTaint": stamp,
  "io.k8s.api.resource.v1alpha3.DeviceTaint": stamp,
  "io.k8s.api.resource.v1.ExactDeviceRequest": exactCount,
  "io.k8s.api.resource.v1.DeviceSubRequest": exactCount,
  "io.k8s.api.resource.v1beta2.ExactDeviceRequest": exactCount,
  "io.k8s.api.resource.v1beta2.DeviceSubRequest": exactCount,
  "io.k8s.api.resource.v1beta1.DeviceSubRequest": exactCount,
  // In this version a request is exact unless it offers alternatives.
  "io.k8s.api.resource.v1beta1.DeviceRequest": (request: {
    allocationMode?: string;
    count?: number;
    firstAvailable?: readonly unknown[];
  }) => {
    if ((request.firstAvailable ?? []).length === 0) exactCount(request);
  },
};
