import type { DeepReadonly } from "../../meta/object.js";
import type { Change } from "../store/change.js";

/**
 * A change as those see it who look only at some objects: what comes to match is added, what no longer does is deleted,
 * anything else is nothing to them.
 */
export function filterChange<T>(
  change: Change<T>,
  matches: (object: DeepReadonly<T>) => boolean,
): Change<T> | undefined {
  if (change.type !== "updated") return matches(change.object) ? change : undefined;
  const { key, cause, object, old } = change;
  const [before, after] = [matches(old), matches(object)];
  if (after) return before ? change : { type: "added", key, object, cause, initial: false };
  return before ? { type: "deleted", key, object: old, finalStateUnknown: false, cause, initial: false } : undefined;
}
