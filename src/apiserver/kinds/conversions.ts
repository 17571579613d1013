import type { ApiObject } from "../objects/api-object.js";
import { builtinKinds } from "./builtin-kinds.js";
import type { VersionConversion } from "./shared/kind-definition.js";

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
    | { devices?: { requests?: Fields[] }; spec?: { devices?: { requests?: Fields[] } } }
    | undefined;
  for (const request of [...(spec?.devices?.requests ?? []), ...(spec?.spec?.devices?.requests ?? [])]) change(request);
}

/** Device requests of `resource.k8s.io/v1beta1` have no `exactly` around their fields. */
const claims: VersionConversion = {
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

/** Devices of `resource.k8s.io/v1beta1` have a `basic` around their fields. */
const slices: VersionConversion = {
  fromStorage(object) {
    const spec = object.spec as { devices?: Fields[] } | undefined;
    if (spec?.devices !== undefined) spec.devices = spec.devices.map(({ name, ...basic }) => ({ name, basic }));
  },
  toStorage(object) {
    const spec = object.spec as { devices?: Fields[] } | undefined;
    if (spec?.devices !== undefined)
      spec.devices = spec.devices.map(({ name, basic }) => ({ name, ...(basic as Fields | undefined) }));
  },
};

const conversions: Readonly<Record<string, VersionConversion>> = {
  "resource.k8s.io/v1beta1/resourceclaims": claims,
  "resource.k8s.io/v1beta1/resourceclaimtemplates": claims,
  "resource.k8s.io/v1beta1/resourceslices": slices,
};

/** How a version of a built-in kind differs from the stored one; `undefined` if only its name does. */
export function conversionOf(group: string, version: string, resource: string): VersionConversion | undefined {
  const own = builtinKinds.get(`${group}/${resource}`)?.storage?.conversions?.[version];
  if (own !== undefined) return own;
  const key = `${group}/${version}/${resource}`;
  return Object.hasOwn(conversions, key) ? conversions[key] : undefined;
}
