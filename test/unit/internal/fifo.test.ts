import { describe, expect, it } from "vitest";
import { Fifo } from "../../../src/internal/streams/fifo.js";
import { createRandom } from "../../simulation/random.js";

describe("a first-in, first-out queue", () => {
  it("behaves like an array under random operations (seed 1)", () => {
    const random = createRandom(1, "fifo");
    const fifo = new Fifo<number>();
    const model: number[] = [];
    for (let turn = 0; turn < 4_000; turn++) {
      const choice = random.pick(["push", "push", "shift", "shift", "burst", "drain"]);
      if (choice === "push" || choice === "burst")
        for (let count = choice === "push" ? 1 : 50; count > 0; count--) {
          fifo.push(turn);
          model.push(turn);
        }
      else
        for (let count = choice === "shift" ? 1 : 50; count > 0; count--) {
          expect(fifo.peek()).toBe(model[0]);
          expect(fifo.shift()).toBe(model.shift());
        }
      expect(fifo.length).toBe(model.length);
    }
    fifo.clear();
    expect([fifo.length, fifo.peek(), fifo.shift()]).toEqual([0, undefined, undefined]);
  });
});
