import type { CelProgram } from "../../../apiserver/cel/cel.js";
import { compileDeviceCel, deviceToCel, selectsDevice } from "../../../apiserver/cel/device.js";
import type { CelMap } from "../../../apiserver/cel/values/values.js";
import { CelError } from "../../../apiserver/cel/values/values.js";
import type { DeviceClass, DeviceSelector, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { AllocationError } from "./allocation-error.js";
import type { PoolDevice } from "./pools.js";
import { nameOf, type RequestOption } from "./requests.js";

/** Returns true if a device matches the selectors of a request and of its class. Throws an `AllocationError`. */
export type SelectorCheck = (claim: DeepReadonly<ResourceClaim>, option: RequestOption, device: PoolDevice) => boolean;

/** Creates a check that remembers its results. */
export function createSelectorCheck({
  deviceClass,
}: {
  deviceClass(name: string): DeepReadonly<DeviceClass> | undefined;
}): SelectorCheck {
  const programs = new Map<string, CelProgram>();
  const values = new Map<string, CelMap>();
  const results = new Map<DeepReadonly<DeviceSelector>, Map<string, boolean>>();

  const evaluate = ({ cel }: DeepReadonly<DeviceSelector>, { key, driver, device }: PoolDevice): boolean => {
    const { expression } = cel!;
    const program = programs.get(expression) ?? compileDeviceCel(expression);
    programs.set(expression, program);
    const value = values.get(key) ?? deviceToCel(driver, device);
    values.set(key, value);
    return selectsDevice(program, value);
  };

  const matches = (owner: string, selectors: readonly DeepReadonly<DeviceSelector>[], device: PoolDevice): boolean =>
    selectors.every((selector, index) => {
      const known = results.get(selector) ?? new Map<string, boolean>();
      results.set(selector, known);
      let result = known.get(device.key);
      if (result === undefined) {
        try {
          result = evaluate(selector, device);
        } catch (error) {
          if (!(error instanceof CelError)) throw error;
          throw new AllocationError(`${owner}: selector #${index}: CEL runtime error: ${error.message}`);
        }
        known.set(device.key, result);
      }
      return result;
    });

  return (claim, { wanted }, device) =>
    matches(`class ${wanted.deviceClassName}`, deviceClass(wanted.deviceClassName)?.spec.selectors ?? [], device) &&
    matches(`claim ${nameOf(claim)}`, wanted.selectors ?? [], device);
}
