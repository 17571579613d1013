import { expect, test } from "vitest";

import { createActivity } from "../../../../src/cluster/time/activity.js";
import { createClusterClock } from "../../../../src/cluster/time/cluster-clock.js";
import { lazyModule } from "../../../../src/internal/lazy-module.js";

test("callers that wait for a lull go on one after another, oldest first", async () => {
  const activity = createActivity();
  const order: string[] = [];
  await Promise.all(["first", "second", "third"].map((name) => activity.lull(1000).then(() => order.push(name))));
  expect(order).toEqual(["first", "second", "third"]);
});

test("a caller waits for a lull no longer than its number of turns", async () => {
  const activity = createActivity();
  let done = false;
  const lull = activity.lull(5).then(() => (done = true));
  const busy = (): void => {
    activity.touch();
    if (!done) setImmediate(busy);
  };
  busy();
  await lull;
  expect(done).toBe(true);
});

test("a cluster isn't settled while a module is imported", async () => {
  const activity = createActivity();
  const order: string[] = [];
  let imported!: () => void;
  const module = lazyModule(async () => {
    await new Promise<void>((resolve) => (imported = resolve));
    order.push("imported");
  });
  const loading = activity.track(Promise.resolve(module.load()));
  const settled = activity.settled().then(() => order.push("settled"));
  const end = performance.now() + 50;
  while (performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 0));
  imported();
  await Promise.all([loading, settled]);
  expect(order).toEqual(["imported", "settled"]);
});

test("a cluster isn't settled while long work gives the event loop turns", async () => {
  const activity = createActivity();
  const clock = createClusterClock({ virtual: false, startMs: 0, onTurn: () => activity.touch() });
  const order: string[] = [];
  const work = (slices: number): void => {
    if (slices === 0) order.push("done");
    else clock.setTimer(() => work(slices - 1), 0);
  };
  work(20);
  await activity.settled();
  expect(order).toEqual(["done"]);
});

test("work that comes last begins after each caller that waits for a lull, and before the cluster has settled", async () => {
  const activity = createActivity();
  const order: string[] = [];
  const last = activity
    .idle()
    .then(() => order.push("last"))
    .then(() => activity.afterTurns(2, () => order.push("its result")));
  const settled = activity.settled().then(() => order.push("settled"));
  await Promise.all([
    ...["first", "second", "third"].map((name) => activity.lull(1000).then(() => order.push(name))),
    last,
    settled,
  ]);
  expect(order).toEqual(["first", "second", "third", "last", "its result", "settled"]);
});
