import type { ListWatch } from "../../client/resource/collection.js";
import type { Clock } from "../../internal/clock.js";

/** What is known of the streaming lists of a resource, to all informers of one client. */
export interface StreamingMemory {
  /** Until when (monotonic ms) they are not to be asked for; `-Infinity` where nothing speaks against them. */
  readonly until: number;
  /** Notes that they did not work where a plain list did. */
  avoid(until: number): void;
}

const owners = new WeakMap<object, Map<string, { readonly clock: Clock; readonly until: number }>>();

/** The memory of a collection's resource; of a collection that does not say what that is, nothing is remembered. */
export function streamingMemory(
  { owner, resource }: Pick<ListWatch<unknown>, "owner" | "resource">,
  clock: Clock,
): StreamingMemory {
  if (owner === undefined || resource === undefined) return { until: -Infinity, avoid: () => undefined };
  const resources = owners.get(owner) ?? new Map<string, { readonly clock: Clock; readonly until: number }>();
  owners.set(owner, resources);
  return {
    get until() {
      const known = resources.get(resource);
      // Times of two clocks say nothing to each other.
      return known?.clock === clock ? known.until : -Infinity;
    },
    avoid(until) {
      resources.set(resource, { clock, until });
    },
  };
}
