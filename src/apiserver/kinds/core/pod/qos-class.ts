import type { PodSpec } from "../../../../kinds/core/v1.js";
import { quantityToNumber } from "../../../../meta/quantity.js";

/**
 * Returns the quality of service class of a pod.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function qosClassOf(spec: PodSpec): "BestEffort" | "Burstable" | "Guaranteed" {
  const holders =
    spec.resources?.limits !== undefined || spec.resources?.requests !== undefined
      ? [spec]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  let any = false;
  let guaranteed = true;
  for (const { resources } of holders) {
    for (const name of ["cpu", "memory"]) {
      const [request, limit] = [positive(resources?.requests?.[name]), positive(resources?.limits?.[name])];
      if (request !== undefined || limit !== undefined) any = true;
      if (limit === undefined || (request !== undefined && request !== limit)) guaranteed = false;
    }
  }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

function positive(quantity: string | undefined): number | undefined {
  const value = quantity === undefined ? 0 : quantityToNumber(quantity);
  return value > 0 ? value : undefined;
}
