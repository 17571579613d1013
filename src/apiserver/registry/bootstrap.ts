import { bootstrapObjects } from "../../gen/bootstrap.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf, storedJson } from "../objects/metadata.js";
import type { PolicyRule } from "../rbac/policy-rule.js";
import { keyOf } from "./read.js";
import type { ServedResource } from "./resources.js";
import type { RegistryServices } from "./services.js";

const TOKEN_TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

/** Returns the rules that a ClusterRole has on every new cluster. */
export function bootstrapRules(name: string): readonly PolicyRule[] {
  const role = (bootstrapObjects() as ApiObject[]).find(
    ({ kind, metadata }) => kind === "ClusterRole" && metadata?.name === name,
  );
  return (role?.["rules"] ?? []) as PolicyRule[];
}

/** False for the APIService of a version that isn't served. */
function isAnnounced({ kind, spec }: ApiObject, { resources }: RegistryServices): boolean {
  const { group = "", version = "" } = (spec ?? {}) as { group?: string; version?: string };
  return kind !== "APIService" || resources.inGroupVersion(group, version) !== undefined;
}

/**
 * Stores the objects that every cluster starts with, unless they exist: namespaces, default roles, flow control,
 * priority classes, the Service `kubernetes` with its ServiceCIDR, and the APIServices.
 */
export function storeBootstrapObjects(services: RegistryServices): void {
  const byKind = new Map<string, ServedResource>();
  for (const resource of services.resources.all())
    byKind.set(`${resource.group === "" ? "" : `${resource.group}/`}${resource.version} ${resource.kind}`, resource);
  const now = formatTime(services.clock.now());
  for (const object of bootstrapObjects() as ApiObject[]) {
    const resource = byKind.get(`${object.apiVersion!} ${object.kind!}`);
    // `runtimeConfig` may have switched off the kind, or the version that an APIService announces.
    if (resource === undefined || !isAnnounced(object, services)) continue;
    const meta = metaOf(object);
    const bucket = services.store.bucket(resource.bucket);
    const key = keyOf(resource, meta.namespace ?? "", meta.name!);
    if (bucket.get(key) !== undefined) continue;
    meta.uid = services.uuid();
    meta.creationTimestamp = now;
    for (const entry of meta.managedFields ?? []) entry.time = now;
    for (const condition of (object.status as { conditions?: { lastTransitionTime?: string }[] } | undefined)
      ?.conditions ?? [])
      condition.lastTransitionTime = now;
    // Legacy tokens are tracked from the server's first day.
    if (meta.name === TOKEN_TRACKING) object["data"] = { since: meta.creationTimestamp.slice(0, 10) };
    services.store.commit(bucket, key, (revision) => storedJson(object, revision, false));
  }
}
