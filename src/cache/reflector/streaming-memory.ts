import type { ListerWatcher } from "../../client/resource/collection.js";
import type { Clock } from "../../internal/clock.js";

/** Shared memory of all informers in a cache scope about streaming lists of one resource. */
export interface StreamingMemory {
  /** Time (monotonic ms) until which streaming lists are avoided; `-Infinity` if they are allowed. */
  readonly until: number;
  /** Records that streaming failed and a plain list worked. */
  avoid(until: number): void;
}

const scopes = new WeakMap<object, Map<string, { readonly clock: Clock; readonly until: number }>>();

/** Returns the memory for a collection's resource. Collections without scope or resource don't share one. */
export function streamingMemory(
  { cacheScope, groupVersionResource: resource }: Pick<ListerWatcher<unknown>, "cacheScope" | "groupVersionResource">,
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
