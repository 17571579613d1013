export type { BackoffOptions } from "../internal/backoff.js";
export type { SnapshotStorage } from "../meta/snapshot-storage.js";
export type { JoinChange, JoinOptions } from "./combine/join.js";
export { joinInformers } from "./combine/join.js";
export { mergeInformers } from "./combine/merge-informers.js";
export type { ConsistentReads, ReadYourWritesOptions, WritableHandle } from "./combine/read-your-writes.js";
export { readYourWrites } from "./combine/read-your-writes.js";
export type { BufferOptions } from "./informer/change-buffer.js";
export type { CheckConsistencyOptions, Difference } from "./informer/check-consistency.js";
export { checkConsistency } from "./informer/check-consistency.js";
export { createInformer } from "./informer/create-informer.js";
export type {
  HandlerOptions,
  HandlerRegistration,
  Informer,
  InformerOptions,
  WaitOptions,
} from "./informer/informer.js";
export type { InformerFactory, SharedInformerOptions } from "./informer/informer-factory.js";
export { createInformerFactory } from "./informer/informer-factory.js";
export type { InformerMetrics } from "./informer/informer-metrics.js";
export type { InformerStatus } from "./informer/informer-status.js";
export type { Shard, ShardOptions } from "./informer/shard.js";
export { createShard } from "./informer/shard.js";
export type { Transform } from "./informer/transform.js";
export { stripManagedFields } from "./informer/transform.js";
export type { WaitForOptions } from "./informer/wait-for.js";
export { hasCondition, isDeleted, waitFor, waitForStore } from "./informer/wait-for.js";
export type { ChangeStream, WatchChangesOptions } from "./informer/watch-changes.js";
export { watchChanges } from "./informer/watch-changes.js";
export type { IndexedDbFactory, IndexedDbStorageOptions } from "./persist/indexed-db-storage.js";
export { createIndexedDbStorage } from "./persist/indexed-db-storage.js";
export type {
  Persistence,
  PersistenceOptions,
  RestoredStore,
  SnapshotKeeper,
  StoredForm,
} from "./persist/persistence.js";
export { createPersistence, getClusterIdentity } from "./persist/persistence.js";
export type { EncryptionKey } from "./persist/snapshot-format.js";
export type { BulkEncodingOptions, InformerEncoding } from "./reflector/adaptive-source.js";
export type { FailureKind } from "./reflector/failure.js";
export type { ReflectorOptions } from "./reflector/reflector-config.js";
export type { Added, Change, ChangeCause, ChangeHandler, Deleted, Updated } from "./store/change.js";
export { objectKey, parseObjectKey } from "./store/object-key.js";
export type { StoreReader } from "./store/store.js";
export type { IndexFunction } from "./store/store-index.js";
export type { StoreQuery } from "./store/store-query.js";
