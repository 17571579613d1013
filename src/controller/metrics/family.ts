import type { MetricFamily, MetricHistogram, MetricSample } from "../../internal/telemetry/metrics.js";
import type { DurationStats } from "../queue/duration-stats.js";

/** Labels and state of one thing that is measured, such as a controller. */
export interface Measured<M> {
  readonly labels: Readonly<Record<string, string>>;
  readonly metrics: M;
}

/** Creates a family with one series for each thing that is measured. */
export function family<M>(
  type: MetricFamily["type"],
  [name, help]: readonly [name: string, help: string],
  all: readonly Measured<M>[],
  read: (metrics: M) => MetricSample["value"],
): MetricFamily {
  return { type, name, help, samples: all.map(({ labels, metrics }) => ({ labels, value: read(metrics) })) };
}

/** Returns what is measured once for each entry of `read`, whose key becomes the value of a further label. */
export function splitBy<M>(
  all: readonly Measured<M>[],
  label: string,
  read: (metrics: M) => Readonly<Record<string, number>>,
): Measured<number>[] {
  return all.flatMap(({ labels, metrics }) =>
    Object.entries(read(metrics)).map(([key, value]) => ({ labels: { ...labels, [label]: key }, metrics: value })),
  );
}

/** Returns durations as a histogram in seconds. */
export function toSeconds({ buckets, count, totalMs }: DurationStats): MetricHistogram {
  return { buckets, count, sum: totalMs / 1_000 };
}
