import { deepEqual } from "../../../internal/deep-equal.js";
import type { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeviceClass, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isOwnedBy } from "../../../objects/owner-references.js";
import { deviceClaims, isReservedFor, mostPods } from "../../controllers/shared/device-claims.js";
import { matchesNodeSelector } from "../../controllers/shared/node-matching.js";
import type { Allocate } from "../devices/allocate.js";
import { SearchTimeoutError } from "../devices/allocation-error.js";
import { bindingFailure } from "../devices/binding-conditions.js";
import { type ClassOfResource, extendedClaim, extendedResources, offers } from "../devices/extended-resources.js";
import { missingClass, nameOf } from "../devices/requests.js";
import type { NodeInfo, PodInfo } from "../snapshot/node-info.js";
import { isRelabeled, type NodeChange, type Rejection, type SchedulerPlugin } from "./plugin.js";

/** Reads the claims that pods depend on, and allocates them. */
export interface DeviceReader {
  claim(namespace: string, name: string): DeepReadonly<ResourceClaim> | undefined;
  /** Returns the claim that was created for the extended resources of a pod. */
  extendedClaim(pod: DeepReadonly<Pod>): DeepReadonly<ResourceClaim> | undefined;
  /** Returns true for a claim whose allocation is being written. */
  isPending(claim: DeepReadonly<ResourceClaim>): boolean;
  deviceClass(name: string): DeepReadonly<DeviceClass> | undefined;
  readonly classOfResource: ClassOfResource;
  allocator(claims: readonly DeepReadonly<ResourceClaim>[]): Allocate;
  /** Returns the time in milliseconds. */
  now(): number;
}

/** Claims of a pod by their state. */
export interface PodDevices {
  readonly allocated: readonly DeepReadonly<ResourceClaim>[];
  readonly open: readonly DeepReadonly<ResourceClaim>[];
}

const reject = (reason: string): Rejection => ({ reasons: [reason], resolvable: false });
const outdated = reject("cannot schedule extended resource claim");
const insufficient = reject("cannot allocate all claims");
const timedOut = reject("timed out trying to allocate devices");
/** Rejection of a node on which the devices of an allocated claim can't be used. */
export const allocatedElsewhere: Rejection = reject("resourceclaim not available on the node");
/** Name of the rule. */
export const deviceRuleName = "DynamicResources";

/** Returns the claims of a pod, or `undefined` while one of them is missing, or isn't for the pod. */
export function readPodDevices(pod: DeepReadonly<Pod>, reader: Pick<DeviceReader, "claim">): PodDevices | undefined {
  const claims: DeepReadonly<ResourceClaim>[] = [];
  for (const { claim: name, isMade } of deviceClaims(pod)) {
    const claim = name === undefined ? undefined : reader.claim(pod.metadata!.namespace!, name);
    if (claim === undefined || claim.metadata?.deletionTimestamp !== undefined) return undefined;
    if (isMade && !isOwnedBy(claim, pod)) return undefined;
    claims.push(claim);
  }
  const isAllocated = ({ status }: DeepReadonly<ResourceClaim>): boolean => status?.allocation !== undefined;
  return { allocated: claims.filter(isAllocated), open: claims.filter((claim) => !isAllocated(claim)) };
}

/** Returns true if the devices of an allocated claim can be used on a node, and their driver may still prepare them. */
export function isAllocatedFor(claim: DeepReadonly<ResourceClaim>, node: DeepReadonly<Node>, now: number): boolean {
  const selector = claim.status?.allocation?.nodeSelector;
  if (selector !== undefined && !matchesNodeSelector(selector, node)) return false;
  return bindingFailure(claim, now) === undefined;
}

/** Returns true if a pod requests resources that devices provide. */
export function hasDeviceResources(
  { requests }: PodInfo,
  { classOfResource }: Pick<DeviceReader, "classOfResource">,
): boolean {
  return extendedResources(requests).some((name) => classOfResource(name) !== undefined);
}

/** Returns the resources that a pod gets from devices of a node, which doesn't offer them itself. */
export function resourcesFromDevices(
  { requests }: PodInfo,
  node: NodeInfo,
  { classOfResource }: Pick<DeviceReader, "classOfResource">,
): string[] {
  return extendedResources(requests).filter((name) => !offers(node, name) && classOfResource(name) !== undefined);
}

/** Creates the rule that a pod's claims and extended resources are allocated for its node, or can be. */
export function dynamicResources(reader: DeviceReader): SchedulerPlugin {
  return {
    name: deviceRuleName,
    mayHelp(change, { pod }) {
      if (change.type === "device") return change.claim === undefined || usesClaim(pod, change.claim);
      return isRelabeled(change) || (change.type === "node" && hasOtherResources(change));
    },
    filter(info) {
      const { pod } = info;
      const needsDevices = hasDeviceResources(info, reader);
      if ((pod.spec?.resourceClaims ?? []).length === 0 && !needsDevices) return undefined;
      const claims = readPodDevices(pod, reader);
      if (claims === undefined) return { rejectsAll: "waiting for resource claims" };
      const { allocated, open } = claims;
      const isFull = allocated.some(
        (claim) => (claim.status?.reservedFor ?? []).length >= mostPods && !isReservedFor(claim, pod),
      );
      if (isFull) return { rejectsAll: "resourceclaim in use" };
      const pending = open.find(reader.isPending);
      if (pending !== undefined)
        return { rejectsAll: `resource claim ${nameOf(pending)} is in the process of being allocated` };
      const missing = missingClass(open, reader.deviceClass);
      if (missing !== undefined) return { rejectsAll: missing };
      if (needsDevices && reader.extendedClaim(pod) !== undefined) return () => outdated;
      const allocatorFor = createAllocators(info, open, reader);
      return (place) => {
        const { node } = place;
        try {
          const allocate = allocatorFor(place);
          if (allocate !== undefined && allocate(node) === undefined) return insufficient;
        } catch (error) {
          if (error instanceof SearchTimeoutError) return timedOut;
          throw error;
        }
        return allocated.every((claim) => isAllocatedFor(claim, node, reader.now())) ? undefined : allocatedElsewhere;
      };
    },
  };
}

/** Returns true if a pod uses a ResourceClaim. */
function usesClaim(pod: DeepReadonly<Pod>, { metadata }: DeepReadonly<ResourceClaim>): boolean {
  return (
    pod.metadata?.namespace === metadata!.namespace && deviceClaims(pod).some(({ claim }) => claim === metadata!.name)
  );
}

function hasOtherResources({ now, old }: NodeChange): boolean {
  return now !== undefined && !deepEqual(now.status?.allocatable, old?.status?.allocatable);
}

/** Returns a function that returns the allocator for a node; `undefined` if nothing is to be allocated on it. */
function createAllocators(
  info: PodInfo,
  open: readonly DeepReadonly<ResourceClaim>[],
  reader: DeviceReader,
): (node: NodeInfo) => Allocate | undefined {
  const known = new Map<string, Allocate | undefined>();
  return (node) => {
    const resources = resourcesFromDevices(info, node, reader);
    const key = resources.join();
    if (!known.has(key)) {
      const extended = resources.length === 0 ? [] : [extendedClaim(info.pod, resources, reader.classOfResource).claim];
      const wanted = [...open, ...extended];
      known.set(key, wanted.length === 0 ? undefined : reader.allocator(wanted));
    }
    return known.get(key);
  };
}
