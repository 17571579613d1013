import type { Resource } from "../client/resource/resource.js";
import { type RetryOnConflictOptions, retryOnConflict } from "../client/resource/retry-on-conflict.js";
import type { UpdateFunction } from "../client/resource/subresource-handle.js";
import { isAlreadyExists, isNotFound } from "../errors/predicates.js";
import { cloneObject } from "../internal/clone-object.js";
import { deepEqual } from "../internal/deep-equal.js";
import type { KubernetesObject } from "../meta/object.js";
import type { WriteOptions } from "../meta/options.js";
import { createMergePatch } from "../patch/create-merge-patch.js";

/** Result of `createOrUpdate` and `createOrPatch`. */
export interface CreateOrUpdateResult<T> {
  /** Current state of the object. */
  readonly object: T;
  /** Operation that was necessary, if any. */
  readonly outcome: "created" | "updated" | "unchanged";
}

/** Options for `createOrUpdate` and `createOrPatch`. `timeoutMs` limits each request. */
export interface CreateOrUpdateOptions extends WriteOptions, Pick<RetryOnConflictOptions, "maxAttempts"> {}

type Ensurable<T> = Pick<Resource<T>, "get" | "create" | "update" | "patch" | "description">;

/**
 * Reads an object, calls `change` and writes the result if it differs. If the object doesn't exist, calls `change` with
 * an object that has only a name and creates the result. Retries after a conflict.
 *
 * If the server's defaults undo a part of `change`, every call writes; `apply` avoids this.
 *
 * @example
 * ```ts
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { createOrUpdate } from "kubestream/objects";
 *
 * const client = await connect();
 * const { outcome } = await createOrUpdate(client.resource(ConfigMap).namespace("web"), "app", (config) => {
 *   config.data = { ...config.data, mode: "fast" };
 * });
 * console.log(outcome); // "created", "updated" or "unchanged"
 * ```
 */
export function createOrUpdate<T extends KubernetesObject>(
  handle: Ensurable<T>,
  name: string,
  change: UpdateFunction<T>,
  options: CreateOrUpdateOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  return ensure({ handle, name, change, options }, (_, after) => handle.update(after as never, writeOptions(options)));
}

/**
 * Does the same as `createOrUpdate`, but writes a merge patch of the differences, so concurrent changes to other fields
 * are kept.
 *
 * @example
 * ```ts
 * import { Service } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { createOrPatch } from "kubestream/objects";
 *
 * const client = await connect();
 * await createOrPatch(client.resource(Service).namespace("web"), "shop", (service) => {
 *   service.spec = { ...service.spec, selector: { app: "shop" }, ports: [{ port: 80 }] };
 * });
 * ```
 */
export function createOrPatch<T extends KubernetesObject>(
  handle: Ensurable<T>,
  name: string,
  change: UpdateFunction<T>,
  options: CreateOrUpdateOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  return ensure({ handle, name, change, options }, (before, after) =>
    handle.patch(
      name,
      { type: "merge", patch: (createMergePatch(before, after) ?? {}) as never },
      writeOptions(options),
    ),
  );
}

/** Desired object and its handle. */
interface Wanted<T> {
  readonly handle: Ensurable<T>;
  readonly name: string;
  readonly change: UpdateFunction<T>;
  readonly options: CreateOrUpdateOptions;
}

async function ensure<T extends KubernetesObject>(
  { handle, name, change, options }: Wanted<T>,
  write: (before: T, after: T) => Promise<T>,
): Promise<CreateOrUpdateResult<T>> {
  const { dryRun, fieldManager, fieldValidation, maxAttempts, ...request } = options;
  const changed = async (object: T): Promise<T> => {
    const after = (await change(object)) ?? object;
    if (after.metadata?.name !== name)
      throw new TypeError(`${handle.description}: the change must not rename ${JSON.stringify(name)}`);
    return after;
  };
  return retryOnConflict(
    async () => {
      let before: T;
      try {
        before = await handle.get(name, request);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const wanted = await changed({ metadata: { name } } as T);
        try {
          return { object: await handle.create(wanted as never, writeOptions(options)), outcome: "created" as const };
        } catch (raced) {
          // Another process created it first.
          if (!isAlreadyExists(raced)) throw raced;
          before = await handle.get(name, request);
        }
      }
      const after = await changed(cloneObject(before));
      if (deepEqual(before, after)) return { object: before, outcome: "unchanged" as const };
      return { object: await write(before, after), outcome: "updated" as const };
    },
    { ...(maxAttempts !== undefined && { maxAttempts }), ...(options.signal && { signal: options.signal }) },
  );
}

function writeOptions({ maxAttempts, ...options }: CreateOrUpdateOptions): WriteOptions {
  return options;
}
