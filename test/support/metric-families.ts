/** A family of metrics in Prometheus' text format. */
export interface TextFamily {
  readonly type: string;
  /** Names of labels, except those that a histogram adds. */
  readonly labels: ReadonlySet<string>;
  /** Upper bounds of a histogram's buckets. */
  readonly bounds: ReadonlySet<string>;
  /** Series of a counter or gauge: its labels as text, and its value. */
  readonly series: ReadonlyMap<string, number>;
}

/** Parses the families whose names `wanted` accepts. */
export function parseFamilies(text: string, wanted: (name: string) => boolean): Map<string, TextFamily> {
  const families = new Map<
    string,
    { type: string; labels: Set<string>; bounds: Set<string>; series: Map<string, number> }
  >();
  for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm))
    if (wanted(name)) families.set(name, { type, labels: new Set(), bounds: new Set(), series: new Map() });
  for (const [, sample = "", labels = "", value = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    const family = families.get(sample) ?? families.get(sample.replace(/_(bucket|sum|count)$/, ""));
    if (family === undefined) continue;
    const kept: string[] = [];
    for (const [pair, label = "", given = ""] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      if (label === "le") family.bounds.add(given);
      else {
        family.labels.add(label);
        kept.push(pair);
      }
    family.series.set(kept.sort().join(","), Number(value));
  }
  return families;
}
