import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  ResourceClaim,
  ResourceSlice,
} from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import { toleratesDevice } from "../shared/device-tolerations.js";

type AllocatedDevice = DeepReadonly<DeviceRequestAllocationResult>;

/** Returns when the pods of a claim are evicted because of taints of its devices, in milliseconds since the epoch. */
export function claimEvictionMs(
  { status }: DeepReadonly<ResourceClaim>,
  slices: readonly DeepReadonly<ResourceSlice>[],
): number {
  const allocated = status?.allocation?.devices?.results ?? [];
  const times = allocated.flatMap((device) =>
    evictingTaints(device, slices).map((taint) => taintEvictionMs(device, taint)),
  );
  return Math.min(...times);
}

/** Returns the taints of a device that evict pods. Slices of older generations of its pool are ignored. */
function evictingTaints(
  { driver, pool, device }: AllocatedDevice,
  slices: readonly DeepReadonly<ResourceSlice>[],
): DeepReadonly<DeviceTaint>[] {
  const own = slices.filter(({ spec }) => spec.driver === driver && spec.pool.name === pool);
  const newest = Math.max(...own.map(({ spec }) => spec.pool.generation));
  return own
    .filter(({ spec }) => spec.pool.generation === newest)
    .flatMap(({ spec }) => spec.devices ?? [])
    .filter(({ name }) => name === device)
    .flatMap(({ taints = [] }) => taints.filter(({ effect }) => effect === "NoExecute"));
}

/** Returns when a taint evicts pods: once it's there, or after the shortest of the times that its device tolerates it. */
function taintEvictionMs({ tolerations = [] }: AllocatedDevice, taint: DeepReadonly<DeviceTaint>): number {
  const matching = tolerations.filter((each) => each.effect === "NoExecute" && toleratesDevice(each, taint));
  const seconds = matching.map(({ tolerationSeconds = Number.POSITIVE_INFINITY }) => Math.max(0, tolerationSeconds));
  // A toleration without a time has no end, even next to others.
  if (seconds.includes(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
  const addedMs = parseTime(taint.timeAdded)?.getTime() ?? 0;
  return addedMs + (seconds.length === 0 ? 0 : Math.min(...seconds) * 1_000);
}
