import type { Container, PodSpec } from "../../../../kinds/core/v1.js";

const all = ["initContainers", "containers", "ephemeralContainers"] as const;

/**
 * Returns the containers of a pod with their paths, init containers first. `at`: path of the pod's spec. `kinds`:
 * default all.
 */
export function containersOf(
  spec: PodSpec,
  at: string,
  kinds: readonly (typeof all)[number][] = all,
): (readonly [container: Container, path: string])[] {
  const containers: [Container, string][] = [];
  for (const kind of kinds)
    ((spec[kind] as Container[] | null | undefined) ?? []).forEach((container, index) =>
      containers.push([container, `${at}.${kind}[${String(index)}]`]),
    );
  return containers;
}
