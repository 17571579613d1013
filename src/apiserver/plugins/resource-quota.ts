import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type ParsedQuantity,
  parseQuantity,
  subtractQuantities,
} from "../../meta/quantity.js";
import { refusal } from "../admission/refusal.js";
import { ApiFailure } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryContext } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";
import { updateObject } from "../registry/write/update.js";
import { deviceUsage } from "./device-quota.js";
import type { PodSpec, ResourceList } from "./pod.js";
import { podAmountsWithOverhead } from "./pod.js";
import type { QuotaScopes } from "./quota-scopes.js";
import { isTerminating, matchesScopes } from "./quota-scopes.js";

const countedResources: Readonly<Record<string, string>> = {
  "/pods": "pods",
  "/services": "services",
  "/replicationcontrollers": "replicationcontrollers",
  "/resourcequotas": "resourcequotas",
  "/secrets": "secrets",
  "/configmaps": "configmaps",
  "/persistentvolumeclaims": "persistentvolumeclaims",
};

/** Built-in resources of a namespace that never count. */
const uncounted: ReadonlySet<string> = new Set(["bindings", "events", "localsubjectaccessreviews"]);

const isUncounted = ({ definition, resource }: ServedResource): boolean =>
  definition !== undefined && uncounted.has(resource);

/** Resources whose limits count towards quotas. */
const limitedNames = ["cpu", "memory", "ephemeral-storage"];

/**
 * Rejects writes that would exceed a ResourceQuota of the namespace, and updates the quota's usage. Charges new
 * objects, increases by updates of services, claims and resized pods, and pods that move into the scope of another
 * quota.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export const resourceQuota: AdmissionPlugin = {
  name: "ResourceQuota",
  validate(attributes, context) {
    const { resource, namespace, object } = attributes;
    if (!resource.namespaced || object === undefined || !counts(attributes)) return undefined;
    const quotas = listStored(context.services, "/resourcequotas", namespace);
    return quotas.length === 0 ? undefined : chargeQuotas(quotas, attributes, object, context);
  },
};

async function chargeQuotas(
  quotas: readonly ApiObject[],
  attributes: AdmissionAttributes,
  object: ApiObject,
  context: RegistryContext,
): Promise<void> {
  const { resource, old } = attributes;
  const usage = usageOf(attributes, object, context.services);
  const before = old === undefined ? {} : usageOf(attributes, old, context.services);
  const charges = quotas.flatMap((quota): { quota: ApiObject; charge: Charge }[] => {
    const scopes = (quota["spec"] as QuotaScopes | undefined) ?? {};
    if (!matchesScopes(scopes, resource.bucket, object)) return [];
    const counted = old !== undefined && matchesScopes(scopes, resource.bucket, old);
    const charge = { usage, added: counted ? excess(usage, before) : usage, attributes };
    // A write that one quota refuses is charged to none.
    return chargedUsage(quota, charge) === undefined ? [] : [{ quota, charge }];
  });
  if (attributes.dryRun) return;
  for (const { quota, charge } of charges) await chargeQuota(quota, charge, context);
}

function counts({ operation, resource, subresource, object, old }: AdmissionAttributes): boolean {
  if (operation === "CREATE") return subresource === "" && !isUncounted(resource);
  if (operation !== "UPDATE" || old === undefined) return false;
  switch (resource.bucket) {
    case "/pods":
      return (
        subresource === "resize" ||
        (subresource === "" && isTerminating(old["spec"] as PodSpec) !== isTerminating(object!["spec"] as PodSpec))
      );
    case "/services":
    case "resource.k8s.io/resourceclaims":
      return subresource === "";
    case "/persistentvolumeclaims":
      return subresource === "" || subresource === "status";
    default:
      return false;
  }
}

/** Returns how much usage exceeds the previous one. The quota controller handles decreases. */
function excess(usage: ResourceList, before: ResourceList): ResourceList {
  const added: ResourceList = {};
  for (const [name, amount] of Object.entries(usage)) {
    const difference = subtractQuantities(parseQuantity(amount), parseQuantity(before[name] ?? "0"));
    if (compareQuantities(difference, "0") > 0) added[name] = formatQuantity(difference);
  }
  return added;
}

/** Returns the usage of one new object under every name that a quota can use for it. */
function usageOf(
  { resource }: AdmissionAttributes,
  object: ApiObject,
  services: RegistryContext["services"],
): ResourceList {
  const group = resource.group === "" ? "" : `.${resource.group}`;
  const usage: ResourceList = { [`count/${resource.resource}${group}`]: "1" };
  const counted = countedResources[resource.bucket];
  if (counted !== undefined) usage[counted] = "1";
  const spec = (object["spec"] ?? {}) as Record<string, unknown>;
  if (resource.bucket === "/pods") {
    const requests = podAmountsWithOverhead(spec as unknown as PodSpec, "requests");
    const limits = podAmountsWithOverhead(spec as unknown as PodSpec, "limits");
    for (const [name, amount] of Object.entries(requests)) {
      usage[`requests.${name}`] = amount;
      if (name === "cpu" || name === "memory" || name === "ephemeral-storage" || name.startsWith("hugepages-"))
        usage[name] = amount;
    }
    for (const name of limitedNames) if (limits[name] !== undefined) usage[`limits.${name}`] = limits[name];
  } else if (resource.bucket === "/services") {
    const ports = ((spec["ports"] as unknown[] | undefined) ?? []).length;
    const given = ((spec["ports"] as { nodePort?: number }[] | undefined) ?? []).filter(
      ({ nodePort }) => nodePort !== undefined && nodePort !== 0,
    ).length;
    if (spec["type"] === "NodePort") usage["services.nodeports"] = String(ports);
    if (spec["type"] === "LoadBalancer")
      usage["services.nodeports"] = String(spec["allocateLoadBalancerNodePorts"] === false ? given : ports);
    if (spec["type"] === "LoadBalancer") usage["services.loadbalancers"] = "1";
  } else if (resource.bucket === "/persistentvolumeclaims") {
    const storage = claimedStorage(object);
    const className =
      object.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
      (spec["storageClassName"] as string | undefined);
    if (storage !== undefined) usage["requests.storage"] = storage;
    if (className !== undefined && className !== "") {
      usage[`${className}.storageclass.storage.k8s.io/persistentvolumeclaims`] = "1";
      if (storage !== undefined) usage[`${className}.storageclass.storage.k8s.io/requests.storage`] = storage;
    }
  }
  if (resource.bucket === "resource.k8s.io/resourceclaims") Object.assign(usage, deviceUsage(object, services));
  return usage;
}

/** Returns the storage of a volume claim in whole bytes: requested or allocated, whichever is more. */
function claimedStorage(claim: ApiObject): string | undefined {
  const requested = (claim["spec"] as { resources?: { requests?: ResourceList } } | undefined)?.resources?.requests?.[
    "storage"
  ];
  const given = (claim["status"] as { allocatedResources?: ResourceList } | undefined)?.allocatedResources?.["storage"];
  if (requested === undefined) return undefined;
  const claimed = given !== undefined && compareQuantities(given, requested) > 0 ? given : requested;
  return formatQuantity(wholeBytes(parseQuantity(claimed)));
}

function wholeBytes(amount: ParsedQuantity): ParsedQuantity {
  if (amount.exponent >= 0) return amount;
  const unit = 10n ** BigInt(-amount.exponent);
  return { ...amount, digits: (amount.digits + unit - 1n) / unit, exponent: 0 };
}

/** A write to charge: its usage, and the part of it that is new. */
interface Charge {
  readonly usage: ResourceList;
  readonly added: ResourceList;
  readonly attributes: AdmissionAttributes;
}

/** Charges a write to a quota, or rejects the write. */
async function chargeQuota(quota: ApiObject, charge: Charge, context: RegistryContext): Promise<void> {
  const { attributes } = charge;
  const name = quota.metadata?.name ?? "";
  try {
    await updateObject(context, {
      resource: context.services.resources.find("", "v1", "resourcequotas")!,
      namespace: attributes.namespace,
      name,
      subresource: "status",
      unconditional: true,
      options: { dryRun: false, manager: "kube-apiserver" },
      // Another write may have been charged since.
      transform: (existing) => {
        const used = chargedUsage(existing!, charge);
        return { ...existing!, status: { ...(existing!["status"] as object), ...(used && { used }) } };
      },
    });
  } catch (error) {
    // The quota was deleted concurrently, so it doesn't limit anything.
    if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
  }
}

/** Returns the usage of a quota with what a write adds. Throws if the write isn't allowed, `undefined` if it adds nothing. */
function chargedUsage(quota: ApiObject, { usage, added, attributes }: Charge): ResourceList | undefined {
  const status = (quota["status"] ?? {}) as { hard?: ResourceList; used?: ResourceList };
  const hard = status.hard ?? {};
  const name = quota.metadata?.name ?? "";
  const missing = unspecified(hard, attributes);
  if (missing.length > 0) throw refusal(attributes, `failed quota: ${name}: must specify ${missing.join("; ")}`);
  const names = Object.keys(hard)
    .filter((each) => Object.hasOwn(usage, each))
    .sort();
  const unknown = names.filter((each) => status.used?.[each] === undefined);
  if (unknown.length > 0)
    throw refusal(attributes, `status unknown for quota: ${name}, resources: ${unknown.join(",")}`);
  const changed = names.filter((each) => Object.hasOwn(added, each));
  if (changed.length === 0) return undefined;
  const next: ResourceList = { ...status.used };
  const exceeded = changed.filter((each) => {
    const sum = addQuantities(parseQuantity(status.used![each]!), parseQuantity(added[each]!));
    next[each] = formatQuantity(sum);
    return compareQuantities(sum, hard[each]!) > 0;
  });
  // A status reports what has already happened, so it is charged regardless of the limit.
  if (exceeded.length > 0 && attributes.subresource !== "status") {
    const show = (list: ResourceList): string =>
      exceeded.map((each) => `${each}=${formatQuantity(parseQuantity(list[each]!))}`).join(",");
    throw refusal(
      attributes,
      `exceeded quota: ${name}, requested: ${show(added)}, used: ${show(status.used!)}, limited: ${show(hard)}`,
    );
  }
  return next;
}

/** CPU and memory, which containers must specify if a quota limits them. */
const computeResource = /^(?:requests\.|limits\.)?(?:cpu|memory)$/;
const podLevelResource = /^(?:cpu|memory|hugepages-.*)$/;

/**
 * Returns a text for each limited kind of CPU or memory that some containers of a pod don't specify; none if the pod as
 * a whole specifies resources.
 */
function unspecified(hard: ResourceList, { resource, object }: AdmissionAttributes): string[] {
  if (resource.bucket !== "/pods") return [];
  const { resources, containers, initContainers = [] } = object!["spec"] as PodSpec;
  const ofPod = Object.keys({ ...resources?.requests, ...resources?.limits });
  if (ofPod.some((name) => podLevelResource.test(name))) return [];
  const all = [...containers, ...initContainers];
  return Object.keys(hard)
    .filter((name) => computeResource.test(name))
    .sort()
    .flatMap((name) => {
      const which = name.startsWith("limits.") ? "limits" : "requests";
      const bare = name.replace(/^(requests|limits)\./, "");
      const lacking = all.filter((container) => container.resources?.[which]?.[bare] === undefined);
      return lacking.length === 0 ? [] : [`${name} for: ${lacking.map((container) => container.name).join(",")}`];
    });
}
