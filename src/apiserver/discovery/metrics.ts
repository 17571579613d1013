import type { Core, RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";

/** `/metrics`: what the store holds, who watches and how many seats the priority levels have, in Prometheus' text format. */
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
  lines.push(...watchers, ...flowControlLines(context.core), "# TYPE apiserver_storage_revision counter", `apiserver_storage_revision ${store.revision}`, "# TYPE apiserver_storage_compacted_revision gauge", `apiserver_storage_compacted_revision ${store.compactedRevision}`);
  return textResponse(200, `${lines.join("\n")}\n`);
}

function flowControlLines({ flowControl }: Core): string[] {
  const levels = flowControl.levels();
  const gauge = (name: string, value: (level: (typeof levels)[number]) => number): string[] => [
    `# TYPE apiserver_flowcontrol_${name} gauge`, ...levels.map((level) => `apiserver_flowcontrol_${name}{priority_level=${JSON.stringify(level.name)}} ${value(level)}`),
  ];
  return [...gauge("nominal_limit_seats", (level) => level.seats()), ...gauge("current_limit_seats", (level) => level.seats())];
}
