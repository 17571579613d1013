import { randomUuid } from "../../apiserver/registry/random-names.js";
import { deepEqual } from "../../internal/deep-equal.js";
import { lazyModule } from "../../internal/lazy-module.js";
import type { Pod } from "../../kinds/core/v1.js";
import { type AllocationResult, DeviceClass, ResourceClaim, ResourceSlice } from "../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatTime } from "../../meta/time.js";
import type { ClusterContext } from "../controllers/context.js";
import { isReservedFor } from "../controllers/shared/device-claims.js";
import { waitForDevices } from "./binding-wait.js";
import { hasBindingConditions } from "./devices/binding-conditions.js";
import { createClaimWriter } from "./devices/claim-writer.js";
import {
  allocatedElsewhere,
  type DeviceReader,
  deviceRuleName,
  isAllocatedFor,
  readPodDevices,
} from "./plugins/dynamic-resources.js";
import type { Filtered } from "./select-node.js";
import type { NodeInfo } from "./snapshot/node-info.js";

const allocation = lazyModule(() => import("./devices/allocate.js"));

/** Allocates the ResourceClaims of pods, and reserves them. Reads nothing before the first pod with claims. */
export interface DeviceBinder {
  readonly reader: DeviceReader;
  /** Returns true while a pod can't be scheduled because one of its claims doesn't exist yet. */
  isWaiting(pod: DeepReadonly<Pod>): boolean;
  /**
   * Writes the allocation of a pod's claims on a node, and reserves them for the pod. Returns `undefined` if nothing is to
   * be done.
   */
  prepare(pod: DeepReadonly<Pod>, node: NodeInfo, signal: AbortSignal): Promise<void> | undefined;
  /** Takes back the reservations for a pod that couldn't be bound. The claims stay allocated. */
  release(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void>;
  /**
   * Deallocates a claim whose allocation keeps a pod from a node, if no other pod uses it. Returns what came of it, or
   * `undefined` if another rule rejected all nodes before.
   */
  free(pod: DeepReadonly<Pod>, filtered: Filtered, signal: AbortSignal): Promise<string | undefined>;
}

/** Calls back after changes of claims, classes and slices of devices. Resolves when they and the allocator are loaded. */
async function startReading(
  { cache, idle }: ClusterContext,
  changed: (claim?: DeepReadonly<ResourceClaim>) => void,
): Promise<void> {
  const claims = cache(ResourceClaim);
  claims.addHandler((change) => {
    const { object, type } = change;
    const old = type === "updated" ? change.old : undefined;
    if (old?.status !== undefined && deepEqual(old.status, object.status)) return;
    const isFreed = old?.status?.allocation !== undefined && object.status?.allocation === undefined;
    changed(isFreed || type === "deleted" ? undefined : object);
  });
  const others = [cache(DeviceClass), cache(ResourceSlice)];
  for (const other of others) other.addHandler(() => changed());
  await Promise.all([allocation.load(), claims.synced(), ...others.map((other) => other.synced()), idle()]);
}

/** Creates the reader of claims. Pending claims replace those of the cache. */
function createReader(
  { cache, clock, random }: ClusterContext,
  pending: ReadonlyMap<string, DeepReadonly<ResourceClaim>>,
): DeviceReader {
  const reader: DeviceReader = {
    claim: (namespace, name) => cache(ResourceClaim).store.get(`${namespace}/${name}`),
    isPending: ({ metadata }) => pending.has(metadata!.uid!),
    deviceClass: (name) => cache(DeviceClass).store.get(name),
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

/** Functions that a binder calls. */
export interface DeviceBinderCallbacks {
  /** Reports a change that may help all pods, or only those that use a claim. */
  changed(claim?: DeepReadonly<ResourceClaim>): void;
  /** Reports that a pod waits for drivers to prepare its devices. */
  waiting(pod: DeepReadonly<Pod>, node: string, signal: AbortSignal): Promise<void>;
}

/** Creates a binder. */
export function createDeviceBinder(context: ClusterContext, { changed, waiting }: DeviceBinderCallbacks): DeviceBinder {
  const { client, clock, cache, log } = context;
  /** Claims by UID whose allocation the cache doesn't show yet. */
  const pending = new Map<string, DeepReadonly<ResourceClaim>>();
  const writer = createClaimWriter(client);
  let isReady = false;
  let isLoading = false;

  const load = (): void => {
    isLoading = true;
    startReading(context, changed).then(
      () => {
        isReady = true;
        changed();
      },
      (error: unknown) => {
        isLoading = false;
        log({ level: "warn", controller: "scheduler", message: "devices can't be read", error });
      },
    );
  };

  const reader = createReader(context, pending);

  /** Reserves a claim for a pod. Resolves when the cache shows it. */
  const reserve = async (
    claim: DeepReadonly<ResourceClaim>,
    pod: DeepReadonly<Pod>,
    signal: AbortSignal,
    allocation?: AllocationResult,
  ): Promise<void> => {
    const written = await writer.reserve(claim, pod, allocation, signal);
    await cache(ResourceClaim).waitForResourceVersion(written.metadata!.resourceVersion!, { signal });
  };

  const allocate = async (
    claim: DeepReadonly<ResourceClaim>,
    pod: DeepReadonly<Pod>,
    result: AllocationResult,
    signal: AbortSignal,
  ): Promise<void> => {
    const uid = claim.metadata!.uid!;
    const allocated = { ...result, allocationTimestamp: formatTime(clock.now()) };
    pending.set(uid, { ...claim, status: { ...claim.status, allocation: allocated } });
    try {
      await reserve(claim, pod, signal, allocated);
    } finally {
      pending.delete(uid);
      changed(claim);
    }
  };

  return {
    reader,
    isWaiting(pod) {
      if ((pod.spec?.resourceClaims ?? []).length === 0) return false;
      if (!isReady && !isLoading) load();
      return !isReady || readPodDevices(pod, reader) === undefined;
    },
    prepare(pod, { node }, signal) {
      if ((pod.spec?.resourceClaims ?? []).length === 0) return undefined;
      const claims = readPodDevices(pod, reader);
      if (claims === undefined) return undefined;
      const { allocated, open } = claims;
      const results = open.length === 0 ? [] : reader.allocator(open)(node)!;
      const work = [
        ...open.map((claim, index) => allocate(claim, pod, results[index]!, signal)),
        ...allocated.filter((claim) => !isReservedFor(claim, pod)).map((claim) => reserve(claim, pod, signal)),
      ];
      const mustWait =
        results.some(hasBindingConditions) || allocated.some(({ status }) => hasBindingConditions(status!.allocation!));
      if (!mustWait) return work.length === 0 ? undefined : Promise.all(work).then(() => undefined);
      return Promise.all(work)
        .then(() => waiting(pod, node.metadata!.name!, signal))
        .then(() => waitForDevices(context, [...allocated, ...open], pod, signal));
    },
    async release(pod, signal) {
      const { allocated = [], open = [] } = readPodDevices(pod, reader) ?? {};
      for (const claim of [...allocated, ...open]) await writer.release(claim, pod, signal);
    },
    async free(pod, { rejectsAll, rejectedBy, rejections }, signal) {
      const isOwn = [...rejectedBy].some(({ name }) => name === deviceRuleName);
      if (rejectsAll !== undefined) return isOwn ? "no new claims to deallocate" : undefined;
      const { allocated = [], open = [] } = readPodDevices(pod, reader) ?? {};
      if (allocated.length + open.length === 0) return "no new claims to deallocate";
      const nodes = [...rejections].filter(([, rejection]) => rejection === allocatedElsewhere).map(([node]) => node);
      const claim = allocated.find(
        (each) =>
          (each.status?.reservedFor ?? []).every(({ uid }) => uid === pod.metadata!.uid) &&
          nodes.some(({ node }) => !isAllocatedFor(each, node, clock.now())),
      );
      if (claim === undefined) return "still not schedulable";
      await writer.deallocate(claim, signal);
      return "deallocation of ResourceClaim completed";
    },
  };
}
