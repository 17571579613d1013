import { formatFamily, type MetricFamily, type MetricFormat, seriesKey } from "../../internal/telemetry/metrics.js";

/** Options for `formatMetrics`. */
export interface FormatMetricsOptions {
  /**
   * `prometheus` (default) for the media type `text/plain` version 0.0.4, or `openmetrics` for
   * `application/openmetrics-text` version 1.0.0.
   */
  readonly format?: MetricFormat | undefined;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Formats metrics as text that Prometheus scrapes. Families with the same name are merged. Throws a `TypeError` for an
 * invalid name of a metric or label, for families of the same name and different types, and for two series with the
 * same labels.
 *
 * @example
 * ```ts
 * import { formatMetrics } from "kubestream/controller";
 *
 * const samples = [{ labels: { queue: "mail" }, value: 3 }];
 * console.log(formatMetrics([{ name: "jobs_waiting", help: "Jobs that wait", type: "gauge", samples }]));
 * // # HELP jobs_waiting Jobs that wait
 * // # TYPE jobs_waiting gauge
 * // jobs_waiting{queue="mail"} 3
 * ```
 */
export function formatMetrics(families: readonly MetricFamily[], options: FormatMetricsOptions = {}): string {
  const { format = "prometheus" } = options;
  const merged = new Map<string, MetricFamily>();
  for (const family of families) {
    const { name, type, samples } = family;
    const before = merged.get(name);
    if (!metricName.test(name)) throw new TypeError(`metric ${JSON.stringify(name)}: the name is invalid`);
    if (before !== undefined && before.type !== type)
      throw new TypeError(`metric ${name}: it is declared as a ${before.type} and as a ${type}`);
    merged.set(name, before === undefined ? family : { ...before, samples: [...before.samples, ...samples] });
  }
  const lines: string[] = [];
  for (const family of merged.values()) {
    checkSamples(family);
    for (const line of formatFamily(family, format)) lines.push(line);
  }
  if (format === "openmetrics") lines.push("# EOF");
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function checkSamples({ name, type, samples }: MetricFamily): void {
  const seen = new Set<string>();
  for (const { labels, value } of samples) {
    for (const label of Object.keys(labels))
      if (!labelName.test(label) || (type === "histogram" && label === "le"))
        throw new TypeError(`metric ${name}: the label ${JSON.stringify(label)} is invalid`);
    if ((type === "histogram") !== (typeof value === "object"))
      throw new TypeError(`metric ${name}: the value of a ${type} can't be a ${typeof value}`);
    const sorted = Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    const key = `${Object.keys(sorted).join()}\0${seriesKey(sorted)}`;
    if (seen.has(key)) throw new TypeError(`metric ${name}: two series have the labels ${JSON.stringify(labels)}`);
    seen.add(key);
  }
}
