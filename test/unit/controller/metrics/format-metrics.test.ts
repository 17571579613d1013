import { describe, expect, it } from "vitest";
import { formatMetrics } from "../../../../src/controller/metrics/format-metrics.js";
import type { MetricFamily } from "../../../../src/internal/telemetry/metrics.js";

const gauge = (samples: MetricFamily["samples"], rest: Partial<MetricFamily> = {}): MetricFamily => ({
  name: "g",
  help: "help",
  type: "gauge",
  samples,
  ...rest,
});

describe("formatMetrics", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [1, "1"],
    [0.1, "0.1"],
    [-2.5, "-2.5"],
    [0.0001, "0.0001"],
    [9.999999999999999e-5, "9.999999999999999e-05"],
    [1e-8, "1e-08"],
    [999_999, "999999"],
    [1_048_576, "1.048576e+06"],
    [16_777_216, "1.6777216e+07"],
    [-1e100, "-1e+100"],
    [1e21, "1e+21"],
    [5e-324, "5e-324"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ])("writes the number %d like Go: %s", (value, text) => {
    expect(formatMetrics([gauge([{ labels: {}, value }])])).toBe(`# HELP g help\n# TYPE g gauge\ng ${text}\n`);
  });

  it("escapes label values and help, and sorts labels and series", () => {
    const samples = [
      { labels: { b: "2", a: "1" }, value: 2 },
      { labels: { a: "1", b: '\\ " \n\t' }, value: 1 },
    ];
    expect(formatMetrics([gauge(samples, { help: 'back\\slash, "quote"\nnewline' })])).toBe(
      '# HELP g back\\\\slash, "quote"\\nnewline\n# TYPE g gauge\ng{a="1",b="2"} 2\ng{a="1",b="\\\\ \\" \\n\t"} 1\n',
    );
  });

  it("leaves out families without series and returns nothing for no metrics", () => {
    expect(formatMetrics([gauge([])])).toBe("");
    expect(formatMetrics([])).toBe("");
  });

  const families: readonly MetricFamily[] = [
    gauge([{ labels: {}, value: 3 }], { name: "c_total", type: "counter", help: 'a "counter"' }),
    gauge(
      [
        {
          labels: { z: "1" },
          value: {
            buckets: [
              { le: 0.5, count: 1 },
              { le: 1, count: 2 },
              { le: 1e6, count: 2 },
            ],
            count: 3,
            sum: 1e7,
          },
        },
      ],
      { name: "h", type: "histogram" },
    ),
  ];

  it("writes counters and histograms in Prometheus' format", () => {
    expect(formatMetrics(families).split("\n")).toEqual([
      '# HELP c_total a "counter"',
      "# TYPE c_total counter",
      "c_total 3",
      "# HELP h help",
      "# TYPE h histogram",
      'h_bucket{z="1",le="0.5"} 1',
      'h_bucket{z="1",le="1"} 2',
      'h_bucket{z="1",le="1e+06"} 2',
      'h_bucket{z="1",le="+Inf"} 3',
      'h_sum{z="1"} 1e+07',
      'h_count{z="1"} 3',
      "",
    ]);
  });

  it("writes OpenMetrics: counters without suffix in the metadata, bounds with a point, and the end", () => {
    expect(formatMetrics(families, { format: "openmetrics" }).split("\n")).toEqual([
      '# HELP c a \\"counter\\"',
      "# TYPE c counter",
      "c_total 3",
      "# HELP h help",
      "# TYPE h histogram",
      'h_bucket{z="1",le="0.5"} 1',
      'h_bucket{z="1",le="1.0"} 2',
      'h_bucket{z="1",le="1e+06"} 2',
      'h_bucket{z="1",le="+Inf"} 3',
      'h_sum{z="1"} 1e+07',
      'h_count{z="1"} 3',
      "# EOF",
      "",
    ]);
  });

  it("merges families of the same name", () => {
    const text = formatMetrics([gauge([{ labels: { a: "1" }, value: 1 }]), gauge([{ labels: { a: "2" }, value: 2 }])]);
    expect(text).toBe('# HELP g help\n# TYPE g gauge\ng{a="1"} 1\ng{a="2"} 2\n');
  });

  it.each<[string, MetricFamily[], string]>([
    ["an invalid name", [gauge([], { name: "a b" })], 'metric "a b": the name is invalid'],
    ["an invalid label", [gauge([{ labels: { "a-b": "" }, value: 0 }])], 'metric g: the label "a-b" is invalid'],
    [
      "the label le of a histogram",
      [gauge([{ labels: { le: "" }, value: { buckets: [], count: 0, sum: 0 } }], { type: "histogram" })],
      'metric g: the label "le" is invalid',
    ],
    ["two types", [gauge([]), gauge([], { type: "counter" })], "metric g: it is declared as a gauge and as a counter"],
    [
      "equal labels in another order",
      [
        gauge([
          { labels: { a: "1", b: "2" }, value: 0 },
          { labels: { b: "2", a: "1" }, value: 0 },
        ]),
      ],
      'metric g: two series have the labels {"b":"2","a":"1"}',
    ],
    [
      "a number in a histogram",
      [gauge([{ labels: {}, value: 0 }], { type: "histogram" })],
      "metric g: the value of a histogram can't be a number",
    ],
  ])("rejects %s", (_, invalid, message) => {
    expect(() => formatMetrics(invalid)).toThrow(new TypeError(message));
  });

  it("declares a counter without _total as unknown in OpenMetrics", () => {
    const counter = gauge([{ labels: {}, value: 1 }], { type: "counter" });
    expect(formatMetrics([counter], { format: "openmetrics" })).toBe("# HELP g help\n# TYPE g unknown\ng 1\n# EOF\n");
  });
});
