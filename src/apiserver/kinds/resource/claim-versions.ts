import type { ApiObject } from "../../objects/api-object.js";
import type { VersionConversion } from "../shared/storage-rules.js";
import type { StructHook, StructHooks } from "../shared/walk-structs.js";

interface Request {
  deviceClassName?: string | undefined;
  allocationMode?: string | undefined;
  count?: number | undefined;
}

const exactCount: StructHook = (request: Request) => {
  request.allocationMode ??= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
};

/** Defaults of the requests of claims, in all versions. */
export const requestDefaults: StructHooks = {
  "io.k8s.api.resource.v1.ExactDeviceRequest": exactCount,
  "io.k8s.api.resource.v1.DeviceSubRequest": exactCount,
  "io.k8s.api.resource.v1beta2.ExactDeviceRequest": exactCount,
  "io.k8s.api.resource.v1beta2.DeviceSubRequest": exactCount,
  "io.k8s.api.resource.v1beta1.DeviceSubRequest": exactCount,
  // In this version a request without a class offers alternatives.
  "io.k8s.api.resource.v1beta1.DeviceRequest": (request: Request, nowMs: number) => {
    if (isGiven(request.deviceClassName)) exactCount(request as never, nowMs);
  },
};

type Fields = Record<string, unknown>;

interface Devices {
  requests?: Fields[] | undefined;
}

function convertRequests(object: ApiObject, convert: (request: Fields) => Fields): void {
  const spec = object.spec as
    | { devices?: Devices | undefined; spec?: { devices?: Devices | undefined } | undefined }
    | undefined;
  for (const devices of [spec?.devices, spec?.spec?.devices])
    if (devices?.requests !== undefined) devices.requests = devices.requests.map(convert);
}

/** Returns true for a value that Go distinguishes from a missing one. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== "" && value !== 0;
}

/** Conversion of claims: requests of v1beta1 have no `exactly` around their fields. */
export const claimConversion: VersionConversion = {
  fromStorage: (object) =>
    convertRequests(object, ({ name, exactly, ...rest }) => ({
      name,
      deviceClassName: "",
      ...(exactly as Fields | undefined),
      ...rest,
    })),
  toStorage: (object) =>
    convertRequests(object, ({ name, firstAvailable, ...fields }) => {
      const exactly = Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
      return {
        name,
        ...(Object.keys(exactly).length === 0 ? {} : { exactly }),
        ...(firstAvailable === undefined ? {} : { firstAvailable }),
      };
    }),
};
