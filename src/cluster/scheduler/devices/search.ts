import type { Device, DeviceConstraint, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { toleratesDevice } from "../../controllers/shared/device-tolerations.js";
import { AllocationError, SearchTimeoutError } from "./allocation-error.js";
import { type Consumption, consumption, hasCapacity } from "./capacity.js";
import { type Amounts, consumedBy, countersSuffice } from "./counters.js";
import type { SelectorCheck } from "./device-selectors.js";
import type { DevicesInUse } from "./devices-in-use.js";
import { isShareable, type Pool, type PoolDevice } from "./pools.js";
import { concerns, mostDevices, nameOf, type RequestOption, requestOptions } from "./requests.js";

/** A device that was chosen for a request. */
export interface ChosenDevice {
  readonly option: RequestOption;
  readonly device: PoolDevice;
  /** Consumption of a device that claims share. */
  readonly share: Consumption | undefined;
}

/** Input of a search. */
export interface SearchOptions {
  readonly claims: readonly DeepReadonly<ResourceClaim>[];
  /** Pools with devices that the node can use, and only those devices. */
  readonly pools: readonly Pool[];
  /** Devices that other claims use. */
  readonly inUse: DevicesInUse;
  readonly isSelected: SelectorCheck;
}

/** Place in the search: a request of a claim. */
interface Position {
  readonly claim: number;
  readonly request: number;
}

/** Candidates after which a search ends without a result. */
const mostTried = 500_000;

/**
 * Search for devices on one node. It takes the first device that fits for each request in turn, and goes back if a later
 * request finds none.
 */
export class DeviceSearch {
  readonly #options: SearchOptions;
  readonly #requests: readonly (readonly RequestOption[][])[];
  readonly #usable: readonly PoolDevice[];
  /** Devices chosen so far, by claim. */
  readonly #chosen: readonly ChosenDevice[][];
  /** Counters of each pool that are consumed by devices of other claims. */
  readonly #consumed = new Map<Pool, Amounts>();
  #tried = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#requests = options.claims.map(requestOptions);
    this.#usable = options.pools
      .filter(({ isComplete, isValid }) => isComplete && isValid)
      .flatMap(({ devices }) => devices);
    this.#chosen = options.claims.map(() => []);
  }

  /** Returns the devices of each claim, or `undefined` if they don't suffice. */
  run(): readonly (readonly ChosenDevice[])[] | undefined {
    return this.#from({ claim: 0, request: 0 }) ? this.#chosen : undefined;
  }

  /** Chooses devices for a request and those after it. */
  #from({ claim, request }: Position): boolean {
    const requests = this.#requests[claim];
    if (requests === undefined) return true;
    const options = requests[request];
    if (options === undefined) return this.#from({ claim: claim + 1, request: 0 });
    return options.some((option) => this.#tryOption({ claim, request }, option));
  }

  #tryOption(at: Position, option: RequestOption): boolean {
    const { allocationMode, count = 1 } = option.wanted;
    if (allocationMode !== "All") return this.#choose(at, option, { devices: this.#usable, count, all: false }, 0);
    const devices = this.#allDevices(at, option);
    return devices.length > 0 && this.#choose(at, option, { devices, count: devices.length, all: true }, 0);
  }

  /** Chooses `count` devices from a position on, and those of the next requests. */
  #choose(
    at: Position,
    option: RequestOption,
    from: { readonly devices: readonly PoolDevice[]; readonly count: number; readonly all: boolean },
    start: number,
  ): boolean {
    const { devices, count, all } = from;
    if (count === 0) return this.#from({ ...at, request: at.request + 1 });
    const chosen = this.#chosen[at.claim]!;
    if (chosen.length + count > mostDevices) return false;
    for (let index = start; index < devices.length; index++) {
      if (++this.#tried > mostTried) throw new SearchTimeoutError();
      const device = devices[index]!;
      const consumed = this.#isFree(at, option, device) ? consumption(device.device, option.wanted) : undefined;
      if (consumed !== undefined && this.#hasRoom(device, consumed) && this.#allows(at, option, device, all)) {
        chosen.push({ option, device, share: isShareable(device) ? consumed : undefined });
        if (this.#choose(at, option, { devices, count: count - 1, all }, index + 1)) return true;
        chosen.pop();
      }
      // All of them are needed.
      if (all) return false;
    }
    return false;
  }

  /** Returns all devices that a request selects, in use or not. */
  #allDevices({ claim }: Position, option: RequestOption): readonly PoolDevice[] {
    const { claims, pools, isSelected } = this.#options;
    const unusable = pools.find(({ isComplete, isValid }) => !isComplete || !isValid);
    if (unusable !== undefined) {
      const state = unusable.isComplete ? "invalid" : "being updated";
      const reason = `asks for all devices, but resource pool ${unusable.id} is currently ${state}`;
      throw new AllocationError(`claim ${nameOf(claims[claim]!)}, request ${option.request}: ${reason}`);
    }
    return this.#usable.filter((device) => {
      const consumed = isSelected(claims[claim]!, option, device) && consumption(device.device, option.wanted);
      return consumed && hasCapacity(device.device, consumed, this.#options.inUse.shared.get(device.key) ?? []);
    });
  }

  #isFree({ claim }: Position, option: RequestOption, device: PoolDevice): boolean {
    const has = (chosen: readonly ChosenDevice[] | undefined): boolean =>
      !isShareable(device) && chosen?.some(({ device: other }) => other.key === device.key) === true;
    if (option.wanted.adminAccess === true) return !has(this.#chosen[claim]);
    return !this.#options.inUse.exclusive.has(device.key) && !this.#chosen.some(has);
  }

  /** Returns true if the capacity and the counters of a device suffice. */
  #hasRoom(device: PoolDevice, consumed: Consumption): boolean {
    return hasCapacity(device.device, consumed, this.#sharesOf(device)) && this.#hasCounters(device);
  }

  /** Returns what is consumed of a device that claims share. */
  #sharesOf(device: PoolDevice): readonly Consumption[] {
    if (!isShareable(device)) return [];
    const { key } = device;
    const own = this.#chosen.flat().flatMap((each) => (each.device.key === key && each.share ? [each.share] : []));
    return [...(this.#options.inUse.shared.get(key) ?? []), ...own];
  }

  /** Returns true if the counters of its pool suffice for a device in addition to those that are used already. */
  #hasCounters({ device, pool, key }: PoolDevice): boolean {
    if ((device.consumesCounters ?? []).length === 0) return true;
    const { exclusive, shared } = this.#options.inUse;
    const chosen = new Map(this.#chosen.flat().map((each) => [each.device.key, each.device]));
    // All shares of a device consume its counters once.
    if (shared.has(key) || chosen.has(key)) return true;
    let consumed = this.#consumed.get(pool);
    if (consumed === undefined) {
      const used = pool.devices.filter((each) => exclusive.has(each.key) || shared.has(each.key));
      this.#consumed.set(pool, (consumed = consumedBy(used.map((each) => each.device))));
    }
    const others = [...chosen.values()].filter((each) => each.pool === pool && !shared.has(each.key));
    return countersSuffice(pool.counters, consumed, [...others.map((each) => each.device), device]);
  }

  #allows({ claim: index }: Position, option: RequestOption, device: PoolDevice, all: boolean): boolean {
    const claim = this.#options.claims[index]!;
    if (!this.#options.isSelected(claim, option, device) || isTainted(device.device, option)) return false;
    const others = this.#chosen[index]!;
    for (const constraint of claim.spec.devices?.constraints ?? []) {
      if (!concerns(constraint.requests, option) || meets(constraint, device, others)) continue;
      if (!all) return false;
      const reason = `cannot add device ${device.key} because a claim constraint would not be satisfied`;
      throw new AllocationError(`claim ${nameOf(claim)}, request ${option.request}: ${reason}`);
    }
    return true;
  }
}

/** Returns true if a device has a taint that a request doesn't tolerate. */
function isTainted({ taints = [] }: DeepReadonly<Device>, { wanted: { tolerations = [] } }: RequestOption): boolean {
  return taints.some(
    (taint) => taint.effect !== "None" && !tolerations.some((toleration) => toleratesDevice(toleration, taint)),
  );
}

/** Returns true if a claim may have a device in addition to others. */
function meets(
  { matchAttribute, distinctAttribute, requests }: DeepReadonly<DeviceConstraint>,
  device: PoolDevice,
  others: readonly ChosenDevice[],
): boolean {
  const name = matchAttribute ?? distinctAttribute ?? "";
  const value = attributeOf(device, name);
  if (value === undefined) return false;
  return others
    .filter(({ option }) => concerns(requests, option))
    .every(({ device: other }) => (attributeOf(other, name) === value) === (matchAttribute !== undefined));
}

/** Returns an attribute of a device by its full name, as a text that is equal for equal values. */
function attributeOf({ device: { attributes = {} }, driver }: PoolDevice, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? attributes[name.slice(driver.length + 1)] : undefined;
  const attribute = attributes[name] ?? own;
  return attribute && JSON.stringify(attribute);
}
