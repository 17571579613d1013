import { TransportError } from "../../errors/errors.js";
import type { SnapshotStorage } from "../../meta/snapshot-storage.js";

/** An `IDBFactory`, in terms that programs without the types of browsers know. */
export interface IndexedDbFactory {
  /** Opens a database. */
  open(name: string, version?: number): unknown;
}

/** Options for `createIndexedDbStorage`. */
export interface IndexedDbStorageOptions {
  /** Name of the database. Default `kubestream`. */
  readonly database?: string | undefined;
  /** IndexedDB implementation. Default: the browser's. */
  readonly indexedDB?: IndexedDbFactory | undefined;
}

const storeName = "snapshots";

/**
 * Creates a storage for the snapshots of informers in the browser's IndexedDB. Each operation opens the database, so that
 * other tabs can upgrade or delete it. Operations reject if IndexedDB isn't available, such as in some private windows.
 */
export function createIndexedDbStorage(options: IndexedDbStorageOptions = {}): SnapshotStorage {
  const { database = "kubestream" } = options;

  const open = (): Promise<IDBDatabase> => {
    const factory = (options.indexedDB ?? globalThis.indexedDB) as IDBFactory | undefined;
    if (factory === undefined) return Promise.reject(new TypeError("IndexedDB is not available"));
    const request = factory.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    return settled(request);
  };

  const run = async <V>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<V>): Promise<V> => {
    const db = await open();
    try {
      const transaction = db.transaction(storeName, mode);
      const request = work(transaction.objectStore(storeName));
      // Written data counts only once the transaction is complete.
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        const fail = (): void => reject(failure(transaction.error));
        transaction.onabort = fail;
        transaction.onerror = fail;
      });
      return request.result;
    } finally {
      db.close();
    }
  };

  return {
    read: (name) => run("readonly", (store) => store.get(name) as IDBRequest<Uint8Array<ArrayBuffer> | undefined>),
    async write(name, bytes) {
      await run("readwrite", (store) => store.put(bytes, name));
    },
    async remove(name) {
      await run("readwrite", (store) => store.delete(name));
    },
  };
}

function settled<V>(request: IDBRequest<V>): Promise<V> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failure(request.error));
  });
}

function failure(cause: unknown): Error {
  return new TransportError("IndexedDB failed", { cause });
}
