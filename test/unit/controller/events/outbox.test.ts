import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createOutbox } from "../../../../src/controller/events/outbox.js";

/** An outbox whose entries wait until `finish` ends them; the result of `finish` makes the outbox send one again. */
function openOutbox(lanes: number) {
  const begun: string[] = [];
  const endings: ((again: boolean) => void)[] = [];
  const dropped: number[] = [];
  const abort = new AbortController();
  const outbox = createOutbox<string>({
    lanes,
    signal: abort.signal,
    send: (entry) => {
      begun.push(entry);
      return new Promise((resolve) => endings.push(resolve));
    },
    onIdle: (count) => dropped.push(count),
  });
  const finish = async (again = false): Promise<void> => {
    endings.shift()!(again);
    await turn();
  };
  return { outbox, begun, dropped, abort, finish };
}

describe("queue of events", () => {
  it.each([1, 3])("sends %d entries at once, in order", async (lanes) => {
    const { outbox, begun, finish } = openOutbox(lanes);
    for (const entry of ["a", "b", "c", "d", "e"]) outbox.add(entry);
    const flushed = outbox.flush();
    await turn();
    for (let ended = 0; ended < 5; ended++) {
      expect(begun.join("")).toBe("abcde".slice(0, Math.min(5, ended + lanes)));
      expect(outbox.size).toBe(5 - ended);
      await finish();
    }
    await flushed;
    expect([outbox.size, outbox.has("a")]).toEqual([0, false]);
  });

  it("holds an entry once until it's sent, and sends it again before others if it has to", async () => {
    const { outbox, begun, finish } = openOutbox(1);
    outbox.add("a");
    outbox.add("b");
    outbox.add("a");
    await turn();
    outbox.add("a");
    await finish(true);
    await finish();
    await finish();
    expect(begun).toEqual(["a", "a", "b"]);
    expect(outbox.size).toBe(0);
    outbox.add("a");
    await turn();
    expect(begun).toEqual(["a", "a", "b", "a"]);
    await finish();
  });

  it("drops what waits when its signal aborts, and counts it", async () => {
    const { outbox, begun, dropped, abort, finish } = openOutbox(2);
    for (const entry of ["a", "b", "c", "d"]) outbox.add(entry);
    const flushed = outbox.flush();
    await turn();
    abort.abort();
    await finish();
    await finish();
    await flushed;
    expect(begun).toEqual(["a", "b"]);
    expect(dropped).toEqual([2]);
    expect(outbox.size).toBe(0);
  });
});
