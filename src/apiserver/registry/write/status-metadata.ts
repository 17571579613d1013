import type { ApiObject } from "../../objects/api-object.js";
import { copyJson, metaOf } from "../../objects/metadata.js";
import type { ServedResource } from "../resources.js";

/** Restores everything but the status of an object that is written through its status subresource, in place. */
export function restoreAllButStatus(resource: ServedResource, object: ApiObject, old: ApiObject, nowMs: number): void {
  for (const key of Object.keys(object))
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion" && !Object.hasOwn(old, key))
      delete object[key];
  for (const key of Object.keys(old))
    if (key !== "status" && key !== "metadata")
      // Readers share the frozen members. Those of custom resources get defaults later.
      object[key] = resource.protobuf && Object.isFrozen(old[key]) ? old[key] : copyJson(old[key]);
  const meta = metaOf(object);
  const before = metaOf(old);
  const { strategy } = resource;
  for (const member of strategy.metadata?.keptByStatus ?? []) {
    if (before[member] === undefined) delete meta[member];
    else Object.assign(meta, { [member]: copyJson(before[member]) });
  }
  strategy.prepareStatus?.(object, old, nowMs);
}
