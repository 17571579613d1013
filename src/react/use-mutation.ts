import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Resource } from "../client/resource/resource.js";
import type { UpdateFunctionOptions } from "../client/resource/subresource-handle.js";
import type { Kind } from "../meta/kind.js";
import type { ObjectTarget } from "../stores/live-target.js";
import type { Mutation } from "../stores/mutation.js";
import { useLiveStores } from "./provider.js";

/** A change that `useMutation` writes. `V` is the type of its argument. */
export interface MutationDefinition<T, V = void> {
  /**
   * Edits the object, or returns another one. It is called for the optimistic state, for newer states that arrive, and
   * for the write: it must be pure.
   */
  readonly change: (object: T, variables: V) => T | undefined | void;
  /**
   * Writes the change. Default: reads the latest object, applies `change`, updates it, and retries after a conflict.
   */
  readonly write?: ((resource: Resource<T>, name: string, variables: V) => Promise<T | undefined>) | undefined;
  /** Options for the default write, such as `fieldManager` or `maxAttempts`. */
  readonly options?: UpdateFunctionOptions | undefined;
}

/** Result of `useMutation`. */
export interface MutationState<T, V = void> {
  /** Writes the change to an object. Failures appear in `error`. */
  readonly mutate: (target: ObjectTarget, variables: V) => void;
  /** Like `mutate`, but returns the written object and rejects with the error. */
  readonly mutateAsync: (target: ObjectTarget, variables: V) => Promise<T | undefined>;
  /** True while a write is pending. */
  readonly isPending: boolean;
  /** Error of a failed write. The start of another write and `reset` clear it. */
  readonly error: unknown;
  /** Clears `error`. */
  readonly reset: () => void;
}

/**
 * Returns functions that change objects of a kind. The change shows at once in all components, and is taken back if the
 * server refuses the write.
 *
 * @example
 * ```ts
 * import { createElement, type ReactElement } from "react";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { useMutation } from "kubestream/react";
 *
 * export function Scale({ namespace, name }: { namespace: string; name: string }): ReactElement {
 *   const scale = useMutation(Deployment, {
 *     change: (deployment, replicas: number) => {
 *       deployment.spec = { ...deployment.spec!, replicas };
 *     },
 *   });
 *   const onClick = (): void => scale.mutate({ namespace, name }, 3);
 *   return createElement("button", { onClick, disabled: scale.isPending }, scale.error ? "failed, try again" : "scale");
 * }
 * ```
 */
export function useMutation<T, V = void>(kind: Kind<T>, definition: MutationDefinition<T, V>): MutationState<T, V> {
  const stores = useLiveStores();
  const [{ pending, error }, setState] = useState<{ readonly pending: number; readonly error: unknown }>(settled);
  const latest = useRef(definition);
  useEffect(() => {
    latest.current = definition;
  });

  const mutateAsync = useCallback(
    async (target: ObjectTarget, variables: V): Promise<T | undefined> => {
      setState((state) => ({ pending: state.pending + 1, error: undefined }));
      let failure: unknown;
      try {
        return await stores.mutate(kind, target, bind(latest.current, variables));
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      } finally {
        setState((state) => ({ pending: state.pending - 1, error: failure ?? state.error }));
      }
    },
    [stores, kind],
  );

  return useMemo(
    () => ({
      mutateAsync,
      mutate(target, variables) {
        mutateAsync(target, variables).catch(() => undefined);
      },
      isPending: pending > 0,
      error,
      reset: () => setState((state) => ({ ...state, error: undefined })),
    }),
    [mutateAsync, pending, error],
  );
}

const settled = { pending: 0, error: undefined };

/** Returns a mutation with its argument filled in. */
function bind<T, V>({ change, write, options }: MutationDefinition<T, V>, variables: V): Mutation<T> {
  return {
    change: (object) => change(object, variables),
    ...(write !== undefined && { write: (resource: Resource<T>, name: string) => write(resource, name, variables) }),
    options,
  };
}
