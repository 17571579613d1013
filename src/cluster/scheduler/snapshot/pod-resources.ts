import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseQuantity } from "../../../meta/quantity.js";

/** Amounts by resource: CPU in thousandths, everything else in units. */
export type Resources = Readonly<Record<string, number>>;

const known = new Map<string, number>();

/** Returns a quantity of a resource as a number: CPU in thousandths, rounded up. */
export function amountOf(resource: string, quantity: string): number {
  const key = `${resource === "cpu" ? "m" : ""}${quantity}`;
  let amount = known.get(key);
  if (amount === undefined) {
    const { digits, exponent } = parseQuantity(quantity);
    const power = exponent + (resource === "cpu" ? 3 : 0);
    amount = Math.ceil(Number(digits) * 10 ** power);
    if (known.size < 10_000) known.set(key, amount);
  }
  return amount;
}

/** Returns quantities as numbers. */
export function amountsOf(quantities: Readonly<Record<string, string>> | undefined): Record<string, number> {
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(quantities ?? {})) amounts[name] = amountOf(name, quantity);
  return amounts;
}

/** Adds resources to a sum. */
export function addTo(sum: Record<string, number>, more: Resources, sign: 1 | -1 = 1): void {
  for (const name of Object.keys(more)) sum[name] = (sum[name] ?? 0) + sign * more[name]!;
}

function raiseTo(sum: Record<string, number>, least: Resources): void {
  for (const name of Object.keys(least)) sum[name] = Math.max(sum[name] ?? 0, least[name]!);
}

/** Default requests of a container that only count for scores. */
const assumed = { cpu: 100, memory: 200 * 1024 * 1024 } as const;

/**
 * Returns the resources that a pod needs on its node: those of all containers and sidecars together, or those of an init
 * container with the sidecars before it if that is more, and the overhead. With `assumeDefaults`, containers without a
 * request count with a small one.
 */
export function podRequests({ spec }: DeepReadonly<Pod>, assumeDefaults = false): Record<string, number> {
  const requestsOf = ({ resources }: DeepReadonly<Container>): Record<string, number> => {
    const amounts = amountsOf(resources?.requests);
    return assumeDefaults ? { ...assumed, ...amounts } : amounts;
  };
  const total: Record<string, number> = {};
  for (const container of spec?.containers ?? []) addTo(total, requestsOf(container));
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of spec?.initContainers ?? []) {
    const requests = requestsOf(container);
    if (container.restartPolicy === "Always") {
      addTo(sidecars, requests);
      addTo(total, requests);
      raiseTo(peak, sidecars);
    } else {
      addTo(requests, sidecars);
      raiseTo(peak, requests);
    }
  }
  raiseTo(total, peak);
  for (const [name, quantity] of Object.entries(spec?.resources?.requests ?? {}))
    total[name] = amountOf(name, quantity);
  addTo(total, amountsOf(spec?.overhead));
  return total;
}
