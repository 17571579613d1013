import { ConfigError } from "../errors/errors.js";
import type { Clock } from "../internal/clock.js";
import type { FlowControl } from "./flowcontrol/flow-control.js";
import { createFlowControl } from "./flowcontrol/flow-control.js";
import { createMaxInFlight } from "./flowcontrol/max-in-flight.js";
import type { RequestInfo } from "./http/request-info.js";
import type { ApiObject } from "./objects/api-object.js";
import type { ApiServerOptions } from "./options.js";
import { mastersGroup } from "./rbac/attributes.js";
import type { ResourceTable } from "./registry/resource-table.js";
import { listStored, versionOf } from "./registry/stored-objects.js";
import type { Bucket } from "./storage/bucket.js";
import type { MvccStore } from "./storage/mvcc.js";

/** Reads the stored objects of one API group for authorization and flow control. */
export function storedSource(
  store: MvccStore,
  group: string,
): { version(resource: string): number; list(resource: string): ApiObject[] } {
  return {
    version: (resource) => versionOf({ store }, `${group}/${resource}`),
    list: (resource) => listStored({ store }, `${group}/${resource}`),
  };
}

/** Creates what limits the number of requests that execute at once. Throws a `ConfigError` for invalid limits. */
export function createServerFlowControl(
  options: ApiServerOptions,
  { clock, store, resources }: { readonly clock: Clock; readonly store: MvccStore; readonly resources: ResourceTable },
): FlowControl {
  const { enablePriorityAndFairness = true, flowControl = {} } = options;
  const reads = inFlightLimit(options, "maxRequestsInflight", 400);
  const writes = inFlightLimit(options, "maxMutatingRequestsInflight", 200);
  const time = flowControl.clock ?? clock;
  if (!enablePriorityAndFairness)
    return createMaxInFlight({ clock: time, reads, writes, privilegedGroup: mastersGroup });
  if (reads + writes === 0)
    throw new ConfigError(
      "maxRequestsInflight and maxMutatingRequestsInflight can't both be 0 unless enablePriorityAndFairness is false",
    );
  const bucketOf = ({ group, version, resource }: RequestInfo): Bucket | undefined => {
    const served = resources.find(group, version, resource);
    return served === undefined ? undefined : store.bucket(served.bucket);
  };
  return createFlowControl({
    clock: time,
    source: storedSource(store, "flowcontrol.apiserver.k8s.io"),
    seats: reads + writes,
    stock: {
      objects(info) {
        const served = resources.find(info.group, info.version, info.resource);
        if (served === undefined) return undefined;
        const { live, liveChars } = store.bucket(served.bucket);
        // A kube-apiserver stores built-in kinds as Protobuf, which takes about half of the space.
        const scale = resources.isBuiltin(info.group) ? 0.5 : 1;
        return { count: live, averageBytes: live === 0 ? 0 : Math.ceil((scale * liveChars) / live) };
      },
      watches: (info) => bucketOf(info)?.watchers.interested(info.namespace, info.name) ?? 0,
    },
  });
}

/** Returns a limit for requests in flight. Throws a `ConfigError` if it isn't a whole number of at least 0. */
function inFlightLimit(
  options: ApiServerOptions,
  name: "maxRequestsInflight" | "maxMutatingRequestsInflight",
  fallback: number,
): number {
  const limit = options[name] ?? fallback;
  if (!Number.isInteger(limit) || limit < 0) throw new ConfigError(`${name} must be an integer of at least 0`);
  return limit;
}
