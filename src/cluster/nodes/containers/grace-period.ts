import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns the time in milliseconds that the containers of a pod get to end. */
export function graceMsOf({ spec }: DeepReadonly<Pod>): number {
  return (spec?.terminationGracePeriodSeconds ?? 30) * 1_000;
}
