import { expect, test } from "vitest";

import { createActivity } from "../../../src/cluster/time/activity.js";

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
