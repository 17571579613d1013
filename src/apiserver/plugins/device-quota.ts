import { formatQuantity, parseQuantity, subtractQuantities } from "../../meta/quantity.js";
import type { ApiObject } from "../objects/api-object.js";
import type { RegistryContext } from "../registry/services.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { type PodSpec, podAmountsWithOverhead, type ResourceList } from "./pod.js";

/** Maximum number of devices that a claim with `All` can get. */
const mostDevices = 32;

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

interface ClaimSpec {
  readonly devices?: {
    readonly requests?: readonly {
      readonly exactly?: DeviceRequest;
      readonly firstAvailable?: readonly DeviceRequest[];
    }[];
  };
}

/**
 * Returns the devices of a claim by class, and by the extended resources of the class. If the scheduler made the claim for
 * the extended resources of a pod, those that a quota counts for the pod are left out.
 */
export function deviceUsage(claim: ApiObject, services: RegistryContext["services"]): ResourceList {
  const devices = devicesByClass(claim["spec"] as ClaimSpec);
  const extended = new Map<string, number>();
  for (const [name, amount] of devices) {
    const spec = getStored(services, "resource.k8s.io/deviceclasses", name)?.["spec"];
    const { extendedResourceName } = (spec ?? {}) as { readonly extendedResourceName?: string };
    if (extendedResourceName === undefined) continue;
    for (const resource of [`deviceclass.resource.kubernetes.io/${name}`, extendedResourceName])
      extended.set(resource, (extended.get(resource) ?? 0) + amount);
  }
  const charged = extended.size === 0 ? {} : chargedToPod(claim, services);
  const usage: ResourceList = {};
  for (const [name, amount] of devices) usage[`${name}.deviceclass.resource.k8s.io/devices`] = String(amount);
  for (const [name, amount] of extended) {
    const rest = subtractQuantities(parseQuantity(String(amount)), parseQuantity(charged[name] ?? "0"));
    if (rest.digits > 0n) usage[`requests.${name}`] = formatQuantity(rest);
  }
  return usage;
}

/** Adds up the devices of a claim by class; alternatives count as the one that needs the most. */
function devicesByClass({ devices }: ClaimSpec): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { exactly, firstAvailable } of devices?.requests ?? []) {
    const most = new Map<string, number>();
    for (const { deviceClassName = "", allocationMode, count } of firstAvailable ??
      (exactly === undefined ? [] : [exactly])) {
      const amount = allocationMode === "All" ? mostDevices : allocationMode === "ExactCount" ? (count ?? 0) : 0;
      most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, amount));
    }
    for (const [name, amount] of most) sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  return sums;
}

/** Returns the requests of the pod that a claim provides extended resources for. Only one claim of a pod does. */
function chargedToPod(claim: ApiObject, services: RegistryContext["services"]): ResourceList {
  const owner = podOf(claim);
  if (owner === undefined) return {};
  const { namespace = "", name } = claim.metadata!;
  const pod = getStored(services, "/pods", `${namespace}/${owner.name}`);
  if (pod === undefined || pod.metadata?.uid !== owner.uid) return {};
  const status = pod["status"] as { extendedResourceClaimStatus?: { resourceClaimName?: string } } | undefined;
  const recorded = status?.extendedResourceClaimStatus?.resourceClaimName;
  const first = (): string | undefined =>
    listStored(services, "resource.k8s.io/resourceclaims", namespace)
      .filter((other) => podOf(other)?.uid === owner.uid)
      .map(({ metadata }) => metadata!)
      .sort((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))[0]?.name;
  return (recorded ?? first() ?? name) === name ? podAmountsWithOverhead(pod["spec"] as PodSpec, "requests") : {};
}

function ageKey({ creationTimestamp = "", name = "" }: NonNullable<ApiObject["metadata"]>): string {
  return `${creationTimestamp} ${name}`;
}

/** Returns the owner of a claim for extended resources. */
function podOf({ metadata }: ApiObject): { readonly name: string; readonly uid: string } | undefined {
  if (metadata?.annotations?.["resource.kubernetes.io/extended-resource-claim"] !== "true") return undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}
