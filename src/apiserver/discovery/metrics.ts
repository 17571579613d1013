import { utf8Encode } from "../../internal/bytes.js";
import type { ServerResponse } from "../http/http.js";
import type { DiscoveryContext, DiscoveryServices } from "./services.js";

/** `/metrics`: what the store holds, who watches and how many seats the priority levels have, in Prometheus' text format. */
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
  lines.push(
    ...watchers,
    ...flowControlLines(context.services),
    "# TYPE apiserver_storage_revision counter",
    `apiserver_storage_revision ${store.revision}`,
    "# TYPE apiserver_storage_compacted_revision gauge",
    `apiserver_storage_compacted_revision ${store.compactedRevision}`,
  );
  return answer(context, lines);
}

/** `/metrics/slis`: what the checks of the server's health came to, in Prometheus' text format. */
export function healthMetrics(context: DiscoveryContext): ServerResponse {
  const { healthCounts } = context.services;
  const counts = healthCounts.all();
  const family = (name: string, type: string, help: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
  const lines = [
    ...family(
      "kubernetes_healthcheck",
      "gauge",
      "Result of a check of health: 1 for success.",
      counts.map(({ name, type }) => `kubernetes_healthcheck{name="${name}",type="${type}"} 1`),
    ),
    ...family(
      "kubernetes_healthchecks_total",
      "counter",
      "Checks of health by their results.",
      counts.map(
        ({ name, type, successes }) =>
          `kubernetes_healthchecks_total{name="${name}",status="success",type="${type}"} ${String(successes)}`,
      ),
    ),
    ...family("process_start_time_seconds", "gauge", "When the server started, in seconds since the epoch.", [
      `process_start_time_seconds ${String(healthCounts.startedMs / 1000)}`,
    ]),
  ];
  return answer(context, lines);
}

/** A DELETE asks for counters to start anew. Ours tell what is, so there is nothing to forget. */
function answer({ request }: DiscoveryContext, lines: readonly string[]): ServerResponse {
  const [type, text] =
    request.method === "DELETE"
      ? ["text/plain; charset=utf-8", "metrics reset\n"]
      : ["text/plain; version=0.0.4; charset=utf-8; escaping=underscores", `${lines.join("\n")}\n`];
  return { status: 200, headers: [["Content-Type", type]], body: utf8Encode(text) };
}

function flowControlLines({ flowControl }: DiscoveryServices): string[] {
  const levels = flowControl.levels();
  const gauge = (name: string, value: (level: (typeof levels)[number]) => number): string[] => [
    `# TYPE apiserver_flowcontrol_${name} gauge`,
    ...levels.map(
      (level) => `apiserver_flowcontrol_${name}{priority_level=${JSON.stringify(level.name)}} ${value(level)}`,
    ),
  ];
  return [
    ...gauge("nominal_limit_seats", (level) => level.seats()),
    ...gauge("current_limit_seats", (level) => level.seats()),
  ];
}
