import type { ApiObject } from "../../objects/api-object.js";
import type { VersionConversion } from "../shared/storage-rules.js";
import type { StructHook, StructHooks } from "../shared/walk-structs.js";

interface Request {
  allocationMode?: string | undefined;
  count?: number | undefined;
  firstAvailable?: readonly unknown[] | undefined;
}

const exactCount: StructHook = (request: Request) => {
  request.allocationMode ??= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
};

const API = "io.k8s.api.resource";

/** Defaults of the requests of claims, in all versions. */
export const requestDefaults: StructHooks = {
  [`${API}.v1.ExactDeviceRequest`]: exactCount,
  [`${API}.v1.DeviceSubRequest`]: exactCount,
  [`${API}.v1beta2.ExactDeviceRequest`]: exactCount,
  [`${API}.v1beta2.DeviceSubRequest`]: exactCount,
  [`${API}.v1beta1.DeviceSubRequest`]: exactCount,
  // In this version a request is exact unless it offers alternatives.
  [`${API}.v1beta1.DeviceRequest`]: (request: Request, nowMs: number) => {
    if ((request.firstAvailable ?? []).length === 0) exactCount(request as never, nowMs);
  },
};

type Fields = Record<string, unknown>;

const exactFields = [
  "deviceClassName",
  "selectors",
  "allocationMode",
  "count",
  "adminAccess",
  "tolerations",
  "capacity",
];

function eachRequest(object: ApiObject, change: (request: Fields) => void): void {
  const spec = object.spec as
    | {
        devices?: { requests?: Fields[] | undefined } | undefined;
        spec?: { devices?: { requests?: Fields[] | undefined } | undefined } | undefined;
      }
    | undefined;
  for (const request of [...(spec?.devices?.requests ?? []), ...(spec?.spec?.devices?.requests ?? [])]) change(request);
}

/** Conversion of claims: requests of v1beta1 have no `exactly` around their fields. */
export const claimConversion: VersionConversion = {
  fromStorage: (object) =>
    eachRequest(object, (request) => {
      if (typeof request.exactly === "object" && request.exactly !== null) Object.assign(request, request.exactly);
      delete request.exactly;
    }),
  toStorage: (object) =>
    eachRequest(object, (request) => {
      const exactly: Fields = {};
      for (const field of exactFields) {
        if (request[field] === undefined) continue;
        exactly[field] = request[field];
        Reflect.deleteProperty(request, field);
      }
      if (Object.keys(exactly).length > 0) request.exactly = exactly;
    }),
};
