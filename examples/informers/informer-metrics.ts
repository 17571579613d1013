// Exports informer metrics. This program prints them in Prometheus' text format. For OpenTelemetry, pass this `observe`:
// `(name, read, attributes) => meter.createObservableGauge(name).addCallback((result) => result.observe(read(), attributes))`.
import type { Informer } from "kubestream/cache";
import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

type Observe = (name: string, read: () => number, attributes: Record<string, string>) => void;

function exportMetrics<T>(informer: Informer<T>, observe: Observe): void {
  const attributes = { collection: informer.description };
  for (const name of ["size", "lag", "lists", "watches", "streams", "stalls", "shortWatches"] as const)
    observe(name, () => informer.metrics[name], attributes);
  for (const type of ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"] as const)
    observe("events", () => informer.metrics.events[type], { ...attributes, type });
  observe("age_ms", () => Date.now() - (informer.metrics.lastContactAt ?? Date.now()), attributes);
  observe("synced", () => Number(informer.hasSynced), attributes);
}

const client = await connect();
const informer = createInformer(client.resource(Pod).namespace("web"));
const scrape: (() => string)[] = [];
exportMetrics(informer, (name, read, attributes) => {
  const labels = Object.entries(attributes)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join();
  scrape.push(() => `kubestream_informer_${name}{${labels}} ${String(read())}`);
});
await informer.synced();
for (const line of scrape) console.log(line());
await informer.close();
await client.close();
