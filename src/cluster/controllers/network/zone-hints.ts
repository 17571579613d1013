import { deepEqual } from "../../../internal/deep-equal.js";
import type { Endpoint, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { SliceChange, SlicePlan } from "./plan-slices.js";
import { type Allocation, add, allocate, planMoves, type Zones } from "./zone-shares.js";

/** Plan with hints and the number of endpoints that serve each zone, or without hints and the reason why. */
export type HintedPlan =
  | { readonly plan: SlicePlan; readonly served: Zones }
  | { readonly plan: SlicePlan; readonly problem: string };

/**
 * Adds to the ready endpoints of a plan the zone that each should serve: its own, unless another one has too few of them
 * for its share. Slices that the plan keeps stay the same if their hints are good enough. Removes all hints if a zone
 * would be overloaded.
 */
export function planHints(plan: SlicePlan, shares: Zones | undefined): HintedPlan {
  const ready = [...plan.create, ...plan.update, ...plan.keep].flatMap(({ endpoints }) =>
    (endpoints ?? []).filter(isReady),
  );
  const allocations = allocate(shares, ready.length);
  if (typeof allocations === "string") return { plan: mapHints(plan, withoutHints), problem: allocations };

  const served = new Map<string, number>();
  const good = new Set(plan.keep.filter((slice) => keepHints(slice, allocations, served)));
  const changing = [...plan.create, ...plan.update, ...plan.keep.filter((slice) => !good.has(slice))];
  for (const { zone = "" } of changing.flatMap(({ endpoints }) => (endpoints ?? []).filter(isReady))) {
    if (zone === "")
      return { plan: mapHints(plan, withoutHints), problem: "One or more endpoints do not have a zone specified" };
    add(served, zone, 1);
  }
  const moves = planMoves(served, allocations);
  const hinted = mapHints({ ...plan, keep: plan.keep.filter((slice) => !good.has(slice)) }, (endpoint) => {
    if (!isReady(endpoint)) return endpoint;
    const own = endpoint.zone!;
    const name = moves.get(own)?.shift() ?? own;
    add(served, own, -1);
    add(served, name, 1);
    return { ...endpoint, hints: { forZones: [{ name }] } };
  });
  return { plan: { ...hinted, keep: [...good, ...hinted.keep] }, served };
}

function isReady({ conditions }: DeepReadonly<Endpoint>): boolean {
  return conditions?.ready === true;
}

function withoutHints({ hints: _, ...endpoint }: Endpoint): Endpoint {
  return endpoint;
}

/** Replaces the endpoints of a plan. Kept slices that change are updated. */
function mapHints(plan: SlicePlan, change: (endpoint: Endpoint) => Endpoint): SlicePlan {
  const changed = <T extends { readonly endpoints: readonly Endpoint[] }>(each: T): T => ({
    ...each,
    endpoints: each.endpoints.map(change),
  });
  const create = plan.create.map(changed);
  const update = plan.update.map(changed);
  const kept = plan.keep.map((slice): SliceChange => {
    const { ports, endpoints } = slice as EndpointSlice;
    return changed({ slice, ports: ports ?? [], endpoints: endpoints ?? [] });
  });
  const isSame = ({ slice, endpoints }: SliceChange): boolean => deepEqual(endpoints, slice.endpoints ?? []);
  return {
    ...plan,
    create,
    update: [...update, ...kept.filter((each) => !isSame(each))],
    keep: kept.filter(isSame).map(({ slice }) => slice),
  };
}

/**
 * Adds the endpoints of a slice to those that serve each zone. Returns false, and adds none, if one has no hint, or if
 * they are too many for a zone.
 */
function keepHints(
  { endpoints }: DeepReadonly<EndpointSlice>,
  allocations: ReadonlyMap<string, Allocation>,
  served: Map<string, number>,
): boolean {
  const own = new Map<string, number>();
  for (const { hints } of (endpoints ?? []).filter(isReady)) {
    if ((hints?.forZones ?? []).length === 0) return false;
    for (const { name } of hints!.forZones!) add(own, name, 1);
  }
  const fits = ([zone, count]: readonly [string, number]): boolean =>
    (served.get(zone) ?? 0) + count <= (allocations.get(zone)?.maximum ?? 0);
  if (![...own].every(fits)) return false;
  for (const [zone, count] of own) add(served, zone, count);
  return true;
}
