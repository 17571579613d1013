import type { ListWatch } from "../../client/resource/collection.js";
import { ClosedError } from "../../errors/errors.js";
import { linkAbort } from "../../internal/abort.js";
import { systemClock } from "../../internal/clock.js";
import type { Condition } from "../../meta/condition.js";
import type { DeepReadonly } from "../../meta/object.js";
import { metadataOf } from "../store/object-key.js";
import type { StoreReader } from "../store/store.js";
import { createInformer } from "./create-informer.js";
import type { Informer, InformerOptions, WaitOptions } from "./informer.js";
import { createWaiters } from "./waiters.js";

/** Options for `waitFor`. */
export interface WaitForOptions<T>
  extends WaitOptions,
    Omit<InformerOptions<T>, "fieldSelector" | "transform" | "resyncMs"> {}

/**
 * Waits until an object meets a condition and returns the object at that moment. The condition is called with
 * `undefined` while the object doesn't exist. Connection and server failures are retried.
 *
 * Rejects like an informer's `synced`, with any error that the condition throws, with a `ClosedError` when the client is
 * closed, and after `timeoutMs` with the last failure or a `KubestreamError`. Throws a `TypeError` if `name` is empty.
 *
 * @example
 * ```ts
 * import { hasCondition, waitFor } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("web");
 * const pod = await waitFor(pods, "web-0", hasCondition("Ready"), { timeoutMs: 60_000 });
 * console.log(pod?.status?.podIP);
 * ```
 */
export async function waitFor<T>(
  source: ListWatch<T>,
  name: string,
  condition: (object: DeepReadonly<T> | undefined) => boolean,
  options: WaitForOptions<T> = {},
): Promise<DeepReadonly<T> | undefined> {
  if (name === "") throw new TypeError("waitFor: name must not be empty");
  const informer = createInformer(source, {
    ...options,
    fieldSelector: `metadata.name=${name.replace(/[\\,=]/g, "\\$&")}`,
  });
  const find = (store: StoreReader<T>): DeepReadonly<T> | undefined => {
    // A source without support for field selectors returns all objects.
    for (const object of store.values()) if (metadataOf(object)?.name === name) return object;
    return undefined;
  };
  try {
    let met: DeepReadonly<T> | undefined;
    await waitForStore(
      informer,
      (store) => {
        met = find(store);
        return condition(met);
      },
      options,
    );
    return met;
  } finally {
    await informer.close();
  }
}

/**
 * Waits until the contents of an informer's store meet a condition, which is checked after the initial sync and after
 * each change. Rejects like `waitFor`, also when the informer is closed.
 *
 * @example
 * ```ts
 * import { createInformer, waitForStore } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * await using informer = createInformer(client.resource(Pod).namespace("web"), { labelSelector: "app=shop" });
 * await waitForStore(informer, (store) => store.size >= 3, { timeoutMs: 60_000 });
 * ```
 */
export async function waitForStore<T>(
  informer: Informer<T>,
  condition: (store: StoreReader<T>) => boolean,
  options: WaitOptions & Pick<InformerOptions<T>, "clock"> = {},
): Promise<void> {
  const waiters = createWaiters<undefined>(options.clock ?? systemClock);
  const check = (): void => {
    // After the wait has settled the condition must not run again: its last result is the answer.
    if (!informer.hasSynced || waiters.size === 0) return;
    try {
      if (condition(informer.store)) waiters.settle(() => true);
    } catch (error) {
      waiters.reject(error);
    }
  };
  // Throws if the informer is closed, before anything else would have to be undone.
  const registration = informer.addHandler(check, { replay: false });
  const done = waiters.wait(undefined, options, `wait for ${informer.description}`, () =>
    informer.hasSynced ? undefined : informer.lastError,
  );
  done.catch(() => undefined);
  const link = linkAbort();
  // After the first list, nothing else ends the wait.
  const closing = informer.onStatus((status) => {
    if (status.type !== "closed") return;
    waiters.reject(
      new ClosedError(`wait for ${informer.description}: the informer was closed`, { cause: status.error }),
    );
  });
  informer.synced({ signal: link.signal }).then(check, (error: unknown) => waiters.reject(error));
  try {
    await done;
  } finally {
    closing.remove();
    registration.remove();
    // Aborting the wait for `synced` stops an informer that only this wait keeps running.
    link.abort();
  }
}

/**
 * Returns a condition for `waitFor`: true if `status.conditions` has an entry with this type and status (default
 * `"True"`).
 */
export function hasCondition(
  type: string,
  status: "True" | "False" | "Unknown" = "True",
): (object: unknown) => boolean {
  return (object) => {
    const conditions = (object as { status?: { conditions?: Condition[] } } | undefined)?.status?.conditions;
    return conditions?.some((condition) => condition.type === type && condition.status === status) ?? false;
  };
}

/**
 * Returns a condition for `waitFor`: true if the object doesn't exist, or if `uid` is given and the object has another
 * one.
 *
 * @example
 * ```ts
 * import { isDeleted, waitFor } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("web");
 * const { metadata } = await pods.get("web-0");
 * await pods.delete("web-0");
 * await waitFor(pods, "web-0", isDeleted(metadata?.uid), { timeoutMs: 60_000 });
 * ```
 */
export function isDeleted(uid?: string): (object: unknown) => boolean {
  return (object) => object === undefined || (uid !== undefined && metadataOf(object)?.uid !== uid);
}
