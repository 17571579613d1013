import type { Informer } from "../../cache/informer/informer.js";
import type { InformerMetrics } from "../../cache/informer/informer-metrics.js";
import type { MetricFamily } from "../../internal/telemetry/metrics.js";
import { family, type Measured, splitBy } from "./family.js";

/** Informer as far as its metrics are concerned. */
export type MeasuredInformer = Pick<Informer<unknown>, "description" | "hasSynced" | "metrics">;

type InformerState = InformerMetrics & { readonly hasSynced: boolean };

/** Returns the metrics of informers. Neither client-go nor controller-runtime has names for them. */
export function informerFamilies(informers: readonly MeasuredInformer[]): MetricFamily[] {
  const all = withCollections(informers);
  const counter = (name: string, help: string, read: (metrics: InformerState) => number): MetricFamily =>
    family("counter", [`kubestream_informer_${name}_total`, `${help}, by collection`], all, read);
  const gauge = (name: string, help: string, read: (metrics: InformerState) => number): MetricFamily =>
    family("gauge", [`kubestream_informer_${name}`, `${help}, by collection`], all, read);
  return [
    gauge("objects", "Objects in the cache", ({ size }) => size),
    gauge("synced", "1 if the cache has been filled", ({ hasSynced }) => Number(hasSynced)),
    gauge("bulk_encoding", "1 if the bulk codec is in use", ({ encoding }) => Number(encoding.state === "bulk")),
    gauge("lag", "Changes that the slowest handler hasn't received yet", ({ lag }) => lag),
    gauge("last_list_seconds", "Duration of the last complete list", ({ lastListMs }) => lastListMs / 1_000),
    gauge(
      "last_contact_timestamp_seconds",
      "Time of the last data from the server since the epoch, 0 before the first",
      ({ lastContactAt = 0 }) => lastContactAt / 1_000,
    ),
    counter("lists", "Lists started", ({ lists }) => lists),
    counter("watches", "Watches opened, streaming lists included", ({ watches, streams }) => watches + streams),
    counter("short_watches", "Watches that ended within a second", ({ shortWatches }) => shortWatches),
    counter("stalls", "Connections closed because no data arrived in time", ({ stalls }) => stalls),
    counter("dropped_objects", "Objects that the transform rejected", ({ objectsDropped }) => objectsDropped),
    counter("handler_errors", "Errors of handlers and index functions", ({ handlerErrors }) => handlerErrors),
    family(
      "counter",
      ["kubestream_informer_events_total", "Watch events, by collection and type"],
      splitBy(all, "type", ({ events }) => events),
      (count) => count,
    ),
    family(
      "counter",
      ["kubestream_informer_failures_total", "Failed requests, by collection and kind of failure"],
      splitBy(all, "kind", ({ failures }) => failures),
      (count) => count,
    ),
  ];
}

/** Labels informers with their collections. Further informers of a collection, such as with other selectors, are numbered. */
function withCollections(informers: readonly MeasuredInformer[]): Measured<InformerState>[] {
  const seen = new Map<string, number>();
  return informers.map((informer) => {
    const { description, hasSynced, metrics } = informer;
    const count = (seen.get(description) ?? 0) + 1;
    seen.set(description, count);
    const collection = count === 1 ? description : `${description} #${count}`;
    return { labels: { collection }, metrics: { ...metrics, hasSynced } };
  });
}
