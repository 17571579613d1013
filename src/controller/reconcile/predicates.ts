import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import { deepEqual } from "../../internal/deep-equal.js";
import type { ObjectMeta } from "../../meta/object.js";
import { matchesLabels, parseLabelSelector } from "../../meta/selectors.js";

/** Whether a change is worth a reconcile. */
export type Predicate<T = unknown> = (change: Change<T>) => boolean;

/** Updates count only where the desired state changed; for kinds without a generation none does. What came and went counts. */
export function generationChanged(): Predicate {
  return updates((before, after) => before.generation !== after.generation);
}

/** Updates count only where labels changed. */
export function labelChanged(): Predicate {
  return updates((before, after) => !deepEqual(before.labels ?? {}, after.labels ?? {}));
}

/** Updates count only where annotations changed. */
export function annotationChanged(): Predicate {
  return updates((before, after) => !deepEqual(before.annotations ?? {}, after.annotations ?? {}));
}

/** Updates count only where anything changed: resyncs do not. */
export function resourceVersionChanged(): Predicate {
  return updates((before, after) => before.resourceVersion !== after.resourceVersion);
}

/** Changes count of objects that a label selector matches, or matched before. Throws a `TypeError` for what is none. */
export function labelsMatch(selector: string): Predicate {
  const requirements = parseLabelSelector(selector);
  const of = (object: unknown): boolean => matchesLabels(requirements, metadataOf(object)?.labels);
  return (change) => of(change.object) || (change.type === "updated" && of(change.old));
}

/** Changes count that all of the predicates let through. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** Changes count that any of the predicates lets through. */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** Changes count that the predicate does not let through. */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

function updates(differ: (before: Readonly<ObjectMeta>, after: Readonly<ObjectMeta>) => boolean): Predicate {
  return (change) => change.type !== "updated" || differ(metadataOf(change.old) ?? {}, metadataOf(change.object) ?? {});
}
