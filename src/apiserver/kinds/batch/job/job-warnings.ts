import type { JobSpec } from "../../../../kinds/batch/v1.js";
import { templateWarnings } from "../../core/pod/pod-warnings.js";
import { hasChanged } from "../../core/pod/workload.js";

/** Returns the warnings for the spec of a new Job or of one whose spec has changed. */
export function jobWarnings(spec: JobSpec | undefined, old: JobSpec | undefined, at: string): string[] {
  if (spec === undefined || (old !== undefined && !hasChanged(spec, old))) return [];
  const tooMany =
    spec.completionMode === "Indexed" && (spec.completions ?? 0) > 100_000 && (spec.parallelism ?? 0) > 10_000;
  return [
    ...(tooMany ? [`${at}: completedIndexes may not be tracked with so many completions and so much parallelism`] : []),
    ...templateWarnings(spec.template, true, `${at}.template`),
  ];
}
