import { describe, expect, it } from "vitest";
import { type ClusterClock, createClusterClock } from "../../../../src/cluster/time/cluster-clock.js";
import { parseDuration } from "../../../../src/cluster/time/duration.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sets a timer again each time it fires, and notes when. */
function repeat(clock: ClusterClock, everyMs: number, upkeep: boolean): number[] {
  const fired: number[] = [];
  const arm = (): void => {
    clock.setTimer(
      () => {
        fired.push(clock.monotonic());
        arm();
      },
      everyMs,
      { upkeep },
    );
  };
  arm();
  return fired;
}

describe("cluster clock", () => {
  it("fires the timers of a skipped time in order, each at its own moment", async () => {
    const clock = createClusterClock({ virtual: true, startMs: 1_000 });
    const seen: string[] = [];
    const note = (name: string) => (): void => void seen.push(`${name} at ${clock.now()}`);
    clock.setTimer(note("third"), 300);
    clock.setTimer(note("first"), 100);
    clock.setTimer(() => {
      note("second")();
      clock.setTimer(note("nested"), 50);
    }, 200);
    clock.setTimer(note("canceled"), 150).cancel();
    clock.setTimer(note("later"), 5_000);
    await clock.advance(1_000, turn);
    expect(seen).toEqual(["first at 1100", "second at 1200", "nested at 1250", "third at 1300"]);
    expect(clock.now()).toBe(2_000);
  });

  it("fires a repeated timer of upkeep once per time in which nothing else is due", async () => {
    const clock = createClusterClock({ virtual: true, startMs: 0 });
    const heartbeats = repeat(clock, 10, true);
    clock.setTimer(() => undefined, 500);
    await clock.advance(1_000, turn);
    expect(heartbeats).toEqual([500, 1_000]);
  });

  it("fires a repeated timer of upkeep each time if it must be exact", async () => {
    const clock = createClusterClock({ virtual: true, startMs: 0 });
    clock.exactUpkeep = true;
    const heartbeats = repeat(clock, 10, true);
    await clock.advance(50, turn);
    expect(heartbeats).toEqual([10, 20, 30, 40, 50]);
  });

  it("settles between two timers of upkeep, so that the second sees what the first caused", async () => {
    const clock = createClusterClock({ virtual: true, startMs: 0 });
    let contactAt = 0;
    let silent = false;
    clock.setTimer(() => void Promise.resolve().then(() => (contactAt = clock.monotonic())), 60, { upkeep: true });
    clock.setTimer(() => (silent = clock.monotonic() - contactAt > 150), 150, { upkeep: true });
    await clock.advance(86_400_000, turn);
    expect(silent).toBe(false);
  });

  it("stops in virtual time as soon as a condition is met", async () => {
    const clock = createClusterClock({ virtual: true, startMs: 0 });
    const ticks = repeat(clock, 10, false);
    expect(await clock.advanceUntil(() => ticks.length === 3, 1_000, turn)).toBe(true);
    expect(clock.monotonic()).toBe(30);
    expect(await clock.advanceUntil(() => false, 25, turn)).toBe(false);
    expect(ticks.length).toBe(5);
  });

  it("passes with real time, and skips ahead on demand", async () => {
    const clock = createClusterClock({ virtual: false, startMs: 0 });
    const fired = new Promise<void>((resolve) => clock.setTimer(resolve, 1));
    await fired;
    const before = clock.now();
    let later = false;
    clock.setTimer(() => (later = true), 3_600_000);
    await clock.advance(3_600_000, turn);
    expect(later).toBe(true);
    expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    clock.stop();
  });
});

describe("duration of a cluster's clock", () => {
  it.each([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
    ["250ms", 250],
    ["1.5s", 1_500],
  ])("reads %s", (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(["", "10", "m", "1 h", "-1s", "1w"])("refuses %j", (text) =>
    expect(() => parseDuration(text)).toThrow(/invalid duration/),
  );
});
