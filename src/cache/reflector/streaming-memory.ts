import type { ListWatch } from "../../client/resource/collection.js";
import type { Clock } from "../../internal/clock.js";

/** What all informers of one cache scope know about streaming lists of a resource. */
export interface StreamingMemory {
  /** Time (monotonic ms) until which streaming lists are not requested; `-Infinity` if they may be. */
  readonly until: number;
  /** Records that streaming failed where a plain list worked. */
  avoid(until: number): void;
}

const scopes = new WeakMap<object, Map<string, { readonly clock: Clock; readonly until: number }>>();

/** Returns the memory for a collection's resource. A collection without scope or resource remembers nothing. */
export function streamingMemory(
  { cacheScope, groupVersionResource: resource }: Pick<ListWatch<unknown>, "cacheScope" | "groupVersionResource">,
  clock: Clock,
): StreamingMemory {
  if (cacheScope === undefined || resource === undefined) return { until: -Infinity, avoid: () => undefined };
  const resources = scopes.get(cacheScope) ?? new Map<string, { readonly clock: Clock; readonly until: number }>();
  scopes.set(cacheScope, resources);
  return {
    get until() {
      const known = resources.get(resource);
      // Times of two clocks cannot be compared.
      return known?.clock === clock ? known.until : -Infinity;
    },
    avoid(until) {
      resources.set(resource, { clock, until });
    },
  };
}
