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
  return kinds.flatMap((kind) =>
    ((spec[kind] as Container[] | null | undefined) ?? []).map(
      (container, index) => [container, `${at}.${kind}[${String(index)}]`] as const,
    ),
  );
}
