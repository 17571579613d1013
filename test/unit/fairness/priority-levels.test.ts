import { describe, expect, it } from "vitest";
import { allocateSeats, type Claim } from "../../../src/fairness/allocate-seats.js";
import type { LevelSpec } from "../../../src/fairness/level-limits.js";
import { type LevelObject, PriorityLevels } from "../../../src/fairness/priority-levels.js";
import { createVirtualClock } from "../../../src/fairness/virtual-clock.js";
import { oneSeat } from "../../../src/fairness/work-estimate.js";
import { bootstrapObjects } from "../../../src/gen/bootstrap.js";
import { randomFrom } from "../../support/random-writes.js";
import { chooseSeed } from "../../support/seed.js";

interface Stored {
  readonly metadata: { readonly name: string };
  readonly spec: LevelSpec;
}
const suggested: LevelObject[] = (bootstrapObjects(["PriorityLevelConfiguration"]) as readonly Stored[]).map(
  ({ metadata: { name }, spec }) => ({ name, uid: `uid-${name}`, spec }),
);
const small = (name: string, shares: number, more: object = {}): LevelObject => ({
  name,
  uid: name,
  spec: { type: "Limited", limited: { nominalConcurrencyShares: shares, limitResponse: { type: "Reject" }, ...more } },
});

describe("priority levels", () => {
  it("have the limits of a kube-apiserver with the default configuration", () => {
    const levels = new PriorityLevels({ clock: createVirtualClock(), serverSeats: 600 });
    levels.configure(suggested);
    const rows = levels
      .all()
      .map(({ name, limits, current }) => [name, limits.lower, limits.nominal, limits.upper, current]);
    // Read from the metrics of an idle kube-apiserver 1.36.3.
    expect(rows).toEqual([
      ["catch-all", 13, 13, 613, 30],
      ["exempt", 0, 0, 600, 0],
      ["global-default", 24, 49, 649, 56],
      ["leader-election", 25, 25, 625, 58],
      ["node-high", 73, 98, 698, 170],
      ["system", 50, 74, 674, 117],
      ["workload-high", 49, 98, 698, 114],
      ["workload-low", 24, 245, 845, 56],
    ]);
  });

  it("limit one request to a part of a level with queues", () => {
    const levels = new PriorityLevels({ clock: createVirtualClock(), serverSeats: 600 });
    levels.configure(suggested);
    expect(levels.get("workload-low")!.limits.widest).toBe(37);
    expect(levels.get("leader-election")!.limits.widest).toBe(4);
    expect(levels.get("catch-all")!.limits.widest).toBeUndefined();
  });

  it("borrow seats from idle levels after at most ten seconds, and give them back over minutes", () => {
    const clock = createVirtualClock();
    const levels = new PriorityLevels<string>({ clock, serverSeats: 100 });
    const queuing = { queues: 8, handSize: 2, queueLengthLimit: 100 };
    levels.configure([
      small("busy", 3, { limitResponse: { type: "Queue", queuing } }),
      small("idle", 97, { lendablePercent: 90 }),
    ]);
    const busy = levels.get("busy")!;
    const before = busy.current;
    for (let i = 0; i < 90; i += 1) busy.queues.start({ schema: "s", hash: BigInt(i), work: oneSeat, details: "" });
    const waiting = busy.queues.waiting;
    expect(waiting).toBe(90 - before);
    clock.runUntil(10_000);
    levels.adjustIfDue();
    expect(busy.current).toBe(90);
    expect(busy.queues.waiting).toBe(0);
    expect(levels.get("idle")!.current).toBe(10);
    for (const queue of busy.queues.queues) for (const request of [...queue.executing]) busy.queues.finish(request);
    clock.runUntil(330_000);
    levels.adjustIfDue();
    // Half of the demand is forgotten after five minutes.
    expect(busy.demand.smoothed).toBeGreaterThan(40);
    expect(busy.demand.smoothed).toBeLessThan(50);
    clock.runUntil(24 * 3_600_000);
    levels.adjustIfDue();
    expect(busy.current).toBe(before);
  });

  it("never lend or borrow beyond their percentages", () => {
    const clock = createVirtualClock();
    const levels = new PriorityLevels<string>({ clock, serverSeats: 100 });
    const queuing = { queues: 8, handSize: 2, queueLengthLimit: 100 };
    levels.configure([
      small("busy", 50, { borrowingLimitPercent: 20, limitResponse: { type: "Queue", queuing } }),
      small("idle", 50, { lendablePercent: 80 }),
    ]);
    for (let i = 0; i < 90; i += 1)
      levels.get("busy")!.queues.start({ schema: "s", hash: BigInt(i), work: oneSeat, details: "" });
    clock.runUntil(20_000);
    levels.adjustIfDue();
    expect(levels.get("busy")!.current).toBe(60);
    expect(levels.get("idle")!.current).toBe(40);
  });

  it("count the seats of exempt requests against what is left for the others", () => {
    const clock = createVirtualClock();
    const levels = new PriorityLevels<string>({ clock, serverSeats: 100 });
    levels.configure([
      { name: "exempt", uid: "", spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0 } } },
      small("a", 100, { lendablePercent: 50 }),
    ]);
    for (let i = 0; i < 80; i += 1)
      levels.get("exempt")!.queues.start({ schema: "s", hash: 0n, work: oneSeat, details: "" });
    clock.runUntil(10_000);
    levels.adjustIfDue();
    expect(levels.get("exempt")!.current).toBe(80);
    expect(levels.get("a")!.current).toBe(50);
  });

  it("serve the last requests of a deleted level, and then forget it", () => {
    const levels = new PriorityLevels<string>({ clock: createVirtualClock(), serverSeats: 10 });
    levels.configure([small("a", 1), small("b", 1)]);
    const request = levels.get("a")!.queues.start({ schema: "s", hash: 0n, work: oneSeat, details: "" })!;
    levels.configure([small("b", 1)]);
    expect(levels.get("a")!.quiescing).toBe(true);
    expect(levels.hasIdleRemains()).toBe(false);
    levels.get("a")!.queues.finish(request);
    expect(levels.hasIdleRemains()).toBe(true);
    levels.configure([small("b", 1)]);
    expect(levels.get("a")).toBeUndefined();
    expect(levels.get("b")!.limits.nominal).toBe(10);
  });
});

describe("allocateSeats", () => {
  it.each([
    [
      10,
      [
        { lower: 0, upper: 10, target: 5 },
        { lower: 0, upper: 10, target: 5 },
      ],
      [5, 5],
    ],
    [
      12,
      [
        { lower: 0, upper: 4, target: 4 },
        { lower: 1, upper: 20, target: 2 },
      ],
      [4, 8],
    ],
    [
      6,
      [
        { lower: 5, upper: 9, target: 5 },
        { lower: 1, upper: 9, target: 5 },
      ],
      [5, 1],
    ],
    [0, [{ lower: 0, upper: 4, target: 1 }], [0]],
    [
      4,
      [
        { lower: 0, upper: 4, target: 0 },
        { lower: 0, upper: 4, target: 0 },
      ],
      [2, 2],
    ],
  ] as [number, Claim[], number[]][])("divides %i seats", (sum, claims, seats) =>
    expect(allocateSeats(sum, claims)?.seats.map((each) => Math.round(each * 1e6) / 1e6)).toEqual(seats),
  );

  it.each([
    [1, [{ lower: 2, upper: 4, target: 3 }]],
    [5, [{ lower: 2, upper: 4, target: 3 }]],
  ] as [number, Claim[]][])("doesn't divide %i seats that the bounds exclude", (sum, claims) =>
    expect(allocateSeats(sum, claims)).toBeUndefined(),
  );

  it("gives each claim the same fraction of its target unless a bound prevents it", () => {
    const random = randomFrom(chooseSeed(1));
    for (let round = 0; round < 2000; round += 1) {
      const claims = Array.from({ length: 1 + Math.floor(random() * 9) }, () => {
        const lower = Math.floor(random() * 50);
        return { lower, upper: lower + Math.floor(random() * 300), target: lower + random() * 200 };
      });
      const total = (of: (claim: Claim) => number): number => claims.reduce((sum, claim) => sum + of(claim), 0);
      const lowest = total(({ lower }) => lower);
      const sum = lowest + Math.floor(random() * (total(({ upper }) => upper) - lowest));
      const { seats, fraction } = allocateSeats(sum, claims)!;
      const title = `round ${String(round)}`;
      expect(
        seats.reduce((all, each) => all + each, 0),
        title,
      ).toBeCloseTo(sum, 5);
      for (const [index, { lower, upper, target }] of claims.entries())
        expect(seats[index], title).toBeCloseTo(
          Math.max(lower, Math.min(upper, fraction * Math.max(target, 0.001))),
          5,
        );
    }
  });
});
