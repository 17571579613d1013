import type { PodSpec } from "../../../../kinds/core/v1.js";
import type { ParsedQuantity } from "../../../../meta/quantity.js";
import { addQuantities, compareQuantities, parseQuantity } from "../../../../meta/quantity.js";

type Resources = NonNullable<PodSpec["resources"]>;

const names = ["cpu", "memory"] as const;
const zero = parseQuantity("0");

/**
 * Returns the quality of service class of a pod.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function qosClassOf(spec: PodSpec): "BestEffort" | "Burstable" | "Guaranteed" {
  const holders: readonly (Resources | undefined)[] =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [spec.resources];
  const amount = (holder: Resources | undefined, list: "limits" | "requests", name: string): ParsedQuantity => {
    const quantity = parseQuantity(holder?.[list]?.[name] ?? "0");
    return compareQuantities(quantity, zero) > 0 ? quantity : zero;
  };
  const total = (list: "limits" | "requests", name: string): ParsedQuantity =>
    holders.map((holder) => amount(holder, list, name)).reduce(addQuantities, zero);
  const isZero = (quantity: ParsedQuantity): boolean => compareQuantities(quantity, zero) === 0;
  if (names.every((name) => isZero(total("limits", name)) && isZero(total("requests", name)))) return "BestEffort";
  const isLimited = holders.every((holder) => names.every((name) => !isZero(amount(holder, "limits", name))));
  return isLimited && names.every((name) => compareQuantities(total("limits", name), total("requests", name)) === 0)
    ? "Guaranteed"
    : "Burstable";
}
