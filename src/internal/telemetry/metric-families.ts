import { type MetricFamily, seriesKey } from "./metrics.js";

type Labels = Readonly<Record<string, string>>;

/** A number per combination of labels. */
export class NumberFamily {
  readonly #about: Omit<MetricFamily, "samples">;
  readonly #series: Map<string, { readonly labels: Labels; value: number }> = new Map();

  constructor(type: "counter" | "gauge", name: string, help: string) {
    this.#about = { type, name, help };
  }

  /** Sets the value of a series. */
  set(labels: Labels, value: number): void {
    this.#at(labels).value = value;
  }

  /** Adds to a series, which begins at 0. */
  add(labels: Labels, delta: number): void {
    this.#at(labels).value += delta;
  }

  /** Returns the current values. */
  collect(): MetricFamily {
    return { ...this.#about, samples: Array.from(this.#series.values(), (series) => ({ ...series })) };
  }

  #at(labels: Labels): { value: number } {
    const key = seriesKey(labels);
    let series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, (series = { labels, value: 0 }));
    return series;
  }
}

interface Histogram {
  readonly labels: Labels;
  readonly counts: number[];
  count: number;
  sum: number;
}

/** A histogram per combination of labels. */
export class HistogramFamily {
  readonly #about: Omit<MetricFamily, "samples">;
  readonly #bounds: readonly number[];
  readonly #series: Map<string, Histogram> = new Map();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#about = { type: "histogram", name, help };
    this.#bounds = bounds;
  }

  /** Counts `times` observations of a value. */
  observe(labels: Labels, value: number, times = 1): void {
    const key = seriesKey(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, counts: this.#bounds.map(() => 0), count: 0, sum: 0 };
      this.#series.set(key, series);
    }
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) series.counts[bucket]! += times;
    series.count += times;
    series.sum += value * times;
  }

  /** Returns the current values. */
  collect(): MetricFamily {
    const samples = Array.from(this.#series.values(), ({ labels, counts, count, sum }) => {
      let below = 0;
      const buckets = this.#bounds.map((le, at) => ({ le, count: (below += counts[at]!) }));
      return { labels, value: { buckets, count, sum } };
    });
    return { ...this.#about, samples };
  }
}
