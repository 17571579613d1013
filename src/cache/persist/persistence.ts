import type { Client } from "../../client/client.js";
import type { ListerWatcher } from "../../client/resource/collection.js";
import { ProtocolError, TransportError } from "../../errors/errors.js";
import { linkAbort, orAborted } from "../../internal/abort.js";
import { type Clock, sleep, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import type { DecodeOptions, SelectorOptions } from "../../meta/options.js";
import type { SnapshotStorage } from "../../meta/snapshot-storage.js";
import type { StoreReader } from "../store/store.js";
import { decodeSnapshot, type EncryptionKey, encodeSnapshot } from "./snapshot-format.js";

/** Options for `createPersistence`. */
export interface PersistenceOptions {
  /** Place for the snapshots: `createIndexedDbStorage` in browsers, `createFileStorage` in Node. */
  readonly storage: SnapshotStorage;
  /**
   * Identity of the server and of the user whose objects these are. Snapshots of another identity are never used.
   * `getClusterIdentity` returns one for the server.
   */
  readonly identity: string | (() => Promise<string>);
  /**
   * AES-GCM key that encrypts the snapshots. Required for Secrets, and for collections that aren't resource handles.
   * Default: not encrypted.
   */
  readonly encryptionKey?: EncryptionKey | undefined;
  /** Version of the stored form. Required with a `transform`; change it when the transform changes. Default `""`. */
  readonly version?: string | undefined;
  /** Time in milliseconds between two writes, if something changed. Default 10,000. */
  readonly intervalMs?: number | undefined;
  /**
   * Receives the reason why a snapshot was discarded or couldn't be read or written. The informer then lists; it waits at
   * most 10 s for the identity, and for the storage.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options of an informer that decide about the objects in its store. */
export interface StoredForm extends SelectorOptions {
  /** Transform of the objects. It requires a `version` in the options of the persistence. */
  readonly transform?: unknown;
  /** Shard that the informer keeps. A snapshot of another one is not used. */
  readonly shard?: unknown;
  /** Options of the decoder. */
  readonly decode?: DecodeOptions | undefined;
}

/** Objects of a snapshot by key. */
export interface RestoredStore<R> {
  /** Objects by key. */
  readonly objects: Map<string, R>;
  /** Resource version from which to watch. */
  readonly resourceVersion: string;
}

/** Keeps the stores of informers between runs of a program or visits of a page. `createPersistence` creates it. */
export interface Persistence {
  /** Returns what reads and writes the snapshots of one informer. Called by `createInformer`. */
  open<R>(source: ListerWatcher<unknown>, form: StoredForm, clock: Clock): SnapshotKeeper<R>;
}

/** Reads and writes the snapshots of one informer. */
export interface SnapshotKeeper<R> {
  /** Returns the stored snapshot if it is valid, and `undefined` otherwise or if the signal aborts. Never rejects. */
  load(signal: AbortSignal): Promise<RestoredStore<R> | undefined>;
  /** Writes snapshots of a store from time to time. The returned function stops that and writes the last one. */
  follow(store: StoreReader<R>): () => Promise<void>;
}

/** Longest time that the identity and the storage may delay the first list (ms), each. */
const answerMs = 10_000;
/** Longest time that the last write may delay the end of an informer (ms). */
const lastWriteMs = 5_000;

/**
 * Returns an identity of the client's cluster: the UID of the namespace `kube-system`, which only a new cluster changes.
 * Rejects with a `StatusError` if the user may not read it. Append the user's name if several users share a storage.
 *
 * @example
 * ```ts
 * import { createIndexedDbStorage, createInformer, createPersistence, getClusterIdentity } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const informer = createInformer(client.resource(Pod), {
 *   persistence: createPersistence({ storage: createIndexedDbStorage(), identity: () => getClusterIdentity(client) }),
 * });
 * await informer.synced();
 * ```
 */
export async function getClusterIdentity(client: Client): Promise<string> {
  const response = await client.request({ path: "/api/v1/namespaces/kube-system", action: "identify the cluster" });
  const { metadata } = (await response.json()) as { metadata?: { uid?: unknown } };
  if (typeof metadata?.uid !== "string")
    throw new ProtocolError("identify the cluster: kube-system has no metadata.uid");
  return metadata.uid;
}

/**
 * Creates the `persistence` option of informers. Several informers can share one. `createInformer` throws a `TypeError`
 * if the snapshots could reveal Secrets or mix stored forms. Throws a `RangeError` for an interval that isn't positive.
 *
 * @example
 * ```ts
 * import { createInformer, createPersistence, getClusterIdentity } from "kubestream/cache";
 * import { Node } from "kubestream/kinds/core/v1";
 * import { connect, createFileStorage } from "kubestream/node";
 *
 * const client = await connect();
 * const storage = createFileStorage("/var/cache/my-program");
 * const persistence = createPersistence({ storage, identity: () => getClusterIdentity(client) });
 * await using informer = createInformer(client.resource(Node), { persistence });
 * await informer.synced();
 * ```
 */
export function createPersistence(options: PersistenceOptions): Persistence {
  const { intervalMs = 10_000 } = options;
  if (!(intervalMs > 0)) throw new RangeError(`persistence.intervalMs must be greater than 0, not ${intervalMs}`);
  return {
    open(source, form, clock) {
      if (form.transform !== undefined && options.version === undefined)
        throw new TypeError("persistence.version is required when options.transform is set: name the stored form");
      refuseSecrets(source, options.encryptionKey);
      return keepSnapshots(source, options, form, clock);
    },
  };
}

/** Creates the keeper of one informer's snapshots. */
function keepSnapshots<R>(
  source: ListerWatcher<unknown>,
  options: PersistenceOptions,
  form: StoredForm,
  clock: Clock,
): SnapshotKeeper<R> {
  const { storage, encryptionKey, intervalMs = 10_000 } = options;
  const onError = quietly(options.onError);
  const { labelSelector, fieldSelector, shardSelector, shard, decode } = form;
  const collection = [source.cacheKey ?? source.description, source.groupVersionResource, options.version];
  const selected = [labelSelector, fieldSelector, shardSelector, shard, decode];
  let name: Promise<string> | undefined;
  let saved: string | undefined;

  const nameOf = async (): Promise<string> => {
    const identity = typeof options.identity === "string" ? options.identity : await options.identity();
    return JSON.stringify([identity, ...collection, ...selected].map((part) => part ?? null));
  };
  /** Returns the name of the snapshot. A failed identification is repeated by the next call. */
  const identify = (): Promise<string> => {
    name ??= nameOf().catch((error: unknown) => {
      name = undefined;
      throw error;
    });
    return name;
  };

  const save = async (store: StoreReader<R>): Promise<void> => {
    const { resourceVersion } = store;
    if (resourceVersion === undefined || resourceVersion === saved) return;
    // Copied at once, so that objects and version belong together; the objects themselves never change.
    const objects = new Map(Array.from(store.keys(), (key) => [key, store.get(key) as object]));
    const slot = await identify();
    const bytes = await encodeSnapshot({ name: slot, resourceVersion, objects }, encryptionKey, clock);
    await storage.write(slot, bytes);
    saved = resourceVersion;
  };

  return {
    async load(signal) {
      try {
        const slot = await answered("identity", identify(), clock, signal);
        const bytes = await answered("storage", storage.read(slot), clock, signal);
        if (bytes === undefined) return undefined;
        const { objects, resourceVersion } = await decodeSnapshot(bytes, slot, encryptionKey, clock);
        saved = resourceVersion;
        return { objects: objects as Map<string, unknown> as Map<string, R>, resourceVersion };
      } catch (error) {
        if (!signal.aborted) onError(error);
        return undefined;
      }
    },
    follow(store) {
      let writing = Promise.resolve();
      let timer: Timer;
      const write = (): Promise<void> => (writing = writing.then(() => save(store)).catch(onError));
      const arm = (): void => {
        timer = clock.setTimer(() => void write().then(() => stopped || arm()), intervalMs, { upkeep: true });
      };
      let stopped = false;
      arm();
      return async () => {
        stopped = true;
        timer.cancel();
        const limit = new AbortController();
        await Promise.race([write(), sleep(lastWriteMs, clock, limit.signal).catch(() => undefined)]);
        limit.abort();
      };
    },
  };
}

/** Waits for a promise of the options, which must not keep the informer from listing. */
async function answered<V>(option: string, promise: Promise<V>, clock: Clock, signal: AbortSignal): Promise<V> {
  const link = linkAbort(signal);
  const late = new TransportError(`persistence.${option}: no answer within ${answerMs} ms`);
  const timer = clock.setTimer(() => link.abort(late), answerMs);
  try {
    return await orAborted(promise, link.signal);
  } finally {
    timer.cancel();
    link.release();
  }
}

function refuseSecrets(source: ListerWatcher<unknown>, key: EncryptionKey | undefined): void {
  if (key !== undefined) {
    if (key.algorithm.name !== "AES-GCM")
      throw new TypeError(`persistence.encryptionKey must be for AES-GCM, not ${key.algorithm.name}`);
    return;
  }
  const { groupVersionResource } = source;
  if (groupVersionResource === undefined || groupVersionResource === "/v1/secrets")
    throw new TypeError(`persistence.encryptionKey is required for ${source.description}: they may be Secrets`);
}
