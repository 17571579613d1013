import { randomUuid } from "../../apiserver/registry/random-names.js";
import { deepEqual } from "../../internal/deep-equal.js";
import { lazyModule } from "../../internal/lazy-module.js";
import { DeviceClass, ResourceClaim, ResourceSlice } from "../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import {
  extendedResources,
  isExtendedClaim,
  offers,
  preferredClass,
  resourcesOf,
} from "./devices/extended-resources.js";
import type { DeviceReader } from "./plugins/dynamic-resources.js";
import { readOnce } from "./read-once.js";
import type { NodeInfo, PodInfo } from "./snapshot/node-info.js";

const allocation = lazyModule(() => import("./devices/allocate.js"));
/** Index of classes by the extended resources that they provide. */
const byResource = "extendedresource";

/** Functions that report changes. */
export interface DeviceChanges {
  /** Reports a change that may help all pods with devices, or only those that use a claim. */
  changed(claim?: DeepReadonly<ResourceClaim>): void;
  /** Reports a change of a class. */
  classChanged(deviceClass: DeepReadonly<DeviceClass>): void;
}

/** Claims, classes and devices of the cluster. They are read from the first pod on that depends on them. */
export interface ClusterDevices extends DeviceReader {
  /** Claims by UID whose allocation the cache doesn't show yet. They replace those of the cache. */
  readonly pending: Map<string, DeepReadonly<ResourceClaim>>;
  /** Returns true if everything has been read that a pod depends on. Otherwise, begins to read it. */
  isReadFor(pod: PodInfo, nodes: readonly NodeInfo[]): boolean;
}

/** Creates the reader. */
export function createDeviceReader(context: ClusterContext, changes: DeviceChanges): ClusterDevices {
  const { cache, clock, random } = context;
  const pending = new Map<string, DeepReadonly<ResourceClaim>>();
  const read = (follow: typeof followClasses): (() => boolean) =>
    readOnce(context, { what: "devices", follow: () => follow(context, changes), done: () => changes.changed() });
  const readClasses = read(followClasses);
  const readOthers = read(followClaims);
  let isAllRead = false;
  const readAll = (): boolean => (isAllRead = [readClasses(), readOthers()].every((isRead) => isRead));
  const classOf = (resource: string): DeepReadonly<DeviceClass> | undefined =>
    preferredClass(cache(DeviceClass).store.byIndex(byResource, resource));

  const reader: ClusterDevices = {
    pending,
    isReadFor({ pod, requests }, nodes) {
      if ((pod.spec?.resourceClaims ?? []).length > 0) return readAll();
      const lacking = extendedResources(requests).filter((name) => nodes.some((node) => !offers(node, name)));
      if (lacking.length === 0) return true;
      return readClasses() && (lacking.every((name) => classOf(name) === undefined) || readAll());
    },
    claim: (namespace, name) => cache(ResourceClaim).store.get(`${namespace}/${name}`),
    extendedClaim: ({ metadata }) =>
      isAllRead ? cache(ResourceClaim).store.byIndex("controller", metadata!.uid!).find(isExtendedClaim) : undefined,
    isPending: ({ metadata }) => pending.has(metadata!.uid!),
    deviceClass: (name) => cache(DeviceClass).store.get(name),
    classOfResource: (resource) => (isAllRead ? classOf(resource) : undefined),
    now: () => clock.now(),
    allocator: (claims) =>
      allocation.get().createAllocator(claims, {
        slices: cache(ResourceSlice).store.list(),
        claims: [
          ...cache(ResourceClaim)
            .store.list()
            .filter(({ metadata }) => !pending.has(metadata!.uid!)),
          ...pending.values(),
        ],
        deviceClass: reader.deviceClass,
        uuid: () => randomUuid(random),
      }),
  };
  return reader;
}

/** Reports changes of classes. Resolves when they are read. */
async function followClasses({ cache }: ClusterContext, { classChanged }: DeviceChanges): Promise<void> {
  const classes = cache(DeviceClass);
  classes.store.addIndex(byResource, resourcesOf);
  classes.addHandler(({ object }) => classChanged(object));
  await classes.synced();
}

/** Reports changes of claims and devices. Resolves when they are read and the allocator is loaded. */
async function followClaims({ cache }: ClusterContext, { changed }: DeviceChanges): Promise<void> {
  const claims = cache(ResourceClaim);
  claims.addHandler((change) => {
    const { object, type } = change;
    const old = type === "updated" ? change.old : undefined;
    if (old?.status !== undefined && deepEqual(old.status, object.status)) return;
    const isFreed = old?.status?.allocation !== undefined && object.status?.allocation === undefined;
    changed(isFreed || type === "deleted" ? undefined : object);
  });
  const slices = cache(ResourceSlice);
  slices.addHandler(() => changed());
  await Promise.all([allocation.load(), claims.synced(), slices.synced()]);
}
