import type { Container, ContainerStatus, Pod, PodStatus } from "../../../kinds/core/v1.js";
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

/** Options for `podRequests`. */
export interface PodRequestsOptions {
  /** Counts containers without a request with a small one. */
  readonly assumeDefaults?: boolean;
  /** Counts what a container has or was allocated by its status, if it's more than it requests since a resize. */
  readonly whileResized?: boolean;
}

/**
 * Returns the resources that a pod needs on its node: those of all containers and sidecars together, or those of an init
 * container with the sidecars before it if that is more, and the overhead.
 */
export function podRequests(
  { spec, status }: DeepReadonly<Pod>,
  { assumeDefaults, whileResized }: PodRequestsOptions = {},
): Record<string, number> {
  const requestsOf = (
    { name, resources }: DeepReadonly<Container>,
    statuses: DeepReadonly<ContainerStatus[]> | undefined,
  ): Record<string, number> => {
    const known = whileResized === true ? statuses?.find((each) => each.name === name) : undefined;
    const amounts = amountsWhileResized(resources?.requests, known, status);
    return assumeDefaults === true ? { ...assumed, ...amounts } : amounts;
  };
  const total: Record<string, number> = {};
  for (const container of spec?.containers ?? []) addTo(total, requestsOf(container, status?.containerStatuses));
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of spec?.initContainers ?? []) {
    if (container.restartPolicy === "Always") {
      const requests = requestsOf(container, status?.initContainerStatuses);
      addTo(sidecars, requests);
      addTo(total, requests);
      raiseTo(peak, sidecars);
    } else {
      const requests = requestsOf(container, undefined);
      addTo(requests, sidecars);
      raiseTo(peak, requests);
    }
  }
  raiseTo(total, peak);
  if (spec?.resources?.requests !== undefined) {
    const held = amountsWhileResized(spec.resources.requests, whileResized === true ? status : undefined, status);
    for (const name of Object.keys(spec.resources.requests)) total[name] = held[name] ?? 0;
  }
  addTo(total, amountsOf(spec?.overhead));
  return total;
}

/** Returns what a container or pod requests, or has by its status if that is more. A resize that is infeasible doesn't count. */
function amountsWhileResized(
  requests: Readonly<Record<string, string>> | undefined,
  held: DeepReadonly<Pick<ContainerStatus, "resources" | "allocatedResources">> | undefined,
  status: DeepReadonly<PodStatus> | undefined,
): Record<string, number> {
  if (held?.resources === undefined) return amountsOf(requests);
  const isInfeasible = status?.conditions?.some(
    ({ type, reason }) => type === "PodResizePending" && reason === "Infeasible",
  );
  const amounts = isInfeasible === true ? {} : amountsOf(requests);
  raiseTo(amounts, amountsOf(held.resources.requests));
  raiseTo(amounts, amountsOf(held.allocatedResources));
  return amounts;
}
