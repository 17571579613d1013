import type { VersionConversion } from "../shared/storage-rules.js";

type Fields = Record<string, unknown>;

/** Conversion of slices: devices of v1beta1 have a `basic` around their fields. */
export const sliceConversion: VersionConversion = {
  fromStorage(object) {
    const spec = object.spec as { devices?: Fields[] | undefined } | undefined;
    if (spec?.devices !== undefined) spec.devices = spec.devices.map(({ name, ...basic }) => ({ name, basic }));
  },
  toStorage(object) {
    const spec = object.spec as { devices?: Fields[] | undefined } | undefined;
    if (spec?.devices !== undefined)
      spec.devices = spec.devices.map(({ name, basic }) => ({ name, ...(basic as Fields | undefined) }));
  },
};
