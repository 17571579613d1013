import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "../../meta/quantity.js";
import type { AdmissionAttributes, AdmissionPlugin, RequestContext } from "../core.js";
import { updateObject } from "../registry/write.js";
import type { ApiObject } from "../registry/strategy.js";
import { ApiFailure, failure } from "../status.js";
import type { PodSpec, ResourceList } from "./pod.js";
import { podAmounts } from "./pod.js";
import { listStored } from "./stored.js";

const COUNTED: Readonly<Record<string, string>> = {
  "/pods": "pods", "/services": "services", "/replicationcontrollers": "replicationcontrollers", "/resourcequotas": "resourcequotas", "/secrets": "secrets",
  "/configmaps": "configmaps", "/persistentvolumeclaims": "persistentvolumeclaims",
};

interface QuotaSpec {
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly { readonly scopeName: string; readonly operator: string; readonly values?: readonly string[] }[] };
}

/**
 * Refuses new objects that would exceed a ResourceQuota of their namespace, and counts those it lets in.
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export const resourceQuota: AdmissionPlugin = {
  name: "ResourceQuota",
  async validate(attributes, context) {
    const { operation, resource, subresource, namespace, object, dryRun } = attributes;
    if (operation !== "CREATE" || subresource !== "" || !resource.namespaced || object === undefined) return;
    const quotas = listStored(context.core, "/resourcequotas", namespace);
    if (quotas.length === 0) return;
    const usage = usageOf(attributes, object);
    for (const quota of quotas) {
      if (matchesScopes((quota["spec"] as QuotaSpec | undefined) ?? {}, attributes, object)) await charge(quota, usage, attributes, context, dryRun);
    }
  },
};

/** What one new object uses, under every name a quota may give it. */
function usageOf({ resource }: AdmissionAttributes, object: ApiObject): ResourceList {
  const group = resource.group === "" ? "" : `.${resource.group}`;
  const usage: ResourceList = { [`count/${resource.resource}${group}`]: "1" };
  const counted = COUNTED[resource.bucket];
  if (counted !== undefined) usage[counted] = "1";
  const spec = (object["spec"] ?? {}) as Record<string, unknown>;
  if (resource.bucket === "/pods") {
    const requests = podAmounts(spec as unknown as PodSpec, "requests");
    const limits = podAmounts(spec as unknown as PodSpec, "limits");
    for (const [name, amount] of Object.entries(requests)) {
      usage[`requests.${name}`] = amount;
      if (name === "cpu" || name === "memory" || name === "ephemeral-storage" || name.startsWith("hugepages-")) usage[name] = amount;
    }
    for (const [name, amount] of Object.entries(limits)) usage[`limits.${name}`] = amount;
  } else if (resource.bucket === "/services") {
    const ports = ((spec["ports"] as unknown[] | undefined) ?? []).length;
    if (spec["type"] === "NodePort" || spec["type"] === "LoadBalancer") usage["services.nodeports"] = String(ports);
    if (spec["type"] === "LoadBalancer") usage["services.loadbalancers"] = "1";
  } else if (resource.bucket === "/persistentvolumeclaims") {
    const storage = (spec["resources"] as { requests?: ResourceList } | undefined)?.requests?.["storage"];
    const className = spec["storageClassName"] as string | undefined;
    if (storage !== undefined) usage["requests.storage"] = storage;
    if (className !== undefined && className !== "") {
      usage[`${className}.storageclass.storage.k8s.io/persistentvolumeclaims`] = "1";
      if (storage !== undefined) usage[`${className}.storageclass.storage.k8s.io/requests.storage`] = storage;
    }
  }
  return usage;
}

function matchesScopes(spec: QuotaSpec, { resource }: AdmissionAttributes, object: ApiObject): boolean {
  const wanted = [...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists", values: [] as readonly string[] })), ...(spec.scopeSelector?.matchExpressions ?? [])];
  if (wanted.length === 0) return true;
  if (resource.bucket !== "/pods") return false;
  const pod = object["spec"] as PodSpec;
  const bestEffort = [...pod.containers, ...(pod.initContainers ?? [])].every(({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length === 0);
  return wanted.every(({ scopeName, operator, values = [] }) => {
    switch (scopeName) {
      case "Terminating": return pod.activeDeadlineSeconds !== undefined;
      case "NotTerminating": return pod.activeDeadlineSeconds === undefined;
      case "BestEffort": return bestEffort;
      case "NotBestEffort": return !bestEffort;
      case "PriorityClass": {
        const name = pod.priorityClassName ?? "";
        if (operator === "Exists") return name !== "";
        if (operator === "DoesNotExist") return name === "";
        return operator === "In" ? values.includes(name) : !values.includes(name);
      }
      default: return false;
    }
  });
}

async function charge(quota: ApiObject, usage: ResourceList, attributes: AdmissionAttributes, context: RequestContext, dryRun: boolean): Promise<void> {
  const status = (quota["status"] ?? {}) as { hard?: ResourceList; used?: ResourceList };
  const hard = status.hard ?? {};
  const names = Object.keys(hard).filter((name) => Object.hasOwn(usage, name) || isComputeOf(name, attributes)).sort();
  if (names.length === 0) return;
  const name = quota.metadata?.name ?? "";
  const missing = names.filter((each) => !Object.hasOwn(usage, each));
  if (missing.length > 0) throw refuse(attributes, `failed quota: ${name}: must specify ${describeMissing(missing, attributes)}`);
  const unknown = names.filter((each) => status.used?.[each] === undefined);
  if (unknown.length > 0) throw refuse(attributes, `status unknown for quota: ${name}, resources: ${unknown.join(",")}`);
  const next: ResourceList = { ...status.used };
  const exceeded = names.filter((each) => {
    const sum = addQuantities(parseQuantity(status.used![each]!), parseQuantity(usage[each]!));
    next[each] = formatQuantity(sum);
    return compareQuantities(sum, hard[each]!) > 0;
  });
  if (exceeded.length > 0) {
    const show = (list: ResourceList): string => exceeded.map((each) => `${each}=${formatQuantity(parseQuantity(list[each]!))}`).join(",");
    throw refuse(attributes, `exceeded quota: ${name}, requested: ${show(usage)}, used: ${show(status.used!)}, limited: ${show(hard)}`);
  }
  if (dryRun) return;
  try {
    await updateObject(context, {
      resource: context.core.resources.find("", "v1", "resourcequotas")!, namespace: attributes.namespace, name, subresource: "status", unconditional: true,
      options: { dryRun: false, manager: "kube-apiserver" },
      transform: (existing) => ({ ...existing!, status: { ...(existing!["status"] as object), used: next } }),
    });
  } catch (error) {
    // A quota deleted in the meantime limits nothing.
    if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
  }
}

/** Whether a quota on compute amounts asks every pod to state them. */
function isComputeOf(name: string, { resource }: AdmissionAttributes): boolean {
  return resource.bucket === "/pods" && /^(requests\.|limits\.)?(cpu|memory)$/.test(name);
}

function describeMissing(missing: readonly string[], { object }: AdmissionAttributes): string {
  const spec = object!["spec"] as PodSpec;
  const lacks = (name: string): string[] => {
    const which = name.startsWith("limits.") ? "limits" : "requests";
    const bare = name.replace(/^(requests|limits)\./, "");
    return spec.containers.filter(({ resources }) => resources?.[which]?.[bare] === undefined).map((container) => container.name);
  };
  return missing.map((name) => `${name} for: ${lacks(name).join(",")}`).join("; ");
}

function refuse({ resource, name, object }: AdmissionAttributes, text: string): ApiFailure {
  const shown = object?.metadata?.name ?? name;
  const qualified = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return failure(403, "Forbidden", `${qualified} ${JSON.stringify(shown)} is forbidden: ${text}`, { name: shown, ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.resource });
}
