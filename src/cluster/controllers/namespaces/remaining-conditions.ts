import type { NamespaceCondition } from "../../../kinds/core/v1.js";
import type { ObjectMeta } from "../../../meta/object.js";

/** Metadata of the objects that remain in a namespace, by the resource's full name. */
export type Remains = Map<string, readonly ObjectMeta[]>;

/** Condition of a namespace that is being deleted. */
export interface DeletionCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** Problems of a deletion: group versions that couldn't be read, with reasons, and messages of refused deletions. */
export interface DeletionProblems {
  readonly failed: readonly string[];
  readonly refusals: readonly string[];
}

/** Returns the conditions of a namespace in which objects remain. */
export function remainingConditions(
  remains: Readonly<Remains>,
  { failed, refusals }: DeletionProblems,
  now: string,
): DeletionCondition[] {
  const contents = [...remains].map(([resource, { length }]) => `${resource} has ${length} resource instances`).sort();
  const finalizers = new Map<string, number>();
  for (const { finalizers: names = [] } of [...remains.values()].flat())
    for (const name of names) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  const holding = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  const condition = (
    type: string,
    [badReason, badMessage]: readonly [string, string],
    [goodReason, goodMessage]: readonly [string, string],
    isBad: boolean,
  ): DeletionCondition => ({
    type,
    status: isBad ? "True" : "False",
    reason: isBad ? badReason : goodReason,
    message: isBad ? badMessage : goodMessage,
    lastTransitionTime: now,
  });
  return [
    condition(
      "NamespaceDeletionDiscoveryFailure",
      [
        "DiscoveryFailed",
        `Discovery failed for some groups, ${failed.length} failing: unable to retrieve the complete list of server APIs: ${failed.join(", ")}`,
      ],
      ["ResourcesDiscovered", "All resources successfully discovered"],
      failed.length > 0,
    ),
    condition(
      "NamespaceDeletionGroupVersionParsingFailure",
      ["GroupVersionParsingFailed", ""],
      ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
      false,
    ),
    condition(
      "NamespaceDeletionContentFailure",
      [
        "ContentDeletionFailed",
        `Failed to delete all resource types, ${refusals.length} remaining: ${[...refusals].sort().join(", ")}`,
      ],
      ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
      refusals.length > 0,
    ),
    condition(
      "NamespaceContentRemaining",
      ["SomeResourcesRemain", `Some resources are remaining: ${contents.join(", ")}`],
      ["ContentRemoved", "All content successfully removed"],
      remains.size > 0,
    ),
    condition(
      "NamespaceFinalizersRemaining",
      ["SomeFinalizersRemain", `Some content in the namespace has finalizers remaining: ${holding.join(", ")}`],
      ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
      holding.length > 0,
    ),
  ];
}

/** Merges conditions. One whose status didn't change keeps its time. */
export function mergeConditions(
  old: readonly NamespaceCondition[],
  wanted: readonly DeletionCondition[],
): NamespaceCondition[] {
  const kept = old.filter(({ type }) => !wanted.some((each) => each.type === type));
  return [
    ...kept,
    ...wanted.map((condition) => {
      const before = old.find(({ type }) => type === condition.type);
      return before?.status === condition.status
        ? { ...condition, lastTransitionTime: before.lastTransitionTime ?? condition.lastTransitionTime }
        : condition;
    }),
  ];
}
