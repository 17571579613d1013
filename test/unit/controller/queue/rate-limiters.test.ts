import { describe, expect, it } from "vitest";
import {
  bucketRateLimiter,
  defaultControllerRateLimiter,
  exponentialRateLimiter,
  fastSlowRateLimiter,
  maxOfRateLimiters,
} from "../../../../src/controller/queue/rate-limiters.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

describe("rate limiters", () => {
  const waits = (limiter: { when(item: string): number }, count: number): number[] =>
    Array.from({ length: count }, () => limiter.when("x"));
  it("exponential delays double from 5 ms to 1,000 s", () => {
    const limiter = exponentialRateLimiter<string>();
    expect(waits(limiter, 20)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 40_960, 81_920, 163_840, 327_680, 655_360,
      1_000_000, 1_000_000,
    ]);
    expect([limiter.numRequeues("x"), limiter.numRequeues("y")]).toEqual([20, 0]);
    limiter.forget("x");
    expect(limiter.when("x")).toBe(5);
    expect(exponentialRateLimiter().when("x") < 10).toBe(true);
    expect(waits(exponentialRateLimiter({ baseDelayMs: 1, maxDelayMs: 1 }), 2_000).at(-1)).toBe(1);
  });
  it("a token bucket lets a burst through and then limits the rate", async () => {
    const clock = createVirtualClock();
    const limiter = bucketRateLimiter<string>({ clock });
    expect(waits(limiter, 100).every((ms) => ms === 0)).toBe(true);
    expect(waits(limiter, 3)).toEqual([100, 200, 300]);
    await clock.advance(10_000);
    // Three places are already taken.
    expect(waits(limiter, 98).map(Math.round).slice(-2)).toEqual([0, 100]);
    expect([limiter.numRequeues("x"), limiter.forget("x")]).toEqual([0, undefined]);
  });
  it("maxOfRateLimiters returns the longest delay", () => {
    const limiter = defaultControllerRateLimiter<string>({ clock: createVirtualClock() });
    expect(waits(limiter, 4)).toEqual([5, 10, 20, 40]);
    for (let i = 0; i < 100; i++) limiter.when(`other ${String(i)}`);
    expect(limiter.when("fresh")).toBe(500);
    expect(limiter.numRequeues("x")).toBe(4);
    limiter.forget("x");
    expect(limiter.numRequeues("x")).toBe(0);
    expect(maxOfRateLimiters<string>().when("x")).toBe(0);
  });
  it("fastSlowRateLimiter is fast first, then slow", () => {
    expect(waits(fastSlowRateLimiter({ fastDelayMs: 5, slowDelayMs: 10_000, maxFastAttempts: 2 }), 4)).toEqual([
      5, 5, 10_000, 10_000,
    ]);
  });
  it.each([
    () => exponentialRateLimiter({ baseDelayMs: 0 }),
    () => exponentialRateLimiter({ maxDelayMs: 1 }),
    () => exponentialRateLimiter({ baseDelayMs: NaN }),
    () => bucketRateLimiter({ qps: 0 }),
    () => bucketRateLimiter({ burst: 0 }),
  ])("reject invalid numbers: %s", (make) => expect(make).toThrow(RangeError));
});
