import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/internal/clock.js";

afterEach(() => void vi.unstubAllGlobals());

describe.each([
  ["Node", []],
  ["a page, without setImmediate", ["setImmediate"]],
  ["a simulated page, without setImmediate and MessageChannel", ["setImmediate", "MessageChannel"]],
])("a timer without a delay in %s", (_, missing) => {
  const lack = (): void => {
    for (const name of missing) vi.stubGlobal(name, undefined);
  };

  it("fires in a later turn of the event loop, after those that were set before", async () => {
    lack();
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      for (const name of ["first", "second", "third"]) systemClock.setTimer(() => order.push(name), 0);
      systemClock.setTimer(resolve, -1);
      void Promise.resolve().then(() => order.push("microtask"));
      order.push("now");
    });
    expect(order).toEqual(["now", "microtask", "first", "second", "third"]);
  });

  it("doesn't fire after it was canceled, in the same turn or by one that fires before", async () => {
    lack();
    const fired: string[] = [];
    await new Promise<void>((resolve) => {
      systemClock.setTimer(() => fired.push("canceled at once"), 0).cancel();
      systemClock.setTimer(() => later.cancel(), 0);
      const later = systemClock.setTimer(() => fired.push("canceled by the one before"), 0);
      systemClock.setTimer(() => systemClock.setTimer(resolve, 0), 0);
    });
    expect(fired).toEqual([]);
  });
});

it("a page takes a thousand turns without the delay of its timers", async () => {
  vi.stubGlobal("setImmediate", undefined);
  const timers = vi.spyOn(globalThis, "setTimeout");
  for (let turn = 0; turn < 1_000; turn++) await new Promise<void>((resolve) => systemClock.setTimer(resolve, 0));
  expect(timers).not.toHaveBeenCalled();
  timers.mockRestore();
});
