import { describe, expect, it } from "vitest";
import { RequestQueue } from "../../../src/cluster/request-queue.js";
import { createActivity } from "../../../src/cluster/time/activity.js";

/** Sends 100 requests that end when `end` is called, and lists those that have begun. */
function sendHundred(queue: RequestQueue): { readonly begun: number[]; readonly ends: (() => void)[] } {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  for (let number = 0; number < 100; number++)
    void queue.run(() => {
      begun.push(number);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return { begun, ends };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
const microtasks = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe("requests of the cluster's programs", () => {
  it("begin in order, 32 at once, and the next as soon as one is over", async () => {
    const { begun, ends } = sendHundred(new RequestQueue({ turn: () => new Promise(() => undefined) }));
    await microtasks();
    expect(begun).toEqual(numbers(32));
    ends[7]!();
    ends[3]!();
    await microtasks();
    expect(begun).toEqual(numbers(34));
    for (const end of ends) end();
    await microtasks();
    expect(begun).toEqual(numbers(66));
  });

  it("hold up others for one turn of the event loop at most", async () => {
    const activity = createActivity();
    const { begun } = sendHundred(new RequestQueue(activity));
    for (const expected of [32, 64, 96, 100]) {
      await microtasks();
      expect(begun).toEqual(numbers(expected));
      await activity.turn();
    }
  });

  it("count once, whether they are over before or after their turn", async () => {
    const activity = createActivity();
    const queue = new RequestQueue(activity);
    const { ends } = sendHundred(queue);
    for (let turn = 0; turn < 5; turn++) {
      for (const end of ends) end();
      await activity.turn();
    }
    const again = sendHundred(queue);
    await microtasks();
    expect(again.begun).toEqual(numbers(32));
  });

  it("that fail make room, too, and reject", async () => {
    const queue = new RequestQueue({ turn: () => new Promise(() => undefined) });
    const failures = await Promise.allSettled(
      numbers(100).map((number) => queue.run(() => Promise.reject(new Error(String(number))))),
    );
    expect(failures.map((failure) => failure.status)).toEqual(numbers(100).map(() => "rejected"));
  });
});
