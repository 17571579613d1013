import type { Resource } from "../client/resource/resource.js";
import type { PatchOptions } from "../meta/options.js";

/** Options of `scale`. */
export interface ScaleOptions extends PatchOptions {
  /** Only if so many replicas are asked for now; otherwise the server refuses with 422. */
  readonly from?: number;
}

/** Asks for a number of replicas. Throws a `RangeError` for what is no such number. */
export async function scale<T, Sub extends { scale: unknown }>(
  handle: Resource<T, Sub>,
  name: string,
  replicas: number,
  options: ScaleOptions = {},
): Promise<Sub["scale"]> {
  const { from, ...patch } = options;
  if (!Number.isSafeInteger(replicas) || replicas < 0)
    throw new RangeError(`replicas must be a whole number from 0 on, not ${replicas}`);
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
