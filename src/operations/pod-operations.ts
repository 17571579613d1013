import type { Resource } from "../client/resource/resource.js";
import type { CreateOptions, PatchOptions } from "../meta/options.js";

/** Assigns a pod to a node, as a scheduler does. */
export async function bind<T, Sub extends { binding: unknown }>(
  pods: Resource<T, Sub>,
  name: string,
  node: string,
  options?: CreateOptions,
): Promise<void> {
  await pods.subresource("binding").create(
    name,
    {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name },
      target: { apiVersion: "v1", kind: "Node", name: node },
    } as never,
    options,
  );
}

/** Adds a container to a running pod, as for debugging; it cannot be removed again. */
export function addEphemeralContainer<T, Sub extends { ephemeralcontainers: unknown }>(
  pods: Resource<T, Sub>,
  name: string,
  container: { readonly name: string; readonly image: string; readonly [field: string]: unknown },
  options?: PatchOptions,
): Promise<Sub["ephemeralcontainers"]> {
  return pods
    .subresource("ephemeralcontainers")
    .patch(name, { type: "strategic", patch: { spec: { ephemeralContainers: [container] } } } as never, options);
}

/** Changes what containers of a running pod may use: requests and limits by container name. */
export function resize<T, Sub extends { resize: unknown }>(
  pods: Resource<T, Sub>,
  name: string,
  resources: Readonly<
    Record<
      string,
      { readonly requests?: Readonly<Record<string, string>>; readonly limits?: Readonly<Record<string, string>> }
    >
  >,
  options?: PatchOptions,
): Promise<Sub["resize"]> {
  const containers = Object.entries(resources).map(([container, wanted]) => ({ name: container, resources: wanted }));
  return pods
    .subresource("resize")
    .patch(name, { type: "strategic", patch: { spec: { containers } } } as never, options);
}
