import type { DeepReadonly } from "../../meta/object.js";
import type { Change } from "../store/change.js";

/**
 * Returns the change that a subscriber to the matching objects should see: `added` when an object starts to match,
 * `deleted` when it stops, `undefined` when the object didn't match before and doesn't match now.
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
