import type { Node } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { quantityToNumber } from "../../../meta/quantity.js";

/** Factor by which the endpoints of a zone may get more traffic than others. */
const overload = 1.2;

/** Labels of nodes that run no workloads, so their CPU time doesn't count. */
const excluded = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** Numbers by name of zone. */
export type Zones = ReadonlyMap<string, number>;

/** Number of endpoints that should serve a zone. */
export interface Allocation {
  readonly desired: number;
  readonly maximum: number;
}

/**
 * Returns each zone's share of the CPU time of the nodes that are ready. Returns `undefined` if one of them has no zone
 * or no CPU time, or if all are in one zone.
 */
export function zoneShares(nodes: readonly DeepReadonly<Node>[]): Zones | undefined {
  const millis = new Map<string, number>();
  for (const { metadata: { labels = {} } = {}, status } of nodes) {
    const isReady = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
    if (!isReady || excluded.some((label) => labels[label] !== undefined)) continue;
    const zone = labels["topology.kubernetes.io/zone"] ?? "";
    const cpu = Math.round(quantityToNumber(status.allocatable?.["cpu"] ?? "0") * 1_000);
    if (zone === "" || cpu === 0) return undefined;
    add(millis, zone, cpu);
  }
  const all = total(millis);
  return millis.size < 2 ? undefined : new Map([...millis].map(([zone, cpu]) => [zone, cpu / all]));
}

/** Returns true if too few endpoints serve a zone for its share. */
export function isOverloaded(served: Zones, shares: Zones | undefined): boolean {
  if (shares === undefined) return true;
  const endpoints = total(served);
  return [...shares].some(([zone, share]) => (served.get(zone) ?? 0) < minimumOf(endpoints * share));
}

/** Divides endpoints among the zones. Returns a message if one of them would be overloaded. */
export function allocate(shares: Zones | undefined, endpoints: number): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const counts = `(${String(endpoints)} endpoints, ${String(shares.size)} zones)`;
  if (endpoints < shares.size) return `Insufficient number of endpoints ${counts}`;
  const desired = [...shares].map(([zone, share]) => [zone, endpoints * share] as const);
  const spare = endpoints - desired.reduce((sum, [, each]) => sum + minimumOf(each), 0);
  if (spare < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
  return new Map(
    desired.map(([zone, each]) => {
      const minimum = minimumOf(each);
      return [zone, { desired: Math.max(each, minimum), maximum: minimum + spare }];
    }),
  );
}

/** Returns the zones that endpoints of a zone should serve instead of their own, by their own. */
export function planMoves(served: Zones, allocations: ReadonlyMap<string, Allocation>): Map<string, string[]> {
  const surplus = new Map([...allocations].map(([zone, { desired }]) => [zone, (served.get(zone) ?? 0) - desired]));
  const moves = new Map<string, string[]>();
  for (;;) {
    const zones = [...surplus].sort(([, a], [, b]) => b - a);
    const [[from, gives], [to, lacks]] = [zones[0]!, zones.at(-1)!];
    // An endpoint moves while both zones miss their number by half an endpoint or more, and one of them by a whole one.
    if (Math.min(gives, -lacks) < 0.5 || Math.max(gives, -lacks) < 1) return moves;
    add(surplus, from, -1);
    add(surplus, to, 1);
    const targets = moves.get(from) ?? [];
    targets.push(to);
    moves.set(from, targets);
  }
}

/** Adds to the number of a zone. */
export function add(zones: Map<string, number>, zone: string, count: number): void {
  zones.set(zone, (zones.get(zone) ?? 0) + count);
}

function total(zones: Zones): number {
  return [...zones.values()].reduce((sum, each) => sum + each, 0);
}

/** Returns the least number of endpoints without overload where so many are desired. */
function minimumOf(desired: number): number {
  return Math.ceil(desired * (1 / overload));
}
