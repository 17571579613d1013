import { afterEach, describe, expect, it } from "vitest";
import { createWorkQueue, lowPriority, type WorkQueue } from "../../../../src/controller/queue/work-queue.js";
import { createVirtualClock, settle, type VirtualClock } from "../../../support/virtual-clock.js";

let clock: VirtualClock = createVirtualClock();
function begin(options: Parameters<typeof createWorkQueue<string>>[0] = {}): WorkQueue<string> {
  clock = createVirtualClock();
  return createWorkQueue<string>({ clock, ...options });
}

/** Takes all ready items, in order. */
async function all(queue: WorkQueue<string>): Promise<string[]> {
  const items: string[] = [];
  while (queue.length > 0) {
    const { item } = (await queue.get())!;
    items.push(item);
    queue.done(item);
  }
  return items;
}

afterEach(() => expect(clock.pending).toBe(0));

describe("work queue", () => {
  it("hands out items in order, each once", async () => {
    const queue = begin();
    for (const item of ["a", "b", "a", "c", "b"]) queue.add(item);
    expect([queue.length, queue.metrics.adds]).toEqual([3, 3]);
    expect(await all(queue)).toEqual(["a", "b", "c"]);
  });

  it("hands out an item again after done if it was added while being processed", async () => {
    const queue = begin();
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect((await queue.get())!.item).toBe("b");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(queue.length).toBe(1);
    expect((await queue.get())!.item).toBe("a");
    queue.done("a");
    queue.done("b");
    queue.done("never handed out");
    expect([queue.length, queue.metrics.processing]).toEqual([0, 0]);
  });

  it("serves waiting workers in the order in which they came", async () => {
    const queue = begin();
    const got: string[] = [];
    const waiting = [1, 2].map((who) => queue.get().then((next) => got.push(`${String(who)} ${next!.item}`)));
    queue.add("a");
    queue.add("b");
    await Promise.all(waiting);
    expect(got).toEqual(["1 a", "2 b"]);
  });

  it("ends the wait of a worker whose signal aborts, without losing an item", async () => {
    const queue = begin();
    const abort = new AbortController();
    const first = queue.get({ signal: abort.signal });
    const second = queue.get();
    abort.abort(new RangeError("enough"));
    await expect(first).rejects.toThrow("enough");
    await expect(queue.get({ signal: abort.signal })).rejects.toThrow("enough");
    queue.add("a");
    expect((await second)!.item).toBe("a");
  });

  it.each<[string, [string, number][], string[]]>([
    [
      "the highest first",
      [
        ["low", -100],
        ["normal", 0],
        ["high", 5],
      ],
      ["high", "normal", "low"],
    ],
    [
      "equal ones in order",
      [
        ["b", 0],
        ["a", 0],
        ["c", 0],
      ],
      ["b", "a", "c"],
    ],
    [
      "a raised item goes last among its new equals",
      [
        ["a", -100],
        ["b", 0],
        ["a", 0],
      ],
      ["b", "a"],
    ],
    [
      "adding with a lower priority changes nothing",
      [
        ["a", 0],
        ["b", 0],
        ["a", -100],
      ],
      ["a", "b"],
    ],
  ])("hands out items by priority: %s", async (_name, adds, expected) => {
    const queue = begin();
    for (const [item, priority] of adds) queue.add(item, { priority });
    expect(await all(queue)).toEqual(expected);
  });

  it("keeps the priority of an item that was added while being processed", async () => {
    const queue = begin();
    queue.add("a", { priority: 7 });
    expect(await queue.get()).toEqual({ item: "a", priority: 7 });
    queue.add("a", { priority: lowPriority });
    queue.add("b");
    queue.done("a");
    expect(queue.metrics.depthByPriority).toEqual({ [lowPriority]: 1, 0: 1 });
    expect(await queue.get()).toEqual({ item: "b", priority: 0 });
    expect(await queue.get()).toEqual({ item: "a", priority: lowPriority });
  });

  it("addAfter uses the earliest of several times", async () => {
    const queue = begin();
    queue.addAfter("a", 100);
    queue.addAfter("a", 50);
    queue.addAfter("a", 70);
    queue.addAfter("b", 60);
    queue.addAfter("now", 0);
    expect([queue.length, queue.metrics.delayed, clock.pending]).toEqual([1, 2, 1]);
    await clock.advance(49);
    expect(queue.length).toBe(1);
    await clock.advance(1);
    expect(queue.length).toBe(2);
    await clock.advance(1_000);
    expect(await all(queue)).toEqual(["now", "a", "b"]);
    expect(() => queue.addAfter("a", NaN)).toThrow(RangeError);
  });

  it("keeps a delayed item even if it was processed in between", async () => {
    const queue = begin();
    queue.addAfter("a", 50);
    queue.add("a");
    expect(await all(queue)).toEqual(["a"]);
    await clock.advance(50);
    expect(await all(queue)).toEqual(["a"]);
  });

  it("increases the delay with each failure until forget", async () => {
    const queue = begin();
    const waits = [1, 2, 3].map(() => queue.addRateLimited("a"));
    expect([waits, queue.numRequeues("a"), queue.metrics.retries]).toEqual([[5, 10, 20], 3, 3]);
    queue.forget("a");
    expect([queue.numRequeues("a"), queue.metrics.delayed]).toEqual([0, 1]);
    expect(queue.addRateLimited("b", { minDelayMs: 3_000 })).toBe(3_000);
    await clock.advance(3_000);
    expect(await all(queue)).toEqual(["a", "b"]);
  });

  it("identifies items by their keys", async () => {
    const queue = createWorkQueue<{ id: number; text?: string }>({
      clock: createVirtualClock(),
      keyOf: ({ id }) => id,
    });
    queue.add({ id: 1, text: "first" });
    queue.add({ id: 1 });
    expect(queue.length).toBe(1);
    expect((await queue.get())!.item.text).toBe("first");
  });

  it("measures latency and processing times", async () => {
    const queue = begin();
    queue.add("a");
    await clock.advance(10);
    queue.add("b");
    await queue.get();
    await clock.advance(30);
    await queue.get();
    await clock.advance(5);
    expect(queue.metrics).toMatchObject({
      processing: 2,
      longestRunningMs: 35,
      unfinishedWorkMs: 40,
      latency: { count: 2, totalMs: 40, maxMs: 30 },
      workDuration: { count: 0 },
    });
    queue.done("a");
    queue.done("b");
    expect(queue.metrics).toMatchObject({
      processing: 0,
      longestRunningMs: 0,
      unfinishedWorkMs: 0,
      workDuration: { count: 2, totalMs: 40, maxMs: 35 },
    });
  });

  it("hands out ready items after a shutdown, drops delayed ones and reports when all are done", async () => {
    const queue = begin();
    queue.add("a");
    queue.addAfter("later", 10);
    await queue.get();
    queue.add("a");
    queue.add("b");
    let drained = false;
    const draining = queue.shutDownWithDrain().then(() => (drained = true));
    queue.add("c");
    queue.addAfter("d", 5);
    await clock.advance(100);
    expect((await queue.get())!.item).toBe("b");
    expect(await queue.get()).toBeUndefined();
    queue.done("a");
    expect((await queue.get())!.item).toBe("a");
    queue.done("b");
    await settle();
    expect(drained).toBe(false);
    queue.done("a");
    await draining;
    expect([await queue.get(), queue.shuttingDown, queue.metrics.delayed]).toEqual([undefined, true, 0]);
    await queue.shutDownWithDrain();
  });

  it("ends the wait of idle workers on shutdown", async () => {
    const queue = begin();
    const waiting = queue.get();
    queue.shutDown();
    expect(await waiting).toBeUndefined();
  });

  it("hands out nothing while it's paused, and ends the pause when it shuts down", async () => {
    const queue = createWorkQueue<string>();
    queue.pause();
    queue.add("a");
    let received: string | undefined;
    const first = queue.get().then((next) => (received = next?.item));
    await Promise.resolve();
    expect([received, queue.length]).toEqual([undefined, 1]);
    queue.resume();
    expect(await first).toBe("a");
    queue.pause();
    queue.add("b");
    queue.shutDown();
    expect((await queue.get())?.item).toBe("b");
    expect(await queue.get()).toBeUndefined();
  });

  it("shutDownWithDrain rejects when its signal aborts", async () => {
    const queue = begin();
    queue.add("a");
    await queue.get();
    const abort = new AbortController();
    const draining = queue.shutDownWithDrain({ signal: abort.signal });
    abort.abort(new RangeError("too slow"));
    await expect(draining).rejects.toThrow("too slow");
    await expect(queue.shutDownWithDrain({ signal: abort.signal })).rejects.toThrow("too slow");
  });
});
