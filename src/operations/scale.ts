import type { Resource } from "../client/resource/resource.js";
import type { PatchOptions } from "../meta/options.js";

/** Options for `scale`. */
export interface ScaleOptions extends PatchOptions {
  /** Precondition: the current number of requested replicas. If it differs, the server rejects the call with 422. */
  readonly from?: number | undefined;
}

/**
 * Sets the number of replicas through the `scale` subresource. Throws a `RangeError` unless `replicas` is a
 * non-negative integer.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { scale } from "kubestream/operations";
 *
 * const client = await connect();
 * await scale(client.resource(Deployment).namespace("web"), "shop", 5);
 * ```
 */
export async function scale<T, Sub extends { scale: unknown }>(
  handle: Resource<T, Sub>,
  name: string,
  replicas: number,
  options: ScaleOptions = {},
): Promise<Sub["scale"]> {
  const { from, ...patch } = options;
  if (!Number.isSafeInteger(replicas) || replicas < 0)
    throw new RangeError(`replicas must be a non-negative integer, not ${replicas}`);
  const body =
    from === undefined
      ? { type: "merge", patch: { spec: { replicas } } }
      : {
          type: "json",
          operations: [
            { op: "test", path: "/spec/replicas", value: from },
            { op: "replace", path: "/spec/replicas", value: replicas },
          ],
        };
  return handle.subresource("scale").patch(name, body as never, patch);
}
