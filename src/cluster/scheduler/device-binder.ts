import type { Pod } from "../../kinds/core/v1.js";
import type { DeviceClass, ResourceClaim } from "../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import { isReservedFor } from "../controllers/shared/device-claims.js";
import { waitForDevices } from "./binding-wait.js";
import { createDeviceReader } from "./device-reader.js";
import { DeviceBindingError } from "./devices/allocation-error.js";
import { createAllocationWriter } from "./devices/allocation-writer.js";
import { hasBindingConditions } from "./devices/binding-conditions.js";
import { createClaimWriter } from "./devices/claim-writer.js";
import { extendedClaim } from "./devices/extended-resources.js";
import {
  allocatedElsewhere,
  type DeviceReader,
  deviceRuleName,
  hasDeviceResources,
  isAllocatedFor,
  readPodDevices,
  resourcesFromDevices,
} from "./plugins/dynamic-resources.js";
import type { Filtered } from "./select-node.js";
import type { NodeInfo, PodInfo } from "./snapshot/node-info.js";

/**
 * Allocates devices for the ResourceClaims and the extended resources of pods. Reads nothing before the first pod that may
 * need devices.
 */
export interface DeviceBinder {
  readonly reader: DeviceReader;
  /** Returns true while a pod can't be scheduled because one of its claims doesn't exist yet, or devices aren't read. */
  isWaiting(pod: PodInfo, nodes: readonly NodeInfo[]): boolean;
  /**
   * Writes the allocation of a pod's claims on a node, and reserves them for the pod. Returns `undefined` if nothing is to
   * be done.
   */
  prepare(pod: PodInfo, node: NodeInfo, signal: AbortSignal): Promise<void> | undefined;
  /** Takes back the reservations for a pod that couldn't be bound. The claims stay allocated. */
  release(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void>;
  /** Deletes the claim for the extended resources of a pod that couldn't be bound. */
  discard(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void>;
  /**
   * Deallocates a claim whose allocation keeps a pod from a node, if no other pod uses it, or deletes the claim for
   * extended resources of an earlier attempt. Returns what came of it, or `undefined` if another rule rejected all nodes
   * before.
   */
  free(pod: PodInfo, filtered: Filtered, signal: AbortSignal): Promise<string | undefined>;
}

/** Functions that a binder calls. */
export interface DeviceBinderCallbacks {
  /** Reports a change that may help all pods with devices, or only those that use a claim. */
  changed(claim?: DeepReadonly<ResourceClaim>): void;
  /** Reports a change of a class. */
  classChanged(deviceClass: DeepReadonly<DeviceClass>): void;
  /** Reports that a pod waits for drivers to prepare its devices. */
  waiting(pod: DeepReadonly<Pod>, node: string): void;
}

/** Creates a binder. */
export function createDeviceBinder(context: ClusterContext, callbacks: DeviceBinderCallbacks): DeviceBinder {
  const { client, clock } = context;
  const reader = createDeviceReader(context, callbacks);
  const writer = createClaimWriter(client);
  const allocations = createAllocationWriter(context, { writer, pending: reader.pending, changed: callbacks.changed });

  const discard = async (pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void> => {
    const claim = reader.extendedClaim(pod);
    if (claim !== undefined) await writer.remove(claim, signal);
  };

  return {
    reader,
    isWaiting: (info, nodes) => !reader.isReadFor(info, nodes) || readPodDevices(info.pod, reader) === undefined,
    prepare(info, place, signal) {
      const { pod } = info;
      const { node } = place;
      const claims = readPodDevices(pod, reader);
      if (claims === undefined) return undefined;
      const { allocated, open } = claims;
      const resources = resourcesFromDevices(info, place, reader);
      const extended = resources.length === 0 ? undefined : extendedClaim(pod, resources, reader.classOfResource);
      const wanted = [...open, ...(extended === undefined ? [] : [extended.claim])];
      const results = wanted.length === 0 ? [] : reader.allocator(wanted)(node)!;
      const reserved = allocated.filter((claim) => isReservedFor(claim, pod));
      const unreserved = allocated.filter((claim) => !isReservedFor(claim, pod));
      const mustWait =
        results.some(hasBindingConditions) || allocated.some(({ status }) => hasBindingConditions(status!.allocation!));
      const lacksMappings =
        allocated.length + open.length > 0 && extended === undefined && hasDeviceResources(info, reader);
      if (wanted.length + unreserved.length === 0 && !mustWait && !lacksMappings) return undefined;
      const bind = async (): Promise<void> => {
        const work = [
          ...open.map((claim, index) => allocations.allocate(claim, pod, results[index]!, signal)),
          ...unreserved.map((claim) => allocations.reserve(claim, pod, signal)),
          ...(extended === undefined ? [] : [allocations.createExtended(extended, pod, results.at(-1)!, signal)]),
        ];
        // After a failure, the claims are only released once all of them are written.
        await Promise.allSettled(work);
        const bound = await Promise.all(work);
        if (lacksMappings) throw new DeviceBindingError(noMappings(pod));
        if (!mustWait) return;
        callbacks.waiting(pod, node.metadata!.name!);
        await waitForDevices(context, [...reserved, ...bound], pod, signal);
      };
      return bind();
    },
    async release(pod, signal) {
      const { allocated = [], open = [] } = readPodDevices(pod, reader) ?? {};
      for (const claim of [...allocated, ...open]) await writer.release(claim, pod, signal);
      await discard(pod, signal);
    },
    discard,
    async free(info, { rejectsAll, rejectedBy, rejections }, signal) {
      const { pod } = info;
      const isOwn = [...rejectedBy].some(({ name }) => name === deviceRuleName);
      if (rejectsAll !== undefined) return isOwn ? "no new claims to deallocate" : undefined;
      const { allocated = [], open = [] } = readPodDevices(pod, reader) ?? {};
      const isExtended = hasDeviceResources(info, reader);
      if (allocated.length + open.length === 0 && !isExtended) return "no new claims to deallocate";
      const nodes = [...rejections].filter(([, rejection]) => rejection === allocatedElsewhere).map(([node]) => node);
      const claim = allocated.find(
        (each) =>
          (each.status?.reservedFor ?? []).every(({ uid }) => uid === pod.metadata!.uid) &&
          nodes.some(({ node }) => !isAllocatedFor(each, node, clock.now())),
      );
      if (claim !== undefined) {
        await writer.deallocate(claim, signal);
        return "deallocation of ResourceClaim completed";
      }
      const outdated = isExtended ? reader.extendedClaim(pod) : undefined;
      if (outdated === undefined) return "still not schedulable";
      await writer.remove(outdated, signal);
      return "deletion of ResourceClaim completed";
    },
  };
}

/**
 * Returns the message for a pod that has claims, on a node that offers its extended resources itself, although a device
 * class has them, too. kube-scheduler then looks for the devices that it uses for them, and never binds the pod.
 */
function noMappings({ metadata }: DeepReadonly<Pod>): string {
  const { namespace, name } = metadata!;
  return `nil or empty request mappings, no update of pod ${namespace}/${name} ExtendedResourceClaimStatus`;
}
