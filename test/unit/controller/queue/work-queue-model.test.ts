import { describe, expect, it } from "vitest";
import { exponentialRateLimiter } from "../../../../src/controller/queue/rate-limiters.js";
import { createWorkQueue, lowPriority } from "../../../../src/controller/queue/work-queue.js";
import { createRandom } from "../../../simulation/random.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

/** Makes random calls to a queue and to a model of sets that predicts the results. */
async function play(seed: number): Promise<string[]> {
  const random = createRandom(seed, "queue");
  const clock = createVirtualClock();
  const queue = createWorkQueue<string>({ clock, rateLimiter: exponentialRateLimiter() });
  const faults: string[] = [];
  /** Keys that must be handed out, keys in progress, and the times at which delayed keys become ready. */
  const wanted = new Map<string, number>();
  const working = new Set<string>();
  const later = new Map<string, number>();
  const keys = Array.from({ length: 1 + random.int(6) }, (_, index) => `k${String(index)}`);
  const want = (key: string, priority: number): void =>
    void wanted.set(key, Math.max(wanted.get(key) ?? -Infinity, priority));
  const latePriority = new Map<string, number>();
  const ripen = (): void => {
    for (const [key, at] of [...later].sort((a, b) => a[1] - b[1])) {
      if (at > clock.monotonic()) continue;
      later.delete(key);
      want(key, latePriority.get(key)!);
      latePriority.delete(key);
    }
  };
  const take = async (): Promise<void> => {
    const ready = [...wanted].filter(([key]) => !working.has(key));
    if (queue.length !== ready.length) faults.push(`${String(queue.length)} ready, not ${String(ready.length)}`);
    if (queue.length === 0) return;
    const { item, priority } = (await queue.get())!;
    if (working.has(item)) faults.push(`${item} is with two workers`);
    if (wanted.get(item) !== priority) faults.push(`${item} has ${String(priority)}, not ${String(wanted.get(item))}`);
    if (ready.some(([, other]) => other > priority)) faults.push(`${item} came before one of more priority`);
    wanted.delete(item);
    working.add(item);
  };
  for (let step = 0; step < 120; step++) {
    const key = random.pick(keys);
    const priority = random.pick([lowPriority, 0, 0, 10]);
    switch (random.int(6)) {
      case 0:
        queue.add(key, { priority });
        want(key, priority);
        break;
      case 1: {
        const delay = random.int(40) - 5;
        queue.addAfter(key, delay, { priority });
        if (delay <= 0) want(key, priority);
        else {
          later.set(key, Math.min(later.get(key) ?? Infinity, clock.monotonic() + delay));
          latePriority.set(key, Math.max(latePriority.get(key) ?? -Infinity, priority));
        }
        break;
      }
      case 2:
        await clock.advance(random.int(20));
        ripen();
        break;
      case 3:
      case 4:
        await take();
        break;
      default: {
        const done = random.pick([...working, key]);
        working.delete(done);
        queue.done(done);
      }
    }
  }
  for (const key of working) queue.done(key);
  working.clear();
  await clock.advance(100);
  ripen();
  while (wanted.size > 0 && faults.length === 0) {
    await take();
    for (const key of working) queue.done(key);
    working.clear();
  }
  if (queue.length > 0 || queue.metrics.delayed > 0) faults.push(`${String(queue.length)} are left`);
  if (
    queue.metrics.workDuration.count !== queue.metrics.latency.count ||
    queue.metrics.adds < queue.metrics.latency.count
  )
    faults.push("the numbers do not agree");
  if (clock.pending !== 0) faults.push(`${String(clock.pending)} timers are left`);
  return faults;
}

describe("work queue compared with a simple model", () => {
  it.each(Array.from({ length: 8 }, (_, block) => block * 25 + 1))(
    "never gives a key to two workers, loses one or hands one out too early (25 seeds from %d)",
    async (firstSeed) => {
      for (let seed = firstSeed; seed < firstSeed + 25; seed++)
        expect({ seed, faults: await play(seed) }).toEqual({ seed, faults: [] });
    },
  );
});
