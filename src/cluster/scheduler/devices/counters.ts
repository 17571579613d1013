import type { Counter, Device, ResourceSlice } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { addQuantities, compareQuantities, type ParsedQuantity, parseQuantity } from "../../../meta/quantity.js";

/** Amounts by counter set and counter. */
export type Amounts = Map<string, ParsedQuantity>;

/** Returns true if the counters of a pool suffice for devices in addition to what is consumed already. */
export function countersSuffice(shared: Amounts, consumed: Amounts, devices: readonly DeepReadonly<Device>[]): boolean {
  return [...consumedBy(devices, consumed)].every(([name, amount]) => {
    const available = shared.get(name);
    return available !== undefined && compareQuantities(amount, available) <= 0;
  });
}

/** Returns what devices consume together, in addition to what is consumed already. */
export function consumedBy(devices: readonly DeepReadonly<Device>[], consumed: Amounts = new Map()): Amounts {
  const all: Amounts = new Map(consumed);
  for (const { consumesCounters = [] } of devices)
    for (const { counterSet, counters } of consumesCounters) add(all, counterSet, counters);
  return all;
}

/** Returns the counters that the slices of a pool declare. */
export function sharedCounters(slices: readonly DeepReadonly<ResourceSlice>[]): Amounts {
  const shared: Amounts = new Map();
  for (const { spec } of slices)
    for (const { name, counters } of spec.sharedCounters ?? []) add(shared, name, counters);
  return shared;
}

function add(amounts: Amounts, set: string, counters: DeepReadonly<Record<string, Counter>>): void {
  for (const [name, { value }] of Object.entries(counters)) {
    const key = `${set}/${name}`;
    const known = amounts.get(key);
    const more = parseQuantity(value);
    amounts.set(key, known === undefined ? more : addQuantities(known, more));
  }
}
