import { describe, expect, it } from "vitest";
import type { BufferOptions } from "../../../src/cache/informer/change-buffer.js";
import { watchChanges } from "../../../src/cache/informer/watch-changes.js";
import type { Harness } from "../../support/informer-harness.js";
import { describeChange, harnesses } from "../../support/informer-harness.js";

const begin = harnesses();

describe("watchChanges", () => {
  const take = async (
    harness: Harness,
    options: BufferOptions,
    feed: () => Promise<void>,
  ): Promise<{ received: string[]; dropped: number; lag: number; error?: unknown }> => {
    const stream = watchChanges(harness.informer, options);
    await harness.answer("10", ["a@1"]);
    await feed();
    const { lag } = stream;
    const received: string[] = [];
    let error: unknown;
    try {
      for (let count = lag; count > 0 || lag === 0; count--) {
        const { value, done } = await stream.next();
        if (done === true) break;
        received.push(describeChange(value));
        if (count === 1) break;
      }
    } catch (thrown) {
      error = thrown;
    }
    const { dropped } = stream;
    await stream.return();
    return { received, dropped, lag, error };
  };
  const burst = (harness: Harness) => () =>
    harness.send("~a@11", "~a@12", "+b@13", "-b@14", "+c@15", "~c@16", "-a@17", "+a@18#new", "~a@19#new");
  it("unbounded keeps everything", async () => {
    const harness = begin();
    expect(await take(harness, {}, burst(harness))).toMatchObject({
      lag: 10,
      dropped: 0,
      received: ["+a@1", "~a@1>11", "~a@11>12", "+b@13", "-b@14", "+c@15", "~c@15>16", "-a@17", "+a@18", "~a@18>19"],
    });
  });
  it("conflate keeps the net change per object", async () => {
    const harness = begin();
    expect(await take(harness, { policy: "conflate" }, burst(harness))).toMatchObject({
      lag: 2,
      dropped: 8,
      received: ["+c@16", "+a@19"],
    });
  });
  it("conflate emits a deletion and an addition when a delivered object was replaced", async () => {
    const harness = begin();
    const stream = watchChanges(harness.informer, { policy: "conflate" });
    await harness.answer("10", ["a@1"]);
    expect(describeChange((await stream.next()).value)).toBe("+a@1");
    await harness.send("~a@11", "-a@12", "+a@13#new", "~a@14#new");
    expect([
      describeChange((await stream.next()).value),
      describeChange((await stream.next()).value),
      stream.lag,
    ]).toEqual(["-a@12", "+a@14", 0]);
    await stream.return();
  });
  it("dropOldest keeps the newest changes", async () => {
    const harness = begin();
    expect(await take(harness, { policy: "dropOldest", capacity: 2 }, burst(harness))).toMatchObject({
      lag: 2,
      dropped: 8,
      received: ["+a@18", "~a@18>19"],
    });
  });
  it("error fails when the buffer is full and unsubscribes", async () => {
    const harness = begin();
    const { error } = await take(harness, { policy: "error", capacity: 3 }, burst(harness));
    expect(String(error)).toContain("the change buffer is full: 3 changes");
    expect(harness.informer.metrics.handlers).toBe(0);
  });
  it("unsubscribes from the informer however it ends", async () => {
    const harness = begin();
    const { informer } = harness;
    const open = new Set<object>();
    const counted = Object.assign(Object.create(informer) as typeof informer, {
      onStatus(handler: Parameters<typeof informer.onStatus>[0]) {
        const registration = informer.onStatus(handler);
        open.add(registration);
        return { remove: () => (open.delete(registration), registration.remove()) };
      },
    });
    const controller = new AbortController();
    const [left, aborted, full] = [
      watchChanges(counted),
      watchChanges(counted, { signal: controller.signal }),
      watchChanges(counted, { policy: "error", capacity: 1 }),
    ];
    expect(open.size).toBe(3);
    await harness.answer("10", ["a@1", "b@1"]);
    await left.return();
    controller.abort("enough");
    await expect(aborted.next()).rejects.toBe("enough");
    await expect(full.next()).rejects.toThrow("the change buffer is full: 1 changes");
    expect([open.size, informer.metrics.handlers]).toEqual([0, 0]);
  });
  it("ends with the loop, the signal and the informer", async () => {
    const harness = begin();
    harness.informer.start();
    await harness.answer("10", ["a@1", "b@1"]);
    for await (const change of watchChanges(harness.informer)) {
      expect(change.key).toBe("a");
      break;
    }
    expect(harness.informer.metrics.handlers).toBe(0);
    const controller = new AbortController();
    const aborted = watchChanges(harness.informer, { signal: controller.signal, replay: false });
    const waiting = expect(aborted.next()).rejects.toBe("enough");
    controller.abort("enough");
    await waiting;
    await expect(watchChanges(harness.informer, { signal: controller.signal }).next()).rejects.toBe("enough");
    const last = watchChanges(harness.informer);
    await harness.informer.close();
    const rest: string[] = [];
    for await (const change of last) rest.push(change.key);
    expect(rest).toEqual(["a", "b"]);
    expect((await watchChanges(harness.informer).next()).done).toBe(true);
    expect(() => watchChanges(harness.informer, { capacity: 0 })).toThrow(RangeError);
  });
});
