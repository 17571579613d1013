import { describe, expect, it } from "vitest";
import { QueueSet, type Queuing } from "../../../src/fairness/queue-set.js";
import type { Rejection } from "../../../src/fairness/queue-set-events.js";
import type { QueuedRequest, Work } from "../../../src/fairness/request-queue.js";
import { formatSeatSeconds, seatSeconds } from "../../../src/fairness/seat-seconds.js";
import { createVirtualClock, type VirtualClock } from "../../../src/fairness/virtual-clock.js";
import { randomFrom } from "../../support/random-writes.js";
import { chooseSeed } from "../../support/seed.js";

const work = (initialSeats = 1, finalSeats = 0, additionalLatencyMs = 0): Work => ({
  initialSeats,
  finalSeats,
  additionalLatencyMs,
});

interface Bed {
  readonly clock: VirtualClock;
  readonly set: QueueSet<string>;
  /** Names of the requests in the order of their dispatch, with the time. */
  readonly order: string[];
  readonly rejections: Rejection[];
  /** Starts a request of the flow in queue `flow`. */
  add(name: string, flow: number, width?: Work): QueuedRequest<string> | undefined;
}

/** A queue set in which each flow has its own queue. */
function bed(queuing: Queuing | "reject" | "exempt", seats: number): Bed {
  const clock = createVirtualClock();
  const order: string[] = [];
  const rejections: Rejection[] = [];
  const set = new QueueSet<string>(clock, { rejected: (_schema, reason) => rejections.push(reason) });
  set.configure(queuing, seats);
  return {
    clock,
    set,
    order,
    rejections,
    add: (name, flow, width = work()) =>
      set.start({
        schema: "s",
        hash: BigInt(flow),
        work: width,
        details: name,
        onDispatch: () => order.push(`${name}@${String(clock.now())}`),
      }),
  };
}
const queues = (count: number, queueLengthLimit = 50): Queuing => ({ queues: count, handSize: 1, queueLengthLimit });
const after = ({ clock, set }: Bed, ms: number, request: QueuedRequest<string> | undefined): void => {
  clock.setTimer(() => set.finish(request!), ms);
};

describe("a fair queue set", () => {
  it("serves queues in turn, not requests in order of arrival", () => {
    const room = bed(queues(2), 1);
    const first = room.add("a1", 0);
    const rest = [room.add("a2", 0), room.add("a3", 0), room.add("b1", 1)];
    for (const request of [first, ...rest]) expect(request).toBeDefined();
    after(room, 1000, first);
    room.clock.runUntil(1000);
    // The one that executes ended late: its queue pays for that.
    expect(room.order).toEqual(["a1@0", "b1@1000"]);
  });

  it("rejects when the queue is full and no seat is free, and serves a free seat from a queue of length 0", () => {
    const room = bed(queues(1, 1), 1);
    expect(room.add("a", 0)?.startedMs).toBe(0);
    expect(room.add("b", 0)?.startedMs).toBeUndefined();
    expect(room.add("c", 0)).toBeUndefined();
    expect(room.rejections).toEqual(["queue-full"]);
    expect(room.set.counters).toEqual({ dispatched: 1, rejected: 1, timedOut: 0, cancelled: 0 });
  });

  it("rejects without queues when no seat is free, and serves one request that is wider than the level", () => {
    const room = bed("reject", 2);
    const wide = room.add("wide", 0, work(5));
    expect(wide?.startedMs).toBe(0);
    expect(room.add("next", 0)).toBeUndefined();
    room.set.finish(wide!);
    expect(room.add("next", 0)?.startedMs).toBe(0);
    expect(room.rejections).toEqual(["concurrency-limit"]);
  });

  it("never limits an exempt level", () => {
    const room = bed("exempt", 0);
    for (let i = 0; i < 100; i += 1) expect(room.add("x", 0, work(10))?.startedMs).toBe(0);
    expect(room.set.seatsInUse).toBe(1000);
  });

  it("holds seats back for a wide request, and dispatches it when enough are free", () => {
    const room = bed(queues(2), 4);
    const [a, b] = [room.add("a", 0, work(2)), room.add("b", 0, work(2))];
    room.add("wide", 1, work(4));
    room.add("c", 0);
    after(room, 10, a);
    after(room, 20, b);
    room.clock.runUntil(30);
    expect(room.order).toEqual(["a@0", "b@0", "wide@20"]);
  });

  it("keeps the final seats for the additional latency, which the client doesn't wait for", () => {
    const room = bed(queues(1), 3);
    const write = room.add("write", 0, work(1, 3, 40));
    room.add("next", 0);
    after(room, 5, write);
    room.clock.runUntil(100);
    expect(room.order).toEqual(["write@0", "next@45"]);
  });

  it("reshapes final seats beyond the level into more time", () => {
    const room = bed(queues(1), 2);
    const write = room.add("write", 0, work(1, 4, 10));
    room.add("next", 0);
    room.set.finish(write!);
    room.clock.runUntil(100);
    expect(write!.work).toEqual(work(1, 2, 20));
    expect(room.order).toEqual(["write@0", "next@20"]);
  });

  it("forgets a canceled request, and dispatches the one behind it", () => {
    const room = bed(queues(2), 2);
    room.add("a", 0);
    const wide = room.add("wide", 1, work(2));
    const next = room.add("next", 1);
    expect(room.order).toEqual(["a@0"]);
    expect(room.set.cancel(wide!, "time-out")).toBe(true);
    expect(room.order).toEqual(["a@0", "next@0"]);
    expect(room.set.cancel(next!, "cancelled")).toBe(false);
    expect(room.set.counters).toEqual({ dispatched: 2, rejected: 1, timedOut: 1, cancelled: 0 });
    expect(room.rejections).toEqual(["time-out"]);
  });

  it("removes queues by attrition, and serves those that wait in them", () => {
    const room = bed(queues(4), 1);
    const requests = [0, 1, 2, 3].map((flow) => room.add(`f${String(flow)}`, flow));
    room.set.configure(queues(1), 1);
    expect(room.set.queues).toHaveLength(4);
    for (let served = 0; served < 4; served += 1)
      room.set.finish(requests.find((request) => request!.queue!.executing.has(request!))!);
    expect(room.order).toHaveLength(4);
    expect(room.set.queues).toHaveLength(1);
  });

  it("dispatches at once when it gets seats", () => {
    const room = bed(queues(2), 0);
    room.add("a", 0);
    room.add("b", 1);
    expect(room.order).toEqual([]);
    room.clock.runUntil(7);
    room.set.configure(queues(2), 5);
    expect(room.order).toEqual(["b@7", "a@7"]);
  });

  it("keeps the order of queues when it winds virtual time back", () => {
    const epochs: boolean[] = [];
    const clock = createVirtualClock();
    const set = new QueueSet<string>(clock, { epochAdvanced: () => epochs.push(true) });
    set.configure(queues(2), 1_000_000);
    const order: string[] = [];
    const add = (name: string, flow: number, width: number): QueuedRequest<string> =>
      set.start({
        schema: "s",
        hash: BigInt(flow),
        work: work(width),
        details: name,
        onDispatch: () => order.push(name),
      })!;
    const first = add("a", 0, 1_000_000);
    add("b", 1, 1);
    clock.runUntil(70_000);
    add("c", 0, 1);
    expect(epochs).toEqual([true]);
    expect(set.currentR).toBeLessThan(2 ** 51);
    set.finish(first);
    expect(order).toEqual(["a", "b", "c"]);
  });

  it("frees seats only once, and not those of a request that waits", () => {
    const room = bed(queues(1), 1);
    const first = room.add("a", 0)!;
    const second = room.add("b", 0)!;
    room.set.finish(second);
    expect(room.set.seatsInUse).toBe(1);
    room.set.finish(first);
    room.set.finish(first);
    expect(room.set.seatsInUse).toBe(1);
  });
});

describe("seat-seconds", () => {
  it.each([
    [1, 3, "0.00300000ss"],
    [0, 1000, "0.00000000ss"],
    [10, 123_456.789, "1234.56789000ss"],
  ])("of %f seats for %f ms are written %s", (seats, ms, wanted) =>
    expect(formatSeatSeconds(seatSeconds(seats, ms))).toBe(wanted),
  );
});

interface Flow {
  readonly serviceMs: () => number;
  readonly width: () => number;
  /** Number of requests that the flow keeps waiting or executing. */
  readonly outstanding: number;
  /** Time of its first request. Default: 0. */
  readonly fromMs?: number;
  /** Seat-seconds used so far. */
  used: number;
  readonly waits: number[];
}

/** Lets each flow, in a queue of its own, keep its number of requests outstanding for a while. */
function saturate(
  seats: number,
  flows: readonly Flow[],
  untilMs: number,
  check: (set: QueueSet<number>) => void,
): void {
  const clock = createVirtualClock();
  const set = new QueueSet<number>(clock);
  set.configure(queues(flows.length, 1000), seats);
  const issue = (index: number): void => {
    const flow = flows[index]!;
    const width = flow.width();
    const arrived = clock.now();
    const request = set.start({
      schema: "s",
      hash: BigInt(index),
      work: work(width),
      details: index,
      onDispatch: () => {
        flow.waits.push(clock.now() - arrived);
        const serviceMs = flow.serviceMs();
        clock.setTimer(() => {
          flow.used += (width * serviceMs) / 1000;
          set.finish(request!);
          check(set);
          issue(index);
        }, serviceMs);
      },
    });
    check(set);
  };
  for (const [index, flow] of flows.entries())
    for (let i = 0; i < flow.outstanding; i += 1) clock.setTimer(() => issue(index), flow.fromMs ?? 0);
  clock.runUntil(untilMs);
}

const seed = chooseSeed(1);
const rounds = Array.from({ length: 12 }, (_, round) => seed * 1000 + round);

describe("a fair queue set under random load", () => {
  it.each(rounds)("gives backlogged flows the same share within one seat-second (round %i)", (round) => {
    const random = randomFrom(round);
    const seats = 1 + Math.floor(random() * 8);
    const flows: Flow[] = Array.from({ length: seats + Math.floor(random() * 8) }, () => {
      const mean = 1 + random() * 40;
      return {
        serviceMs: () => mean * (0.5 + random()),
        width: () => 1,
        outstanding: 2 * seats + Math.floor(random() * 20),
        used: 0,
        waits: [],
      };
    });
    saturate(seats, flows, 20_000, () => undefined);
    const used = flows.map((flow) => flow.used);
    expect(Math.max(...used) - Math.min(...used)).toBeLessThan(1);
    expect(used.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(19 * seats);
  });

  it.each(rounds)("gives what a small flow leaves to the others, and lets it pass them (round %i)", (round) => {
    const random = randomFrom(round);
    const seats = 2 + Math.floor(random() * 8);
    const greedy: Flow[] = Array.from({ length: seats + 4 }, () => ({
      serviceMs: () => 20 + random() * 200,
      width: () => 1,
      outstanding: 30,
      used: 0,
      waits: [],
    }));
    const modest: Flow = { serviceMs: () => 2 + random() * 6, width: () => 1, outstanding: 1, used: 0, waits: [] };
    saturate(seats, [...greedy, modest], 15_000, () => undefined);
    // A flow that uses less than its share waits for a seat, and for the few flows that are owed some time.
    expect(Math.max(...modest.waits)).toBeLessThan(1000);
    expect(modest.waits.reduce((sum, wait) => sum + wait, 0) / modest.waits.length).toBeLessThan(150);
    const used = greedy.map((flow) => flow.used);
    expect(Math.max(...used) - Math.min(...used)).toBeLessThan(1);
  });

  it.each(rounds)("starves no flow, however wide its requests are (round %i)", (round) => {
    const random = randomFrom(round);
    const seats = 4 + Math.floor(random() * 8);
    const flows: Flow[] = Array.from({ length: seats + 4 }, (_, index) => ({
      serviceMs: () => 1 + random() * 40,
      width: () => 1 + (index % seats),
      outstanding: 10,
      used: 0,
      waits: [],
    }));
    saturate(seats, flows, 10_000, () => undefined);
    for (const flow of flows) expect(flow.waits.length).toBeGreaterThan(5);
  });

  it.each(rounds)("leaves no seat empty while a request that fits waits (round %i)", (round) => {
    const random = randomFrom(round);
    const seats = 1 + Math.floor(random() * 10);
    const flows: Flow[] = Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
      serviceMs: () => random() * 50,
      width: () => 1,
      outstanding: 1 + Math.floor(random() * 6),
      used: 0,
      waits: [],
    }));
    saturate(seats, flows, 3000, (set) => {
      expect(set.waiting === 0 || set.seatsInUse === seats).toBe(true);
      expect(set.seatsInUse).toBe(set.executing);
      expect(set.queues.reduce((sum, queue) => sum + queue.waiting.length, 0)).toBe(set.waiting);
    });
  });

  it("lets a mouse through a crowd of elephants", () => {
    const flow = (serviceMs: number, outstanding: number, fromMs: number): Flow => ({
      fromMs,
      serviceMs: () => serviceMs,
      width: () => 1,
      outstanding,
      used: 0,
      waits: [],
    });
    // 60 requests of 3 s in the eight queues of their hand, and 20 readers.
    const elephants = Array.from({ length: 8 }, () => flow(3000, 8, 0));
    const mouse = flow(1.5, 20, 30_000);
    saturate(3, [...elephants, mouse], 90_000, () => undefined);
    const waits = mouse.waits.toSorted((a, b) => a - b);
    expect(waits.length / 60).toBeGreaterThan(40);
    expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(50);
    // Sometimes the queues of all elephants come first, because their requests looked short until they ended.
    expect(Math.max(...waits)).toBeLessThan(12_000);
    for (const each of elephants) expect(each.waits.length).toBeGreaterThan(5);
  });
});
