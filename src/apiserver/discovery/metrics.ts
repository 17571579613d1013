import { utf8Encode } from "../../internal/bytes.js";
import { pushAll } from "../../internal/push-all.js";
import type { ServerResponse } from "../http/http.js";
import type { DiscoveryContext } from "./services.js";

/** Serves `/metrics` in Prometheus' text format: stored objects, watchers, and flow control. */
export function metricsDocument(context: DiscoveryContext): ServerResponse {
  const { store, resources } = context.services;
  const lines = ["# TYPE apiserver_storage_objects gauge"];
  const watchers: string[] = ["# TYPE apiserver_longrunning_requests gauge"];
  for (const resource of resources.storages()) {
    const bucket = store.bucket(resource.bucket);
    lines.push(
      `apiserver_storage_objects{resource="${resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`}"} ${bucket.live}`,
    );
    if (bucket.watchers.size > 0)
      watchers.push(
        `apiserver_longrunning_requests{group="${resource.group}",resource="${resource.resource}",verb="WATCH",version="${resource.version}"} ${bucket.watchers.size}`,
      );
  }
  pushAll(lines, watchers, context.services.flowControl.metrics(), [
    "# TYPE apiserver_storage_revision counter",
    `apiserver_storage_revision ${store.revision}`,
    "# TYPE apiserver_storage_compacted_revision gauge",
    `apiserver_storage_compacted_revision ${store.compactedRevision}`,
  ]);
  return metricsResponse(lines);
}

/** Returns a response with the lines of metrics in Prometheus' text format. */
export function metricsResponse(lines: readonly string[]): ServerResponse {
  return {
    status: 200,
    headers: [["Content-Type", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"]],
    body: utf8Encode(`${lines.join("\n")}\n`),
  };
}
