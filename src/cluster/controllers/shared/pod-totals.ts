import type { Container, PodSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { addQuantities, compareQuantities, type ParsedQuantity, parseQuantity } from "../../../meta/quantity.js";

/** Sums by the name of a resource. */
export type Totals = Map<string, ParsedQuantity>;

type Amounts = Readonly<Record<string, string>>;

/** Adds an amount to a sum. */
export function addAmount(totals: Totals, name: string, amount: ParsedQuantity): void {
  const before = totals.get(name);
  totals.set(name, before === undefined ? amount : addQuantities(before, amount));
}

/** Returns the resources of a pod: of all containers and sidecars, or of an init container if that is more. */
export function podTotals(spec: DeepReadonly<PodSpec>, which: "requests" | "limits"): Totals {
  const total: Totals = new Map();
  const sidecars: Totals = new Map();
  const peak: Totals = new Map();
  const amountsOf = ({ resources }: DeepReadonly<Container>): Amounts => resources?.[which] ?? {};
  for (const container of spec.containers) addAll(total, amountsOf(container));
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === "Always";
    if (isSidecar) addAll(total, amountsOf(container));
    const during = isSidecar ? sidecars : new Map(sidecars);
    addAll(during, amountsOf(container));
    raiseAll(peak, during);
  }
  raiseAll(total, peak);
  for (const [name, amount] of Object.entries(spec.resources?.[which] ?? {})) total.set(name, parseQuantity(amount));
  const overhead = Object.entries(spec.overhead ?? {}).filter(([name]) => which === "requests" || total.has(name));
  addAll(total, Object.fromEntries(overhead));
  return total;
}

function addAll(sum: Totals, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) addAmount(sum, name, parseQuantity(amount));
}

function raiseAll(sum: Totals, least: Totals): void {
  for (const [name, amount] of least) {
    const before = sum.get(name);
    if (before === undefined || compareQuantities(amount, before) > 0) sum.set(name, amount);
  }
}
