import type {
  CapacityRequestPolicyRange,
  Device,
  DeviceCapacity,
  ExactDeviceRequest,
} from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type ParsedQuantity,
  parseQuantity,
} from "../../../meta/quantity.js";

/** Quantities by the name of the capacity. */
export type Consumption = Readonly<Record<string, string>>;

/**
 * Returns what a request consumes of each capacity of a device; `undefined` if the device lacks a capacity, or its policy
 * forbids the amount.
 */
export function consumption(
  { capacity = {} }: DeepReadonly<Device>,
  { capacity: wanted }: DeepReadonly<ExactDeviceRequest>,
): Consumption | undefined {
  const requests = wanted?.requests ?? {};
  if (Object.keys(requests).some((name) => capacity[name] === undefined)) return undefined;
  const amounts = Object.entries(capacity).map(([name, each]) => [name, amountOf(requests[name], each)] as const);
  return amounts.some(([name, amount]) => isForbidden(amount, capacity[name]!))
    ? undefined
    : Object.fromEntries(amounts);
}

/** Returns true if a device has enough capacity for a consumption in addition to others. */
export function hasCapacity(
  { capacity = {} }: DeepReadonly<Device>,
  wanted: Consumption,
  others: readonly Consumption[],
): boolean {
  return Object.entries(wanted).every(([name, amount]) => {
    const total = others.reduce(
      (sum, other) => (other[name] === undefined ? sum : addQuantities(sum, parseQuantity(other[name]))),
      parseQuantity(amount),
    );
    return compareQuantities(total, capacity[name]!.value) <= 0;
  });
}

/** Returns the amount for a request: the default or all without one, otherwise the next larger amount of the policy. */
function amountOf(requested: string | undefined, { value, requestPolicy }: DeepReadonly<DeviceCapacity>): string {
  if (requested === undefined) return requestPolicy?.default ?? value;
  const { validRange, validValues = [] } = requestPolicy ?? {};
  if (validRange?.min !== undefined) return inRange(requested, validRange.min, validRange.step);
  return validValues.find((each) => compareQuantities(requested, each) <= 0) ?? requested;
}

function inRange(requested: string, min: string, step: CapacityRequestPolicyRange["step"]): string {
  if (compareQuantities(requested, min) < 0) return min;
  const [first, size] = [wholeNumber(min), wholeNumber(step ?? "0")];
  if (size <= 0n) return requested;
  const steps = (wholeNumber(requested) - first + size - 1n) / size;
  return formatQuantity({ digits: first + steps * size, exponent: 0, format: "BinarySI" });
}

/** Rounds a quantity up to an integer. */
function wholeNumber(text: string): bigint {
  const { digits, exponent }: ParsedQuantity = parseQuantity(text);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  return (digits + unit - 1n) / unit;
}

function isForbidden(
  amount: string,
  { requestPolicy: { validRange, validValues = [] } = {} }: DeepReadonly<DeviceCapacity>,
): boolean {
  if (validRange !== undefined) return validRange.max !== undefined && compareQuantities(amount, validRange.max) > 0;
  return validValues.length > 0 && validValues.every((each) => compareQuantities(amount, each) !== 0);
}
