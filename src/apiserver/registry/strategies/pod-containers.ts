import type { Container, PodSpec } from "../../../kinds/core/v1.js";

/** All containers of a pod with their paths, those that run first before the others. `at`: the path of the pod's spec. */
export function containersOf(spec: PodSpec, at: string): (readonly [container: Container, path: string])[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((kind) => ((spec[kind] as Container[] | null | undefined) ?? []).map((container, index) => [container, `${at}.${kind}[${String(index)}]`] as const));
}
