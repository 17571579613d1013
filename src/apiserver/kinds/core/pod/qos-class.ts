import type { PodSpec } from "../../../../kinds/core/v1.js";

/** Guaranteed, Burstable or BestEffort, from what the containers ask for. */
export function resourcesOf(pod: PodSpec): string {
  const containers = [...(pod.containers ?? []), ...(pod.initContainers ?? [])];
  const positive = (values: Record<string, string> | undefined): string[] =>
    ["cpu", "memory"].filter((name) => values?.[name] !== undefined && !/^0/.test(values[name]));
  if (
    containers.every(
      (one) => positive(one.resources?.requests).length === 0 && positive(one.resources?.limits).length === 0,
    )
  )
    return "BestEffort";
  const guaranteed = containers.every(
    (one) =>
      positive(one.resources?.limits).length === 2 &&
      ["cpu", "memory"].every(
        (name) => (one.resources?.requests?.[name] ?? one.resources?.limits?.[name]) === one.resources?.limits?.[name],
      ),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}
