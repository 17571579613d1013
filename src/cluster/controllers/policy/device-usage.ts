import type { Client } from "../../../client/client.js";
import type { Pod } from "../../../kinds/core/v1.js";
import { DeviceClass, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { addQuantities, parseQuantity } from "../../../meta/quantity.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import { addPod, addUsage, type Usage } from "./quota-usage.js";

/** Most devices of one claim. */
const mostDevices = 32;

/** Returns true for a name by which a quota may limit devices: a device class, or an extended resource. */
export function limitsDevices(name: string): boolean {
  return name.endsWith(".deviceclass.resource.k8s.io/devices") || /^requests\.[^/]+\//.test(name);
}

/**
 * Adds the devices of the claims of a namespace, by class and by the extended resources of the class. If the scheduler made
 * a claim for the extended resources of a pod, those that are counted for the pod are left out.
 */
export async function addDeviceClaims(
  usage: Usage,
  client: Client,
  { namespace, pod: findPod }: { readonly namespace: string; pod(name: string): DeepReadonly<Pod> | undefined },
  signal: AbortSignal,
): Promise<void> {
  const classes = await client.resource(DeviceClass).list({ signal });
  const resources = new Map(classes.items.map(({ metadata, spec }) => [metadata!.name!, spec.extendedResourceName]));
  const { items } = await client.resource(ResourceClaim).namespace(namespace).list({ signal });
  const firstClaims = firstByPod(items);
  for (const claim of items) {
    const extended: Usage = new Map();
    for (const [name, count] of devicesByClass(claim)) {
      const amount = parseQuantity(String(count));
      addUsage(usage, `${name}.deviceclass.resource.k8s.io/devices`, amount);
      const resource = resources.get(name);
      if (resource === undefined) continue;
      addUsage(extended, `requests.deviceclass.resource.kubernetes.io/${name}`, amount);
      addUsage(extended, `requests.${resource}`, amount);
    }
    const charged: Usage = new Map();
    const pod = extended.size === 0 ? undefined : podOf(claim, firstClaims, findPod);
    if (pod !== undefined) addPod(charged, pod);
    for (const [name, amount] of extended) {
      const own = charged.get(name) ?? parseQuantity("0");
      const rest = addQuantities(amount, { ...own, digits: -own.digits });
      if (rest.digits > 0n) addUsage(usage, name, rest);
    }
  }
}

/** Adds up the devices of a claim by class; alternatives count as the one that needs the most. */
function devicesByClass({ spec }: DeepReadonly<ResourceClaim>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { exactly, firstAvailable } of spec.devices?.requests ?? []) {
    const most = new Map<string, number>();
    for (const { deviceClassName, allocationMode, count = 1 } of firstAvailable ?? (exactly ? [exactly] : [])) {
      const amount = allocationMode === "All" ? mostDevices : count;
      most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, amount));
    }
    for (const [name, amount] of most) sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  return sums;
}

/** Returns the UID of the pod for whose extended resources the scheduler made a claim. */
function podUid(claim: DeepReadonly<ResourceClaim>): string | undefined {
  if (claim.metadata?.annotations?.["resource.kubernetes.io/extended-resource-claim"] !== "true") return undefined;
  const owner = getControllerOwner(claim);
  return owner?.kind === "Pod" ? owner.uid : undefined;
}

/** Returns the name of the oldest claim that the scheduler made for each pod, by the UID of the pod. */
function firstByPod(claims: readonly DeepReadonly<ResourceClaim>[]): Map<string, string> {
  const ageKey = ({ metadata }: DeepReadonly<ResourceClaim>): string =>
    `${metadata!.creationTimestamp} ${metadata!.name}`;
  const first = new Map<string, string>();
  for (const claim of [...claims].sort((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))) {
    const uid = podUid(claim);
    if (uid !== undefined && !first.has(uid)) first.set(uid, claim.metadata!.name!);
  }
  return first;
}

/** Returns the pod that a claim provides extended resources for. Only one claim of a pod does. */
function podOf(
  claim: DeepReadonly<ResourceClaim>,
  firstClaims: ReadonlyMap<string, string>,
  findPod: (name: string) => DeepReadonly<Pod> | undefined,
): DeepReadonly<Pod> | undefined {
  const uid = podUid(claim);
  if (uid === undefined) return undefined;
  const pod = findPod(getControllerOwner(claim)!.name);
  if (pod?.metadata?.uid !== uid) return undefined;
  const used = pod.status?.extendedResourceClaimStatus?.resourceClaimName ?? firstClaims.get(uid);
  return used === claim.metadata?.name ? pod : undefined;
}
