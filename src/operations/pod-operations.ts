import type { Resource } from "../client/resource/resource.js";
import type { CreateOptions, PatchOptions } from "../meta/options.js";

/**
 * Assigns a pod to a node, like a scheduler does.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { bind } from "kubestream/operations";
 *
 * const client = await connect();
 * await bind(client.resource(Pod).namespace("web"), "shop-0", "node-1");
 * ```
 */
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

/**
 * Adds an ephemeral container to a running pod, usually for debugging. It can't be removed again.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { addEphemeralContainer } from "kubestream/operations";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("web");
 * await addEphemeralContainer(pods, "shop-0", { name: "debug", image: "busybox", stdin: true, tty: true });
 * ```
 */
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

/**
 * Changes the resource requests and limits of containers in a running pod. The keys of `resources` are container names.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { resize } from "kubestream/operations";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("web");
 * await resize(pods, "shop-0", { app: { requests: { cpu: "500m" }, limits: { cpu: "1" } } });
 * ```
 */
export function resize<T, Sub extends { resize: unknown }>(
  pods: Resource<T, Sub>,
  name: string,
  resources: Readonly<
    Record<
      string,
      {
        readonly requests?: Readonly<Record<string, string>> | undefined;
        readonly limits?: Readonly<Record<string, string>> | undefined;
      }
    >
  >,
  options?: PatchOptions,
): Promise<Sub["resize"]> {
  const containers = Object.entries(resources).map(([container, wanted]) => ({ name: container, resources: wanted }));
  return pods
    .subresource("resize")
    .patch(name, { type: "strategic", patch: { spec: { containers } } } as never, options);
}
