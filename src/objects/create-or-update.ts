import type { Change, Resource } from "../client/resource/resource.js";
import { type RetryOnConflictOptions, retryOnConflict } from "../client/resource/retry-on-conflict.js";
import { isAlreadyExists, isNotFound } from "../errors/predicates.js";
import { cloneObject } from "../internal/clone-object.js";
import { deepEqual } from "../internal/deep-equal.js";
import type { KubernetesObject } from "../meta/object.js";
import type { WriteOptions } from "../meta/options.js";
import { createMergePatch } from "../patch/create-merge-patch.js";

/** What became of an object that was to be as it should. */
export interface Ensured<T> {
  /** The object as it is now. */
  readonly object: T;
  /** What was necessary. */
  readonly outcome: "created" | "updated" | "unchanged";
}

/** Options of `createOrUpdate` and `createOrPatch`; `timeoutMs` is for each of their requests. */
export interface EnsureOptions extends WriteOptions, Pick<RetryOnConflictOptions, "maxAttempts"> {}

type Ensurable<T> = Pick<Resource<T>, "get" | "create" | "update" | "patch" | "description">;

/**
 * Makes an object be as `change` has it: reads it, changes it and writes it if that made a difference; creates it where
 * it is missing, from `change` of an object with nothing but a name. Begins again after a conflict. Where defaults of
 * the server undo what `change` does, every call writes: apply does not have this problem.
 */
export function createOrUpdate<T extends KubernetesObject>(
  handle: Ensurable<T>,
  name: string,
  change: Change<T>,
  options: EnsureOptions = {},
): Promise<Ensured<T>> {
  return ensure(handle, name, change, options, (_, after) => handle.update(after as never, writeOptions(options)));
}

/** As `createOrUpdate`, but writes a merge patch of the differences, which leaves alone what others change at the same time. */
export function createOrPatch<T extends KubernetesObject>(
  handle: Ensurable<T>,
  name: string,
  change: Change<T>,
  options: EnsureOptions = {},
): Promise<Ensured<T>> {
  return ensure(handle, name, change, options, (before, after) =>
    handle.patch(
      name,
      { type: "merge", patch: (createMergePatch(before, after) ?? {}) as never },
      writeOptions(options),
    ),
  );
}

async function ensure<T extends KubernetesObject>(
  handle: Ensurable<T>,
  name: string,
  change: Change<T>,
  options: EnsureOptions,
  write: (before: T, after: T) => Promise<T>,
): Promise<Ensured<T>> {
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
          // Somebody was faster: theirs is read.
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

function writeOptions({ maxAttempts, ...options }: EnsureOptions): WriteOptions {
  return options;
}
