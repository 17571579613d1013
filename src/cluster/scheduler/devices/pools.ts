import type { Node } from "../../../kinds/core/v1.js";
import type { Device, ResourceSlice } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { matchesNodeSelector } from "../../controllers/shared/node-matching.js";
import { type Amounts, sharedCounters } from "./counters.js";

/** Nodes on which a device can be used: one node, all nodes, or those that match. */
type Place = Pick<DeepReadonly<Device>, "nodeName" | "allNodes" | "nodeSelector">;

/** A device of a pool. */
export interface PoolDevice {
  /** Key that is equal for two references to the same device. */
  readonly key: string;
  readonly driver: string;
  readonly device: DeepReadonly<Device>;
  readonly pool: Pool;
  /** Nodes on which it can be used. */
  readonly place: Place;
}

/** A pool of devices in its newest generation. */
export interface Pool {
  /** Driver and name, such as `gpu.example.com/node-1`. */
  readonly id: string;
  readonly name: string;
  /** True if all slices of the generation exist. */
  readonly isComplete: boolean;
  /** True if no two devices have the same name. */
  readonly isValid: boolean;
  readonly devices: readonly PoolDevice[];
  /** Counters that its devices share. */
  readonly counters: Amounts;
}

/** Name of a device with its driver and pool. */
export interface DeviceName {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** Returns a key that is equal for two references to the same device, such as `gpu.example.com/node-1/gpu-0`. */
export function deviceKey({ driver, pool, device }: DeviceName): string {
  return `${driver}/${pool}/${device}`;
}

/** Returns the pools that slices describe, sorted by name. Slices of older generations are ignored. */
export function readPools(slices: readonly DeepReadonly<ResourceSlice>[]): Pool[] {
  const byId = new Map<string, DeepReadonly<ResourceSlice>[]>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec;
    const id = `${driver}/${pool.name}`;
    const others = byId.get(id) ?? [];
    const newest = others[0]?.spec.pool.generation ?? pool.generation;
    if (pool.generation === newest) byId.set(id, [...others, slice]);
    else if (pool.generation > newest) byId.set(id, [slice]);
  }
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, current]) => readPool(id, current));
}

function readPool(id: string, slices: readonly DeepReadonly<ResourceSlice>[]): Pool {
  const { name, resourceSliceCount } = slices[0]!.spec.pool;
  const names = slices.flatMap(({ spec }) => (spec.devices ?? []).map((device) => device.name));
  const devices: PoolDevice[] = [];
  const pool: Pool = {
    id,
    name,
    isComplete: slices.length === resourceSliceCount,
    isValid: new Set(names).size === names.length,
    devices,
    counters: sharedCounters(slices),
  };
  const byName = [...slices].sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1));
  for (const { spec } of byName) {
    for (const device of spec.devices ?? []) {
      const key = deviceKey({ driver: spec.driver, pool: name, device: device.name });
      const place = spec.perDeviceNodeSelection === true ? device : spec;
      devices.push({ key, driver: spec.driver, device, pool, place });
    }
  }
  return pool;
}

/** Returns true if a device can be used on a node. */
export function isUsableOn({ place }: PoolDevice, node: DeepReadonly<Node>): boolean {
  const { nodeName = "", allNodes, nodeSelector } = place;
  if (nodeName !== "") return nodeName === node.metadata?.name;
  return allNodes === true || (nodeSelector !== undefined && matchesNodeSelector(nodeSelector, node));
}

/** Returns true if several claims can each have a part of a device. */
export function isShareable({ device }: PoolDevice): boolean {
  return device.allowMultipleAllocations === true;
}
