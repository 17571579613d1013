import { describe, expect, it } from "vitest";
import {
  createDurationCounter,
  queueBuckets,
  reconcileBuckets,
} from "../../../../src/controller/queue/duration-stats.js";

describe("duration histograms", () => {
  it("use the bounds of client-go's work queue, with their rounding errors", () =>
    expect(queueBuckets).toEqual([
      1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10, 100, 1000,
    ]));

  it("use controller-runtime's bounds from 5 ms to 60 s for reconciles", () => {
    expect(reconcileBuckets).toHaveLength(40);
    expect([reconcileBuckets[0], reconcileBuckets.at(-1)]).toEqual([0.005, 60]);
    expect([...reconcileBuckets].sort((a, b) => a - b)).toEqual(reconcileBuckets);
  });

  it.each([
    [[], [0, 0], 0, 0, 0],
    [[10], [1, 1], 1, 10, 10],
    [[10.1], [0, 1], 1, 10.1, 10.1],
    [[0, 100, 101], [1, 2], 3, 201, 101],
  ])(
    "count durations of %j ms cumulatively, including the bound itself",
    (durations, counts, count, totalMs, maxMs) => {
      const counter = createDurationCounter([0.01, 0.1]);
      for (const ms of durations) counter.add(ms);
      expect(counter.read()).toEqual({
        count,
        totalMs,
        maxMs,
        buckets: [
          { le: 0.01, count: counts[0] },
          { le: 0.1, count: counts[1] },
        ],
      });
    },
  );
});
