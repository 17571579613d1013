import { TransportError } from "../../errors/errors.js";
import { isNotFound } from "../../errors/predicates.js";
import { linkAbort } from "../../internal/abort.js";
import type { DeepReadonly } from "../../meta/object.js";
import { compareResourceVersions, isComparableResourceVersion } from "../../meta/resource-version.js";
import type { Informer, WaitOptions } from "../informer/informer.js";
import { waitForStore } from "../informer/wait-for.js";
import { metadataOf } from "../store/object-key.js";
import type { StoreQuery } from "../store/store-query.js";

/** Parts of a resource handle that `readYourWrites` needs. */
export interface WritableHandle<T> {
  /** Namespace of the handle; absent for cluster-scoped kinds. */
  readonly namespaceName?: string | undefined;
  /** Reads one object from the server. */
  get(name: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<T>;
}

/** Options for `readYourWrites`. */
export interface ReadYourWritesOptions {
  /** Default timeout of a read in milliseconds. A read's own `timeoutMs` takes precedence. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** Cache reads that always include the writes made through the same view. */
export interface ConsistentReads<T> {
  /**
   * Runs a write to the object `name` and records its result. Reads that start before the write finishes wait for it.
   */
  write<R>(name: string, write: () => Promise<R>): Promise<R>;
  /**
   * Returns an object from the cache once the cache shows all earlier writes to it. Rejects with the informer's last
   * failure on timeout.
   */
  get(name: string, options?: WaitOptions): Promise<DeepReadonly<T> | undefined>;
  /** Returns the matching objects from the cache once the cache shows all earlier writes. */
  list(query?: StoreQuery, options?: WaitOptions): Promise<DeepReadonly<T>[]>;
}

/** Result of a write, which later reads wait to see. */
interface Outcome {
  /** Resolves when the write has settled, successfully or not. */
  readonly done: Promise<void>;
  /** Version that the write produced, if the response carried one. */
  version?: string;
  /** Uid of the deleted object, for a deletion without a version to wait for. */
  deletedUid?: string;
}

/**
 * Returns a view that reads from an informer's cache and never misses a write made through the view. Each read waits
 * until the informer has seen the versions of all earlier writes, in an event or a bookmark; later writes don't delay
 * it. `handle` and `informer` must cover the same objects; the informer may select fewer.
 *
 * @example
 * ```ts
 * import { createInformer, readYourWrites } from "kubestream/cache";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const maps = client.resource(ConfigMap).namespace("web");
 * const view = readYourWrites(maps, createInformer(maps), { timeoutMs: 5_000 });
 * await view.write("settings", () => maps.patch("settings", { type: "merge", patch: { data: { mode: "on" } } }));
 * console.log((await view.get("settings"))?.data?.["mode"]); // on
 * ```
 */
export function readYourWrites<T>(
  handle: WritableHandle<T>,
  informer: Informer<T>,
  options: ReadYourWritesOptions = {},
): ConsistentReads<T> {
  const { timeoutMs = 30_000 } = options;
  const byName = new Map<string, Set<Outcome>>();
  const keyOf = (name: string): string =>
    handle.namespaceName === undefined ? name : `${handle.namespaceName}/${name}`;
  const uidInStore = (name: string): string | undefined => metadataOf(informer.store.get(keyOf(name)) ?? {})?.uid;

  const record = (name: string, outcome: Outcome, result: unknown): void => {
    const { kind, details } = (result ?? {}) as { kind?: string; details?: { uid?: string } };
    if (kind === "Status") {
      const uid = details?.uid ?? uidInStore(name);
      if (uid !== undefined) outcome.deletedUid = uid;
      return;
    }
    const version = metadataOf(result ?? {})?.resourceVersion;
    if (isComparableResourceVersion(version)) outcome.version = version;
  };

  /** If the response was lost, only the server knows whether the write took effect. */
  const readOutcome = async (name: string, outcome: Outcome): Promise<void> => {
    try {
      record(name, outcome, await handle.get(name));
    } catch (error) {
      const uid = uidInStore(name);
      if (isNotFound(error) && uid !== undefined) outcome.deletedUid = uid;
    }
  };

  const drop = (name: string, outcome: Outcome): void => {
    const outcomes = byName.get(name);
    if (outcomes?.delete(outcome) === true && outcomes.size === 0) byName.delete(name);
  };

  const waitUntilShown = async (name: string, outcomes: readonly Outcome[], wait: WaitOptions): Promise<void> => {
    await Promise.all(outcomes.map(({ done }) => done));
    for (const outcome of outcomes) {
      const { version, deletedUid } = outcome;
      if (version !== undefined) await waitForVersion(informer, keyOf(name), version, { timeoutMs, ...wait });
      if (deletedUid !== undefined) await waitUntilGone(informer, keyOf(name), deletedUid, { timeoutMs, ...wait });
      drop(name, outcome);
    }
  };

  /**
   * Forgets writes that the store already shows. Checking a few names per write bounds the memory of a view that is
   * never read.
   */
  const forgetShownWrites = (): void => {
    let checked = 0;
    for (const [name, outcomes] of byName) {
      if (checked++ >= 4) return;
      for (const outcome of outcomes) if (isShown(outcome, informer, uidInStore(name))) outcomes.delete(outcome);
      byName.delete(name);
      if (outcomes.size > 0) byName.set(name, outcomes);
    }
  };

  return {
    async write(name, write) {
      let settle!: () => void;
      const outcome: Outcome = { done: new Promise((resolve) => (settle = resolve)) };
      forgetShownWrites();
      const outcomes = byName.get(name);
      if (outcomes === undefined) byName.set(name, new Set([outcome]));
      else outcomes.add(outcome);
      try {
        const result = await write();
        record(name, outcome, result);
        return result;
      } catch (error) {
        if (error instanceof TransportError) await readOutcome(name, outcome);
        throw error;
      } finally {
        if (outcome.version === undefined && outcome.deletedUid === undefined) drop(name, outcome);
        settle();
      }
    },
    async get(name, wait = {}) {
      const outcomes = [...(byName.get(name) ?? [])];
      await informer.synced({ timeoutMs, ...wait });
      await waitUntilShown(name, outcomes, wait);
      return informer.store.get(keyOf(name));
    },
    async list(query, wait = {}) {
      const outcomes = [...byName].map(([name, all]) => [name, [...all]] as const);
      await informer.synced({ timeoutMs, ...wait });
      await Promise.all(outcomes.map(([name, all]) => waitUntilShown(name, all, wait)));
      return informer.store.list(query);
    },
  };
}

/** Returns true if the store shows a write. `uid`: uid of the object that the store has. */
function isShown<T>({ version, deletedUid }: Outcome, { store }: Informer<T>, uid: string | undefined): boolean {
  if (version === undefined) return deletedUid !== undefined && deletedUid !== uid;
  return store.resourceVersion !== undefined && (compareResourceVersions(store.resourceVersion, version) ?? -1) >= 0;
}

/**
 * The object may reach the version long before the collection does: a merged informer is only as new as its quietest
 * namespace.
 */
async function waitForVersion<T>(
  informer: Informer<T>,
  key: string,
  version: string,
  wait: WaitOptions,
): Promise<void> {
  const isNew = (): boolean =>
    (compareResourceVersions(metadataOf(informer.store.get(key) ?? {})?.resourceVersion ?? "", version) ?? -1) >= 0;
  if (isNew()) return;
  const link = linkAbort(wait.signal);
  const own = { ...wait, signal: link.signal };
  try {
    await Promise.race([informer.waitForResourceVersion(version, own), waitForStore(informer, isNew, own)]);
  } finally {
    link.abort();
  }
}

async function waitUntilGone<T>(informer: Informer<T>, key: string, uid: string, wait: WaitOptions): Promise<void> {
  await waitForStore(informer, (store) => metadataOf(store.get(key) ?? {})?.uid !== uid, wait);
}
