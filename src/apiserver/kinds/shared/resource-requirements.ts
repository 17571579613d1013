import { pushAll } from "../../../internal/push-all.js";
import type { ResourceRequirements } from "../../../kinds/core/v1.js";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import { forbidden, invalid, required } from "./field-errors.js";
import { isNativeResource, resourceQuantity } from "./resource-names.js";

const hugePagesPrefix = "hugepages-";

/** Validates resource requirements. `nameErrors` returns the errors of a resource name. */
export function resourceErrors(
  { limits = {}, requests = {} }: ResourceRequirements,
  at: string,
  nameErrors: (field: string, name: string) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  const check = (name: string, quantity: string, path: string): void => {
    pushAll(errors, nameErrors(path, name), resourceQuantity(path, name, quantity));
    if (name.startsWith(hugePagesPrefix) && !isWhole(name, quantity))
      errors.push(invalid(path, quantity, `${quantity} is not positive integer multiple of ${name}`));
  };
  for (const [name, quantity] of Object.entries(limits)) check(name, quantity, `${at}.limits[${name}]`);
  for (const [name, quantity] of Object.entries(requests)) {
    check(name, quantity, `${at}.requests[${name}]`);
    const limit = limits[name];
    const overcommit = isNativeResource(name) && !name.startsWith(hugePagesPrefix);
    if (limit === undefined) {
      if (!overcommit) errors.push(required(`${at}.limits`, "Limit must be set for non overcommitable resources"));
    } else if (!overcommit && compareQuantities(quantity, limit) !== 0)
      errors.push(invalid(`${at}.requests`, quantity, `must be equal to ${name} limit of ${limit}`));
    else if (compareQuantities(quantity, limit) > 0)
      errors.push(invalid(`${at}.requests`, quantity, `must be less than or equal to ${name} limit of ${limit}`));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (
    names.some((name) => name.startsWith(hugePagesPrefix)) &&
    !names.some((name) => name === "cpu" || name === "memory")
  )
    errors.push(forbidden(at, "HugePages require cpu or memory"));
  return errors;
}

/** True if a quantity is a multiple of the page size in the name. */
function isWhole(name: string, quantity: string): boolean {
  let size: bigint;
  try {
    size = valueOf(name.slice(hugePagesPrefix.length));
  } catch {
    return false; // The name has no valid page size.
  }
  return size > 0n && valueOf(quantity) % size === 0n;
}

/** Returns a quantity in whole units, rounded up. */
function valueOf(quantity: string): bigint {
  const { digits, exponent } = parseQuantity(quantity);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  return digits / unit + (digits % unit > 0n ? 1n : 0n);
}
