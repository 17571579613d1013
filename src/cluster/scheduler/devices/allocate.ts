import type { Node } from "../../../kinds/core/v1.js";
import type { AllocationResult, DeviceClass, ResourceClaim, ResourceSlice } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { AllocationError } from "./allocation-error.js";
import { allocationResult } from "./allocation-result.js";
import { createSelectorCheck } from "./device-selectors.js";
import { devicesInUse } from "./devices-in-use.js";
import { isUsableOn, readPools } from "./pools.js";
import { leastDevices, mostDevices, nameOf } from "./requests.js";
import { DeviceSearch } from "./search.js";

/** Objects that an allocation depends on. */
export interface DeviceState {
  readonly slices: readonly DeepReadonly<ResourceSlice>[];
  /** Claims, whose devices are in use if they are allocated. */
  readonly claims: readonly DeepReadonly<ResourceClaim>[];
  deviceClass(name: string): DeepReadonly<DeviceClass> | undefined;
  /** Returns a new identifier for the share of a device. */
  uuid(): string;
}

/**
 * Returns the allocations of claims on a node, or `undefined` if its devices don't suffice. Throws an `AllocationError`.
 */
export type Allocate = (node: DeepReadonly<Node>) => AllocationResult[] | undefined;

/**
 * Prepares the allocation of claims, which succeeds for all of them or for none. Their device classes exist. Throws an
 * `AllocationError` for a claim of too many devices.
 */
export function createAllocator(claims: readonly DeepReadonly<ResourceClaim>[], state: DeviceState): Allocate {
  for (const claim of claims) {
    const count = leastDevices(claim);
    if (count <= mostDevices) continue;
    const limit = `exceeds the claim limit of ${mostDevices}`;
    throw new AllocationError(`claim ${nameOf(claim)}: number of requested devices ${count} ${limit}`);
  }
  const pools = readPools(state.slices);
  const inUse = devicesInUse(state.claims);
  const isSelected = createSelectorCheck(state);
  return (node) => {
    const local = pools
      .map((pool) => ({ ...pool, devices: pool.devices.filter((each) => isUsableOn(each, node)) }))
      .filter(({ devices }) => devices.length > 0);
    const search = new DeviceSearch({ claims, pools: local, inUse, isSelected });
    const chosen = search.run();
    return chosen && claims.map((claim, index) => allocationResult(claim, chosen[index]!, node, state));
  };
}
