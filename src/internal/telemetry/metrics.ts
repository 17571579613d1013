/** Distribution of observed values. */
export interface MetricHistogram {
  /** Cumulative buckets with their inclusive upper bounds, in ascending order and without the last, unbounded one. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  /** Number of observations. */
  readonly count: number;
  /** Sum of the observed values. */
  readonly sum: number;
}

/** One time series of a metric at the time of a scrape. */
export interface MetricSample {
  /** Labels. Two samples of a family must differ in them. */
  readonly labels: Readonly<Record<string, string>>;
  /** Value: a number, or a distribution if the family is a histogram. */
  readonly value: number | MetricHistogram;
}

/** A metric with all its time series, in the base units of Prometheus: seconds and bytes. */
export interface MetricFamily {
  /**
   * Name, such as `workqueue_adds_total`. The name of a counter should end with `_total`; OpenMetrics otherwise declares
   * its type as unknown.
   */
  readonly name: string;
  /** Description in one line. */
  readonly help: string;
  /** Type of the metric. */
  readonly type: "counter" | "gauge" | "histogram";
  /** Time series. A family without series is left out. */
  readonly samples: readonly MetricSample[];
}

/** Reports metrics when they are scraped. */
export interface MetricSource {
  /** Returns the current values. */
  collect(): readonly MetricFamily[];
}

/** Text format of metrics: that of Prometheus (version 0.0.4), or OpenMetrics 1.0. */
export type MetricFormat = "prometheus" | "openmetrics";

/** Media types of the formats. */
export const metricMediaTypes: Readonly<Record<MetricFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Returns the key of a series within its family, whose label sets all have the same names in the same order. */
export function seriesKey(labels: Readonly<Record<string, string>>): string {
  let key = "";
  for (const name in labels) key += `${labels[name]!}\0`;
  return key;
}

/** Returns the lines of a family. */
export function formatFamily(family: MetricFamily, format: MetricFormat = "prometheus"): string[] {
  const { name, help, type, samples } = family;
  if (samples.length === 0) return [];
  const number = format === "openmetrics" ? openMetricsNumber : formatNumber;
  // OpenMetrics names the family of a counter without its suffix.
  const isCounter = format === "openmetrics" && type === "counter";
  const declared = isCounter ? name.replace(/_total$/, "") : name;
  const declaredType = isCounter && declared === name ? "unknown" : type;
  const series = samples
    .map(({ labels, value }) => ({ text: formatLabels(labels), value }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return [
    `# HELP ${declared} ${escapeHelp(help, format)}`,
    `# TYPE ${declared} ${declaredType}`,
    ...series.flatMap(({ text, value }) =>
      typeof value === "number"
        ? [`${name}${braced(text)} ${formatNumber(value)}`]
        : histogramLines(name, text, value, number),
    ),
  ];
}

function histogramLines(
  name: string,
  labels: string,
  { buckets, count, sum }: MetricHistogram,
  bound: (value: number) => string,
): string[] {
  const bucket = (le: string, below: number): string =>
    `${name}_bucket${braced([labels, `le="${le}"`].filter((part) => part !== "").join())} ${formatNumber(below)}`;
  return [
    ...buckets.map((each) => bucket(bound(each.le), each.count)),
    bucket("+Inf", count),
    `${name}_sum${braced(labels)} ${formatNumber(sum)}`,
    `${name}_count${braced(labels)} ${formatNumber(count)}`,
  ];
}

/** Formats labels in order of their names. */
function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join();
}

function braced(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function escapeHelp(help: string, format: MetricFormat): string {
  const escaped = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return format === "openmetrics" ? escaped.replaceAll('"', '\\"') : escaped;
}

/**
 * Formats a number like Go's shortest `%g`, which Prometheus' own libraries use: queries match the text of a bucket's
 * bound, such as `1e-08` or `1.048576e+06`.
 */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  return `${mantissa}e${exponent[0]!}${exponent.slice(1).padStart(2, "0")}`;
}

/** Formats a number as OpenMetrics requires for bounds of buckets: with a point or an exponent. */
function openMetricsNumber(value: number): string {
  const text = formatNumber(value);
  return /^[+-]?\d+$/.test(text) ? `${text}.0` : text;
}
