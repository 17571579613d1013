import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { deviceKey } from "./pools.js";

type Claim = DeepReadonly<ResourceClaim>;
type Result = DeepReadonly<DeviceRequestAllocationResult>;

/** Time in milliseconds that drivers have to prepare the devices of a claim. */
const bindingTimeoutMs = 600_000;

/** Returns true if a driver has to prepare devices of an allocation before a pod is bound. */
export function hasBindingConditions({ devices }: DeepReadonly<AllocationResult>): boolean {
  return devices?.results?.some(isConditional) === true;
}

/** Returns true if all devices of an allocated claim are prepared. */
export function isPrepared(claim: Claim): boolean {
  return (
    claim.status?.allocation !== undefined &&
    resultsOf(claim)
      .filter(isConditional)
      .every((result) => result.bindingConditions!.every((type) => hasCondition(claim, result, type)))
  );
}

/** Returns why the devices of an allocated claim can't be prepared; `undefined` if they are, or may yet be. */
export function bindingFailure(claim: Claim, now: number): string | undefined {
  const { name } = claim.metadata!;
  for (const result of resultsOf(claim).filter(isConditional)) {
    const status = statusOf(claim, result);
    const failed = result.bindingFailureConditions
      ?.map((type) => status?.conditions?.find((each) => each.type === type && each.status === "True"))
      .find((each) => each !== undefined);
    if (failed !== undefined)
      return `device binding failed: claim=${name}, reason=${failed.reason}, message=${JSON.stringify(failed.message)}`;
  }
  const isLate = now > bindingDeadline(claim);
  return isLate && !isPrepared(claim) ? `device binding timeout: claim=${name}` : undefined;
}

/** Returns the time in milliseconds until which drivers may prepare the devices of a claim. */
export function bindingDeadline(claim: Claim): number {
  const { allocation } = claim.status ?? {};
  const time = allocation?.allocationTimestamp;
  return time == null || !hasBindingConditions(allocation!)
    ? Number.POSITIVE_INFINITY
    : Date.parse(time) + bindingTimeoutMs;
}

function resultsOf({ status }: Claim): readonly Result[] {
  return status?.allocation?.devices?.results ?? [];
}

function isConditional({ bindingConditions = [] }: Result): boolean {
  return bindingConditions.length > 0;
}

function statusOf({ status }: Claim, result: Result): DeepReadonly<AllocatedDeviceStatus> | undefined {
  return status?.devices?.find((each) => deviceKey(each) === deviceKey(result) && each.shareID === result.shareID);
}

function hasCondition(claim: Claim, result: Result, type: string): boolean {
  return statusOf(claim, result)?.conditions?.some((each) => each.type === type && each.status === "True") === true;
}
