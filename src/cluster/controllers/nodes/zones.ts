import type { Node } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Evictions per second in a zone, and in a large zone that has lost most of its nodes. */
const normalRate = 0.1;
const reducedRate = 0.01;
/** Number of nodes above which a zone is large. */
const largeZone = 50;
/** Share of lost nodes from which a zone is disrupted, if more than two are lost. */
const disruptedShare = 0.55;

/** Nodes of a zone. */
export interface ZoneHealth {
  readonly ready: number;
  readonly lost: number;
}

/** Returns the name of a node's zone, which is empty for a node without labels of its topology. */
export function zoneOf({ metadata }: DeepReadonly<Node>): string {
  const { labels = {} } = metadata ?? {};
  const label = (name: string): string =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ?? labels[`topology.kubernetes.io/${name}`] ?? "";
  return [label("region"), label("zone")].join("/");
}

/** Counts the nodes of each zone. Nodes with the label `node.kubernetes.io/exclude-disruption` don't count. */
export function countZones(
  nodes: readonly DeepReadonly<Node>[],
  isLost: (node: DeepReadonly<Node>) => boolean,
): ReadonlyMap<string, ZoneHealth> {
  const zones = new Map<string, ZoneHealth>();
  for (const node of nodes) {
    if (node.metadata?.labels?.["node.kubernetes.io/exclude-disruption"] !== undefined) continue;
    const { ready, lost } = zones.get(zoneOf(node)) ?? { ready: 0, lost: 0 };
    zones.set(zoneOf(node), isLost(node) ? { ready, lost: lost + 1 } : { ready: ready + 1, lost });
  }
  return zones;
}

/** Returns true if no node of any zone is ready: it's more likely that the control plane can't reach them. */
export function allLost(zones: ReadonlyMap<string, ZoneHealth>): boolean {
  return [...zones.values()].every(({ ready }) => ready === 0);
}

/** Returns how many nodes of a zone may lose their pods per second. */
export function evictionRate({ ready, lost }: ZoneHealth): number {
  const isDisrupted = ready > 0 && lost > 2 && lost / (lost + ready) >= disruptedShare;
  if (!isDisrupted) return normalRate;
  return lost + ready > largeZone ? reducedRate : 0;
}

/** Limits how often nodes of one zone lose their pods. */
export class EvictionLimiter {
  #rate = normalRate;
  #nextMs = 0;

  /**
   * Takes the permission for an eviction and returns 0, or returns the milliseconds until there is one: `Infinity` at a
   * rate of 0.
   */
  take(rate: number, nowMs: number): number {
    if (rate !== this.#rate) {
      if (this.#rate === 0 || this.#nextMs > nowMs) this.#nextMs = nowMs + 1_000 / rate;
      this.#rate = rate;
    }
    if (rate === 0) return Number.POSITIVE_INFINITY;
    if (this.#nextMs > nowMs) return this.#nextMs - nowMs;
    this.#nextMs = nowMs + 1_000 / rate;
    return 0;
  }
}
