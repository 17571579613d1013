import type { RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";

/** `/metrics`: what the store holds and who watches, in Prometheus' text format. */
export function metricsDocument(context: RequestContext): ServerResponse {
  const { store, resources } = context.core;
  const lines = [
    "# TYPE apiserver_storage_objects gauge",
  ];
  const watchers: string[] = ["# TYPE apiserver_longrunning_requests gauge"];
  for (const resource of resources.storages()) {
    const bucket = store.bucket(resource.bucket);
    lines.push(`apiserver_storage_objects{resource="${resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`}"} ${bucket.live}`);
    if (bucket.watchers.size > 0) watchers.push(`apiserver_longrunning_requests{group="${resource.group}",resource="${resource.resource}",verb="WATCH",version="${resource.version}"} ${bucket.watchers.size}`);
  }
  lines.push(...watchers, "# TYPE apiserver_storage_revision counter", `apiserver_storage_revision ${store.revision}`, "# TYPE apiserver_storage_compacted_revision gauge", `apiserver_storage_compacted_revision ${store.compactedRevision}`);
  return textResponse(200, `${lines.join("\n")}\n`);
}
