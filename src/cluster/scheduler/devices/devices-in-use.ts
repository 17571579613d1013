import type { ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { Consumption } from "./capacity.js";
import { deviceKey } from "./pools.js";

/** Devices that claims use. Administrative access doesn't keep others from a device. */
export interface DevicesInUse {
  /** Keys of the devices that a claim has for itself. */
  readonly exclusive: ReadonlySet<string>;
  /** Consumption of the devices that claims share, by the key of the device. */
  readonly shared: ReadonlyMap<string, readonly Consumption[]>;
}

/** Returns the devices that claims use. */
export function devicesInUse(claims: readonly DeepReadonly<ResourceClaim>[]): DevicesInUse {
  const exclusive = new Set<string>();
  const shared = new Map<string, Consumption[]>();
  for (const { status } of claims)
    for (const result of status?.allocation?.devices?.results ?? []) {
      if (result.adminAccess === true) continue;
      const key = deviceKey(result);
      if (result.shareID === undefined) {
        exclusive.add(key);
        continue;
      }
      const shares = shared.get(key) ?? [];
      shares.push(result.consumedCapacity ?? {});
      shared.set(key, shares);
    }
  return { exclusive, shared };
}
