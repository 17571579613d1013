/** A family of metrics in Prometheus' text format. */
export interface MetricFamily {
  /** Returns its lines; none as long as it has no series. */
  lines(): string[];
}

type Labels = Readonly<Record<string, string>>;

/** Returns the key of a series within its family, whose label sets all have the same names in the same order. */
function keyOf(labels: Labels): string {
  let key = "";
  for (const name in labels) key += `${labels[name]!}\0`;
  return key;
}

/** Formats labels in order of their names. */
function labelText(labels: Labels, more?: string): string {
  const parts = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  if (more !== undefined) parts.push(more);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function header(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** A number per combination of labels. */
export class NumberFamily implements MetricFamily {
  readonly #header: readonly string[];
  readonly #name: string;
  readonly #series: Map<string, { readonly labels: Labels; value: number }> = new Map();

  constructor(type: "counter" | "gauge", name: string, help: string) {
    this.#name = name;
    this.#header = header(name, help, type);
  }

  /** Sets the value of a series. */
  set(labels: Labels, value: number): void {
    this.#at(labels).value = value;
  }

  /** Adds to a series, which begins at 0. */
  add(labels: Labels, delta: number): void {
    this.#at(labels).value += delta;
  }

  lines(): string[] {
    if (this.#series.size === 0) return [];
    const series = [...this.#series.values()].map(
      ({ labels, value }) => `${this.#name}${labelText(labels)} ${String(value)}`,
    );
    return [...this.#header, ...series.sort()];
  }

  #at(labels: Labels): { value: number } {
    const key = keyOf(labels);
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
export class HistogramFamily implements MetricFamily {
  readonly #header: readonly string[];
  readonly #name: string;
  readonly #buckets: readonly number[];
  readonly #series: Map<string, Histogram> = new Map();

  constructor(name: string, help: string, buckets: readonly number[]) {
    this.#name = name;
    this.#buckets = buckets;
    this.#header = header(name, help, "histogram");
  }

  /** Counts `times` observations of a value. */
  observe(labels: Labels, value: number, times = 1): void {
    const key = keyOf(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, counts: this.#buckets.map(() => 0), count: 0, sum: 0 };
      this.#series.set(key, series);
    }
    const bucket = this.#buckets.findIndex((bound) => value <= bound);
    if (bucket >= 0) series.counts[bucket]! += times;
    series.count += times;
    series.sum += value * times;
  }

  lines(): string[] {
    if (this.#series.size === 0) return [];
    const all = [...this.#series.values()]
      .map((series) => ({ series, text: labelText(series.labels) }))
      .sort((a, b) => (a.text < b.text ? -1 : 1));
    return [...this.#header, ...all.flatMap(({ text, series }) => this.#seriesLines(text, series))];
  }

  #seriesLines(labels: string, { labels: parts, counts, count, sum }: Histogram): string[] {
    let below = 0;
    const buckets = this.#buckets.map((bound, at) => {
      below += counts[at]!;
      return `${this.#name}_bucket${labelText(parts, `le="${String(bound)}"`)} ${String(below)}`;
    });
    return [
      ...buckets,
      `${this.#name}_bucket${labelText(parts, 'le="+Inf"')} ${String(count)}`,
      `${this.#name}_sum${labels} ${String(sum)}`,
      `${this.#name}_count${labels} ${String(count)}`,
    ];
  }
}

interface Ratio {
  readonly labels: Labels;
  at: number;
  value: number;
  limit: number;
}

/** A ratio that is observed at the end of every nanosecond: a histogram of time per combination of labels. */
export class RatioFamily implements MetricFamily {
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

  lines(): string[] {
    for (const { labels } of this.#series.values()) this.#current(labels);
    return this.#histogram.lines();
  }

  /** Observes what has been the case until now. */
  #current(labels: Labels): Ratio {
    const key = keyOf(labels);
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
