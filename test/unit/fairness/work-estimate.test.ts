import { describe, expect, it } from "vitest";
import { RetryAfter } from "../../../src/fairness/retry-after.js";
import { listWork, writeWork } from "../../../src/fairness/work-estimate.js";

describe("the estimated work", () => {
  const load = { objects: 1200, averageBytes: 1000, limit: 0, single: false, selects: false, cached: true };
  it.each([
    ["of a list of 1,200 objects of 1 kB", {}, undefined, 10],
    ["of a list of small objects", { averageBytes: 250 }, undefined, 3],
    ["of a list of objects of unknown size", { averageBytes: 0 }, undefined, 10],
    ["of an empty list", { objects: 0, averageBytes: 0 }, undefined, 1],
    ["of a page", { limit: 150 }, undefined, 2],
    ["of one object", { single: true }, undefined, 1],
    ["of a list from storage", { objects: 5000, cached: false }, undefined, 50],
    ["of a huge list from storage", { objects: 50_000, cached: false }, undefined, 100],
    [
      "of a page with a selector from storage",
      { objects: 4000, limit: 100, selects: true, cached: false },
      undefined,
      20,
    ],
    ["of a list in a small level", {}, 4, 4],
  ])("%s", (_title, change, widest, seats) =>
    expect(listWork({ ...load, ...change }, widest)).toEqual({
      initialSeats: seats,
      finalSeats: 0,
      additionalLatencyMs: 0,
    }),
  );

  it.each([
    [0, undefined, 0, 0],
    [9, undefined, 0, 0],
    [10, undefined, 1, 5],
    [95, undefined, 10, 5],
    [1000, undefined, 10, 50],
    [100, 2, 2, 25],
  ])(
    "of a write that %i watches see, in a level of at most %s seats",
    (watches, widest, finalSeats, additionalLatencyMs) =>
      expect(writeWork(watches, widest)).toEqual({ initialSeats: 1, finalSeats, additionalLatencyMs }),
  );
});

describe("Retry-After", () => {
  it("doubles while many requests are rejected, up to 32 seconds, and falls by seconds", () => {
    const retryAfter = new RetryAfter();
    const seen = new Set<number>();
    let second = 1_700_000_000;
    for (; second < 1_700_000_100; second += 1)
      for (let i = 0; i < 10; i += 1) {
        retryAfter.record(second * 1000 + i);
        seen.add(retryAfter.seconds);
      }
    expect([...seen]).toEqual([1, 2, 4, 8, 16, 32]);
    for (; second < 1_700_001_000; second += 60) retryAfter.record(second * 1000);
    expect(retryAfter.seconds).toBeLessThan(32);
    expect(retryAfter.seconds).toBeGreaterThan(10);
  });
});
