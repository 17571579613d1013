import { TransportError } from "../../errors/errors.js";
import { isNotFound } from "../../errors/predicates.js";
import { linkAbort } from "../../internal/abort.js";
import type { DeepReadonly } from "../../meta/object.js";
import { compareResourceVersions, isComparableResourceVersion } from "../../meta/resource-version.js";
import type { Informer, WaitOptions } from "../informer/informer.js";
import { waitForStore } from "../informer/wait-for.js";
import { metadataOf } from "../store/object-key.js";
import type { StoreQuery } from "../store/store-query.js";

/** The writes of a handle that a consistent view goes through. */
export interface WritableHandle<T> {
  /** Namespace of the handle; absent for cluster-scoped kinds. */
  readonly namespaceName?: string | undefined;
  /** Reads one object from the server. */
  get(name: string, options?: { readonly signal?: AbortSignal }): Promise<T>;
}

/** Options of `readYourWrites`. */
export interface ReadYourWritesOptions {
  /** Longest wait of a read in milliseconds, unless the read says otherwise. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Reads from a cache that never show less than what was written through the same view. */
export interface ConsistentReads<T> {
  /** Runs a write on an object and remembers its outcome. Reads that begin meanwhile wait for it. */
  write<R>(name: string, write: () => Promise<R>): Promise<R>;
  /** The object as the cache shows it, once that shows all earlier writes to it. Rejects with the informer's last failure when it takes too long. */
  get(name: string, options?: WaitOptions): Promise<DeepReadonly<T> | undefined>;
  /** The objects as the cache shows them, once that shows all earlier writes. */
  list(query?: StoreQuery, options?: WaitOptions): Promise<DeepReadonly<T>[]>;
}

/** What one write made necessary to see, once it is done. */
interface Outcome {
  /** Resolves when the write is done, however it ended. */
  readonly done: Promise<void>;
  /** Version that it had; absent where it had none. */
  version?: string;
  /** Uid of the object that it deleted with no version to wait for. */
  deletedUid?: string;
}

/**
 * Lets a program that writes through `write` read its own writes from an informer: each read waits until the informer
 * has seen, by event or bookmark, the version that the writes before it had; later writes do not delay it. `handle` and
 * `informer` must be of the same objects; the informer may select fewer.
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

  const note = (name: string, outcome: Outcome, answer: unknown): void => {
    const { kind, details } = (answer ?? {}) as { kind?: string; details?: { uid?: string } };
    if (kind === "Status") {
      const uid = details?.uid ?? uidInStore(name);
      if (uid !== undefined) outcome.deletedUid = uid;
      return;
    }
    const version = metadataOf(answer ?? {})?.resourceVersion;
    if (isComparableResourceVersion(version)) outcome.version = version;
  };

  /** After a lost answer only the server knows whether the write took effect. */
  const askServer = async (name: string, outcome: Outcome): Promise<void> => {
    try {
      note(name, outcome, await handle.get(name));
    } catch (error) {
      const uid = uidInStore(name);
      if (isNotFound(error) && uid !== undefined) outcome.deletedUid = uid;
    }
  };

  const drop = (name: string, outcome: Outcome): void => {
    const outcomes = byName.get(name);
    if (outcomes?.delete(outcome) === true && outcomes.size === 0) byName.delete(name);
  };

  const shown = async (name: string, outcomes: readonly Outcome[], wait: WaitOptions): Promise<void> => {
    await Promise.all(outcomes.map(({ done }) => done));
    for (const outcome of outcomes) {
      const { version, deletedUid } = outcome;
      if (version !== undefined) await waitForVersion(informer, keyOf(name), version, { timeoutMs, ...wait });
      if (deletedUid !== undefined) await waitUntilGone(informer, keyOf(name), deletedUid, { timeoutMs, ...wait });
      drop(name, outcome);
    }
  };

  /** What is shown already nobody needs to wait for. A few names with every write keep the memory bounded where nobody reads. */
  const forgetSome = (): void => {
    let looked = 0;
    for (const [name, outcomes] of byName) {
      if (looked++ >= 4) return;
      for (const outcome of outcomes) {
        const { version, deletedUid } = outcome;
        const seen =
          version !== undefined
            ? isShown(informer, version)
            : deletedUid !== undefined && deletedUid !== uidInStore(name);
        if (seen) outcomes.delete(outcome);
      }
      byName.delete(name);
      if (outcomes.size > 0) byName.set(name, outcomes);
    }
  };

  return {
    async write(name, write) {
      let settle!: () => void;
      const outcome: Outcome = { done: new Promise((resolve) => (settle = resolve)) };
      forgetSome();
      const outcomes = byName.get(name);
      if (outcomes === undefined) byName.set(name, new Set([outcome]));
      else outcomes.add(outcome);
      try {
        const answer = await write();
        note(name, outcome, answer);
        return answer;
      } catch (error) {
        if (error instanceof TransportError) await askServer(name, outcome);
        throw error;
      } finally {
        if (outcome.version === undefined && outcome.deletedUid === undefined) drop(name, outcome);
        settle();
      }
    },
    async get(name, wait = {}) {
      const outcomes = [...(byName.get(name) ?? [])];
      await informer.synced({ timeoutMs, ...wait });
      await shown(name, outcomes, wait);
      return informer.store.get(keyOf(name));
    },
    async list(query, wait = {}) {
      const outcomes = [...byName].map(([name, all]) => [name, [...all]] as const);
      await informer.synced({ timeoutMs, ...wait });
      await Promise.all(outcomes.map(([name, all]) => shown(name, all, wait)));
      return informer.store.list(query);
    },
  };
}

function isShown<T>(informer: Informer<T>, version: string): boolean {
  const { resourceVersion } = informer.store;
  return resourceVersion !== undefined && (compareResourceVersions(resourceVersion, version) ?? -1) >= 0;
}

/** The object itself may show the version long before the whole collection does: that of several namespaces is as old as its quietest. */
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
