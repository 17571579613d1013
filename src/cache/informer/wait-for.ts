import type { ListWatch } from "../../client/resource/collection.js";
import { linkAbort } from "../../internal/abort.js";
import { systemClock } from "../../internal/clock.js";
import type { Condition } from "../../meta/condition.js";
import type { DeepReadonly } from "../../meta/object.js";
import { metadataOf } from "../store/object-key.js";
import type { StoreReader } from "../store/store.js";
import { createInformer } from "./create-informer.js";
import type { Informer, InformerOptions, WaitOptions } from "./informer.js";
import { createWaiters } from "./waiters.js";

/** Options of `waitFor`. */
export interface WaitForOptions<T>
  extends WaitOptions,
    Omit<InformerOptions<T>, "fieldSelector" | "transform" | "resyncMs"> {}

/**
 * Waits until an object meets a condition, over any failure of connection or server, and answers with the object as it
 * was then. The condition is given `undefined` while there is no such object. Rejects as an informer's `synced`, with
 * what the condition throws, and when `timeoutMs` is over, with the last failure or a `KubestreamError`.
 */
export async function waitFor<T>(
  source: ListWatch<T>,
  name: string,
  condition: (object: DeepReadonly<T> | undefined) => boolean,
  options: WaitForOptions<T> = {},
): Promise<DeepReadonly<T> | undefined> {
  if (name === "") throw new TypeError("waitFor needs the name of an object");
  const informer = createInformer(source, {
    ...options,
    fieldSelector: `metadata.name=${name.replace(/[\\,=]/g, "\\$&")}`,
  });
  const find = (store: StoreReader<T>): DeepReadonly<T> | undefined => {
    // A source that knows no field selectors gives all objects.
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

/** Waits until the contents of an informer's store meet a condition, which is asked when it is synced and after each change. */
export async function waitForStore<T>(
  informer: Informer<T>,
  condition: (store: StoreReader<T>) => boolean,
  options: WaitOptions & Pick<InformerOptions<T>, "clock"> = {},
): Promise<void> {
  const waiters = createWaiters<undefined>(options.clock ?? systemClock);
  const done = waiters.wait(undefined, options, `wait for ${informer.description}`, () =>
    informer.hasSynced ? undefined : informer.lastError,
  );
  done.catch(() => undefined);
  const look = (): void => {
    // Once it is over the condition is not asked again: what it saw then is the answer.
    if (!informer.hasSynced || waiters.size === 0) return;
    try {
      if (condition(informer.store)) waiters.settle(() => true);
    } catch (error) {
      waiters.reject(error);
    }
  };
  const link = linkAbort();
  const registration = informer.addHandler(look, { replay: false });
  informer.synced({ signal: link.signal }).then(look, (error: unknown) => waiters.reject(error));
  try {
    await done;
  } finally {
    registration.remove();
    // A wait that is over must not keep an informer running that is never filled.
    link.abort();
  }
}

/** A condition for `waitFor`: `status.conditions` holds one of the type with the status, `"True"` by default. */
export function hasCondition(
  type: string,
  status: "True" | "False" | "Unknown" = "True",
): (object: unknown) => boolean {
  return (object) => {
    const conditions = (object as { status?: { conditions?: Condition[] } } | undefined)?.status?.conditions;
    return conditions?.some((condition) => condition.type === type && condition.status === status) ?? false;
  };
}

/** A condition for `waitFor`: there is no such object, or no longer the one with the uid that is given. */
export function isDeleted(uid?: string): (object: unknown) => boolean {
  return (object) => object === undefined || (uid !== undefined && metadataOf(object)?.uid !== uid);
}
