import { bootstrapObjects } from "../../gen/bootstrap.js";
import type { Core } from "../core.js";
import { formatTime, metaOf, storedJson } from "./metadata.js";
import { keyOf } from "./read.js";
import type { ServedResource } from "./resources.js";
import type { ApiObject } from "./strategy.js";

/** Range that Services get their addresses from. */
const SERVICE_RANGE = "10.0.0.0/16";

const TOKEN_TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

/** Stores what every cluster has from its start on and this one lacks: namespaces, default roles, flow control, priority classes, the API's own Service and the range of its address. */
export function storeBootstrapObjects(core: Core): void {
  const byKind = new Map<string, ServedResource>();
  for (const resource of core.resources.all()) byKind.set(`${resource.group === "" ? "" : `${resource.group}/`}${resource.version} ${resource.kind}`, resource);
  for (const object of [...(bootstrapObjects() as ApiObject[]), serviceRange(formatTime(core.clock.now()))]) {
    const resource = byKind.get(`${object.apiVersion!} ${object.kind!}`)!;
    const meta = metaOf(object);
    const bucket = core.store.bucket(resource.bucket);
    const key = keyOf(resource, meta.namespace ?? "", meta.name!);
    if (bucket.get(key) !== undefined) continue;
    meta.uid = core.uuid();
    meta.creationTimestamp = formatTime(core.clock.now());
    // Since when the server tracks the use of old tokens: from its first day on.
    if (meta.name === TOKEN_TRACKING) object["data"] = { since: meta.creationTimestamp.slice(0, 10) };
    core.store.commit(bucket, key, (revision) => storedJson(object, revision));
  }
}

function serviceRange(now: string): ApiObject {
  const ready = { lastTransitionTime: now, message: "Kubernetes default Service CIDR is ready", reason: "", status: "True", type: "Ready" };
  return { apiVersion: "networking.k8s.io/v1", kind: "ServiceCIDR", metadata: { name: "kubernetes" }, spec: { cidrs: [SERVICE_RANGE] }, status: { conditions: [ready] } };
}
