import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import { deepEqual } from "../../internal/deep-equal.js";
import type { ObjectMeta } from "../../meta/object.js";
import { matchesLabels, parseLabelSelector } from "../../meta/selectors.js";

/** Decides whether a change triggers a reconcile: true lets it through. */
export type Predicate<T = unknown> = (change: Change<T>) => boolean;

/**
 * Returns a predicate that lets an update through only if `metadata.generation` changed, that is, the desired state.
 * Kinds without a generation have no such updates. Added and deleted objects pass.
 *
 * @example
 * ```ts
 * import { allOf, anyOf, createController, generationChanged, labelChanged, labelsMatch } from "kubestream/controller";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const controller = createController({
 *   name: "scaler",
 *   for: client.resource(Deployment),
 *   predicates: [allOf(labelsMatch("scale=auto"), anyOf(generationChanged(), labelChanged()))],
 *   reconcile: ({ name }) => console.log("scaling", name),
 * });
 * controller.start();
 * ```
 */
export function generationChanged(): Predicate {
  return updates((before, after) => before.generation !== after.generation);
}

/** Returns a predicate that lets an update through only if labels changed. Added and deleted objects pass. */
export function labelChanged(): Predicate {
  return updates((before, after) => !deepEqual(before.labels ?? {}, after.labels ?? {}));
}

/** Returns a predicate that lets an update through only if annotations changed. Added and deleted objects pass. */
export function annotationChanged(): Predicate {
  return updates((before, after) => !deepEqual(before.annotations ?? {}, after.annotations ?? {}));
}

/**
 * Returns a predicate that lets an update through only if the resource version changed, which excludes resyncs. Added
 * and deleted objects pass.
 */
export function resourceVersionChanged(): Predicate {
  return updates((before, after) => before.resourceVersion !== after.resourceVersion);
}

/**
 * Returns a predicate that lets through changes of objects that match a label selector, now or before the change.
 * Throws a `TypeError` for an invalid selector.
 */
export function labelsMatch(selector: string): Predicate {
  const requirements = parseLabelSelector(selector);
  const of = (object: unknown): boolean => matchesLabels(requirements, metadataOf(object)?.labels);
  return (change) => of(change.object) || (change.type === "updated" && of(change.old));
}

/** Returns a predicate that requires all of the given ones. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** Returns a predicate that requires at least one of the given ones. */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** Returns a predicate that inverts the given one. */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

function updates(differ: (before: Readonly<ObjectMeta>, after: Readonly<ObjectMeta>) => boolean): Predicate {
  return (change) => change.type !== "updated" || differ(metadataOf(change.old) ?? {}, metadataOf(change.object) ?? {});
}
