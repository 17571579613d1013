import { least } from "../../../internal/extremes.js";
import type { DeviceClass, ExactDeviceRequest, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** One way to meet a request: the request itself, or one of its alternatives. */
export interface RequestOption {
  /** Name of the request. */
  readonly request: string;
  /** Name in the result, such as `gpu`, or `gpu/large` for an alternative. */
  readonly name: string;
  readonly wanted: DeepReadonly<ExactDeviceRequest>;
}

/** Returns the ways to meet each request of a claim, the preferred one first. */
export function requestOptions({ spec }: DeepReadonly<ResourceClaim>): RequestOption[][] {
  return (spec.devices?.requests ?? []).map(({ name, exactly, firstAvailable = [] }) =>
    exactly === undefined
      ? firstAvailable.map((wanted) => ({ request: name, name: `${name}/${wanted.name}`, wanted }))
      : [{ request: name, name, wanted: exactly }],
  );
}

/** Most devices of one claim. */
export const mostDevices = 32;

/** Returns the least number of devices that meet a claim. A request for all devices counts as one. */
export function leastDevices(claim: DeepReadonly<ResourceClaim>): number {
  const countOf = ({ wanted: { allocationMode, count = 1 } }: RequestOption): number =>
    allocationMode === "All" ? 1 : count;
  return requestOptions(claim).reduce((sum, options) => sum + least(options.map(countOf)), 0);
}

/** Returns true if a list of request names concerns a request. An empty list concerns all of them. */
export function concerns(names: readonly string[] | undefined, { request, name }: RequestOption): boolean {
  return names === undefined || names.length === 0 || names.includes(request) || names.includes(name);
}

/** Returns the reason for which claims can't be allocated on any node: a class that is missing. */
export function missingClass(
  claims: readonly DeepReadonly<ResourceClaim>[],
  deviceClass: (name: string) => DeepReadonly<DeviceClass> | undefined,
): string | undefined {
  const missing = claims
    .flatMap((claim) => requestOptions(claim).flat())
    .find(({ wanted }) => deviceClass(wanted.deviceClassName) === undefined);
  return missing && `request ${missing.name}: device class ${missing.wanted.deviceClassName} does not exist`;
}

/** Returns the name of a claim for messages. */
export function nameOf({ metadata }: DeepReadonly<ResourceClaim>): string {
  return `${metadata!.namespace}/${metadata!.name}`;
}
