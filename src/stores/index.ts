export type { CollectionSnapshot, CollectionStore } from "./collection-store.js";
export type { ExternalStore } from "./external-store.js";
export { selectStore, shallowEqual } from "./external-store.js";
export type { DehydratedStores, LiveStores, LiveStoresOptions, ObjectSnapshot, ObjectStore } from "./live-stores.js";
export { createLiveStores } from "./live-stores.js";
export type { LiveQuery, LiveTarget, ObjectTarget } from "./live-target.js";
export type { Mutation } from "./mutation.js";
export type { StoreStatus } from "./store-status.js";
