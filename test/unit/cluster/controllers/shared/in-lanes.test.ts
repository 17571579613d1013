import { expect, test } from "vitest";
import { forAll, inLanes } from "../../../../../src/cluster/controllers/shared/in-lanes.js";
import { slowStart } from "../../../../../src/cluster/controllers/shared/slow-start.js";

/** Work that can be finished item by item, and counts how much of it runs. */
function heldWork(): { readonly running: number[]; work(item: number): Promise<number>; finish(item: number): void } {
  const running: number[] = [];
  const held = new Map<number, (value: number) => void>();
  return {
    running,
    work: (item) =>
      new Promise((resolve) => {
        running.push(item);
        held.set(item, resolve);
      }),
    finish(item) {
      running.splice(running.indexOf(item), 1);
      held.get(item)!(10 * item);
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test("a loop over many objects begins 32 calls and then one for each that ends", async () => {
  const { running, work, finish } = heldWork();
  const all = inLanes(upTo(100), work);
  expect(running).toEqual(upTo(32));
  finish(5);
  await turn();
  expect(running).toEqual([...upTo(32).filter((item) => item !== 5), 32]);
  while (running.length > 0) {
    finish(running[0]!);
    await turn();
  }
  expect((await all).map((outcome) => (outcome as PromiseFulfilledResult<number>).value)).toEqual(
    upTo(100).map((item) => 10 * item),
  );
});

test("a loop over many objects goes on after an error and rejects with the first one", async () => {
  const done: number[] = [];
  const loop = forAll(upTo(50), (item) => {
    if (item === 3) throw new Error("third");
    return turn().then(() => {
      if (item === 40) throw new Error("fortieth");
      done.push(item);
    });
  });
  await expect(loop).rejects.toThrow("third");
  expect(done).toEqual(upTo(50).filter((item) => item !== 3 && item !== 40));
});

test.each([
  { count: 0, failsAt: 0, calls: 0 },
  { count: 1, failsAt: 0, calls: 1 },
  { count: 20, failsAt: 0, calls: 1 },
  { count: 20, failsAt: 1, calls: 3 },
  { count: 20, failsAt: 15, calls: 20 },
  { count: 20, failsAt: 99, calls: 20 },
])(
  "a batched start of $count calls ends after $calls calls if call $failsAt fails",
  async ({ count, failsAt, calls }) => {
    const called: number[] = [];
    const failure = await slowStart(count, (index) => {
      called.push(index);
      return index === failsAt ? Promise.reject(new Error(`call ${index}`)) : Promise.resolve();
    });
    expect(called).toEqual(upTo(calls));
    expect(failure).toEqual(failsAt < count ? new Error(`call ${failsAt}`) : undefined);
  },
);
