import type { PodSpec } from "../../../../kinds/core/v1.js";
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
