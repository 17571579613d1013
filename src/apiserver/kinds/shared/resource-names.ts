import { parseQuantity } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import { words } from "../../internal/words.js";
import * as check from "./checks.js";
import { invalid } from "./field-errors.js";

const containerResources = ["cpu", "memory", "ephemeral-storage"];
const countedResources = words(
  "pods resourcequotas services replicationcontrollers secrets persistentvolumeclaims configmaps",
  "services.nodeports services.loadbalancers",
);
const limitedResources = [
  ...containerResources.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ...countedResources,
];

const standard: ReadonlySet<string> = new Set([...limitedResources, "storage", "requests.storage"]);
const ofQuotas: ReadonlySet<string> = new Set([...limitedResources, "requests.storage"]);
const ofContainers: ReadonlySet<string> = new Set(containerResources);

const isPage = (name: string): boolean => /^(requests\.)?hugepages-/.test(name);

/** True if a resource is native: its name has no domain, or one of Kubernetes. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

export function isExtendedResource(name: string): boolean {
  return (
    !isNativeResource(name) && !name.startsWith("requests.") && check.qualifiedName("", `requests.${name}`).length === 0
  );
}

export function resourceName(field: string, name: string): FieldError[] {
  const errors = check.qualifiedName(field, name);
  if (errors.length > 0 || name.includes("/") || standard.has(name) || isPage(name)) return errors;
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

export function containerResourceName(field: string, name: string): FieldError[] {
  const errors = resourceName(field, name);
  if (!name.includes("/")) {
    if (!ofContainers.has(name) && !name.startsWith("hugepages-"))
      errors.push(invalid(field, name, "must be a standard resource for containers"));
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
  return errors;
}

/** True if quotas can limit a resource without a domain. */
export function isQuotaResource(name: string): boolean {
  return ofQuotas.has(name) || isPage(name);
}

export function quotaResourceName(field: string, name: string): FieldError[] {
  const errors = resourceName(field, name);
  if (!name.includes("/") && !isQuotaResource(name))
    errors.push(invalid(field, name, "must be a standard resource for quota"));
  return errors;
}

const wholeResources: ReadonlySet<string> = new Set(countedResources);

function isWholeResource(name: string): boolean {
  return wholeResources.has(name) || isExtendedResource(name);
}

export function resourceQuantity(field: string, name: string, quantity: string): FieldError[] {
  const errors = check.nonNegativeQuantity(field, quantity);
  const { digits, exponent } = parseQuantity(quantity);
  if (isWholeResource(name) && exponent < 0 && digits % 10n ** BigInt(-exponent) !== 0n)
    errors.push(invalid(field, quantity, "must be an integer"));
  return errors;
}
