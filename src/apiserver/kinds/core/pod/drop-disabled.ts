import type { PodSpec, PodStatus } from "../../../../kinds/core/v1.js";
import { containersOf } from "./pod-containers.js";

/** Drops fields of disabled features from the spec of a pod or template, in place. */
export function dropDisabled(spec: PodSpec | undefined): void {
  if (spec === undefined) return;
  delete spec.schedulingGroup;
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
  for (const [container] of containersOf(spec, "")) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}

/** Drops fields of disabled features from the status of a pod, in place. */
export function dropDisabledStatus(status: PodStatus | undefined): void {
  delete status?.nodeAllocatableResourceClaimStatuses;
  for (const kind of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const)
    for (const { volumeMounts } of status?.[kind] ?? [])
      for (const mount of volumeMounts ?? []) delete mount.volumeStatus;
}
