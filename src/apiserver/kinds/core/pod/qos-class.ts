import type { PodSpec } from "../../../../kinds/core/v1.js";
import type { ParsedQuantity } from "../../../../meta/quantity.js";
import { addQuantities, compareQuantities, parseQuantity } from "../../../../meta/quantity.js";

type Resources = NonNullable<PodSpec["resources"]>;

/**
 * Returns the quality of service class of a pod.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function qosClassOf(spec: PodSpec): "BestEffort" | "Burstable" | "Guaranteed" {
  const holders: readonly (Resources | undefined)[] =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [spec.resources];
  let any = false;
  let guaranteed = true;
  for (const name of ["cpu", "memory"]) {
    const [limits, requests] = [positiveAmounts(holders, "limits", name), positiveAmounts(holders, "requests", name)];
    if (limits.length > 0 || requests.length > 0) any = true;
    guaranteed &&=
      limits.length === holders.length &&
      requests.length > 0 &&
      compareQuantities(limits.reduce(addQuantities), requests.reduce(addQuantities)) === 0;
  }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

function positiveAmounts(
  holders: readonly (Resources | undefined)[],
  list: "limits" | "requests",
  name: string,
): ParsedQuantity[] {
  return holders.flatMap((holder) => {
    const text = holder?.[list]?.[name];
    const amount = text === undefined ? undefined : parseQuantity(text);
    return amount !== undefined && amount.digits > 0n ? [amount] : [];
  });
}
