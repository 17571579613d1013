import { HistogramFamily } from "../../internal/telemetry/metric-families.js";
import { type MetricFamily, seriesKey } from "../../internal/telemetry/metrics.js";

type Labels = Readonly<Record<string, string>>;

interface Ratio {
  readonly labels: Labels;
  at: number;
  value: number;
  limit: number;
}

/** A ratio that is observed at the end of every nanosecond: a histogram of time per combination of labels. */
export class RatioFamily {
  readonly #histogram: HistogramFamily;
  readonly #monotonic: () => number;
  readonly #series: Map<string, Ratio> = new Map();

  constructor(monotonic: () => number, name: string, help: string, buckets: readonly number[]) {
    this.#monotonic = monotonic;
    this.#histogram = new HistogramFamily(name, help, buckets);
  }

  /** Changes the numerator, the denominator, or both. */
  set(labels: Labels, change: { readonly value?: number; readonly limit?: number }): void {
    const series = this.#current(labels);
    series.value = change.value ?? series.value;
    series.limit = change.limit ?? series.limit;
  }

  /** Adds to the numerator. */
  add(labels: Labels, delta: number): void {
    this.#current(labels).value += delta;
  }

  /** Returns the current values. */
  collect(): MetricFamily {
    for (const { labels } of this.#series.values()) this.#current(labels);
    return this.#histogram.collect();
  }

  /** Observes what has been the case until now. */
  #current(labels: Labels): Ratio {
    const key = seriesKey(labels);
    let series = this.#series.get(key);
    const at = this.#monotonic();
    if (series === undefined) {
      series = { labels, at, value: 0, limit: 1 };
      this.#series.set(key, series);
    }
    const passed = Math.round((at - series.at) * 1e6);
    if (passed > 0) this.#histogram.observe(labels, series.value / series.limit, passed);
    series.at = at;
    return series;
  }
}
