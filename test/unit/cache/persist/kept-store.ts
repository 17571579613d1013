import { expect } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../../../src/cache/informer/informer.js";
import { createPersistence, type PersistenceOptions } from "../../../../src/cache/persist/persistence.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import type { SnapshotStorage } from "../../../../src/meta/snapshot-storage.js";
import { openWorld } from "../../controller/world.js";

/** Storage that keeps its data in memory. */
type MemoryStorage = SnapshotStorage & { readonly data: Map<string, Uint8Array<ArrayBuffer>> };

/** Creates an empty storage in memory. */
export function createMemoryStorage(): MemoryStorage {
  const data = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    data,
    read: async (name) => data.get(name)?.slice(),
    write: async (name, bytes) => void data.set(name, bytes.slice()),
    remove: async (name) => void data.delete(name),
  };
}

/** Opens a server with two objects, and a storage with the store of an informer that was closed. */
export async function openKept(options: Partial<PersistenceOptions> = {}) {
  const world = openWorld();
  const storage = createMemoryStorage();
  const maps = world.client.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  await maps.create({ metadata: { name: "b" }, data: { size: "1" } });
  const errors: unknown[] = [];
  const persistence = { storage, identity: "cluster", onError: (error: unknown) => errors.push(error), ...options };
  const create = (more: InformerOptions<ConfigMap> = {}) =>
    createInformer(maps, { persistence: createPersistence(persistence), ...more });
  const first = create();
  await first.synced();
  await first.close();
  expect([storage.data.size, errors]).toEqual([1, []]);
  return { ...world, maps, storage, errors, create, persistence };
}

/** Returns the names and sizes of the cached objects. */
export const sizes = (informer: ReturnType<typeof createInformer<ConfigMap>>): string =>
  informer.store
    .list()
    .map(({ metadata, data }) => `${metadata?.name}=${data?.["size"]}`)
    .sort()
    .join();
