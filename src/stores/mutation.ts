import type { Client } from "../client/client.js";
import type { Resource } from "../client/resource/resource.js";
import type { UpdateFunctionOptions } from "../client/resource/subresource-handle.js";
import type { Kind } from "../meta/kind.js";
import { handleFor, type ObjectTarget } from "./live-target.js";
import type { Overlays } from "./overlays.js";

/** A write with an optimistic change. */
export interface Mutation<T> {
  /**
   * Edits the object, or returns another one. It is called for the optimistic state, again for each newer state that
   * arrives, and for the write: it must be pure.
   */
  readonly change: (object: T) => T | undefined | void;
  /**
   * Writes the change. Default: `update` with `change`, which reads the latest object and retries after a conflict.
   * Return the object as the server answered, or `undefined`.
   */
  readonly write?: ((resource: Resource<T>, name: string) => Promise<T | undefined>) | undefined;
  /** Options for the default write. */
  readonly options?: UpdateFunctionOptions | undefined;
}

/** Shows a change, writes it, and removes it if the write fails. */
export async function runMutation<T>(
  client: Client,
  overlays: Overlays,
  request: { readonly kind: Kind<T>; readonly target: ObjectTarget; readonly mutation: Mutation<T> },
): Promise<T | undefined> {
  const { kind, target, mutation } = request;
  const { change, options } = mutation;
  const handle = handleFor(client, kind, target.namespace) as unknown as Resource<T>;
  const write =
    mutation.write ??
    ((resource: Resource<T>, name: string) => resource.update(name, (object) => change(object), options));
  const key = target.namespace === undefined ? target.name : `${target.namespace}/${target.name}`;
  const overlay = overlays.add(
    `${kind.group}/${kind.version}/${kind.plural}`,
    key,
    (object) => (change(object as T) as object | undefined) ?? undefined,
  );
  try {
    const result = await write(handle, target.name);
    overlay.settle(result as object | undefined);
    return result;
  } catch (error) {
    overlay.remove();
    throw error;
  }
}
