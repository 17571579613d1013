import { expect, it } from "vitest";
import { discardBody, readStart } from "../../../src/internal/streams/read-start.js";
import { fakeClock } from "../client/fake-clock.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Body in chunks that ends, breaks or hangs, and records whether it was canceled. */
function body(pieces: readonly string[], end: "ends" | "breaks" | "hangs") {
  const state = { left: false };
  let at = 0;
  const iterable: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        const piece = pieces[at++];
        if (piece !== undefined) return Promise.resolve({ done: false, value: bytes(piece) });
        if (end === "ends") return Promise.resolve({ done: true, value: undefined });
        return end === "breaks" ? Promise.reject(new Error("broken")) : new Promise(() => undefined);
      },
      return() {
        state.left = true;
        // Behaves like a generator, whose return() waits for its pending read.
        return new Promise(() => undefined);
      },
    }),
  };
  return { iterable, state };
}

it.each<[string, readonly string[], "ends" | "hangs", string, boolean]>([
  ["a short body", ["ab", "cd"], "ends", "abcd", false],
  ["a body as long as the limit", ["abcdef", "gh"], "ends", "abcdefgh", false],
  ["a body that is too long", ["abcdef", "ghi", "jk"], "ends", "abcdefgh", true],
  ["a body that hangs", ["ab"], "hangs", "ab", true],
  ["a body that sends nothing", [], "hangs", "", true],
])("readStart reads %s up to the limits", async (_name, pieces, end, expected, left) => {
  const clock = fakeClock();
  const { iterable, state } = body(pieces, end);
  const reading = readStart(iterable, { bytes: 8, ms: 1_000, clock });
  await clock.advance(999);
  await clock.advance(1);
  expect([new TextDecoder().decode(await reading), state.left, clock.pending()]).toEqual([expected, left, 0]);
});

it("readStart rejects like the body, and discardBody never rejects", async () => {
  const clock = fakeClock();
  await expect(readStart(body(["a"], "breaks").iterable, { bytes: 8, ms: 1_000, clock })).rejects.toThrow("broken");
  await discardBody(body(["a"], "breaks").iterable, clock);
  const hanging = body(["a"], "hangs");
  const discarding = discardBody(hanging.iterable, clock);
  await clock.advance(2_000);
  await discarding;
  expect([hanging.state.left, clock.pending()]).toEqual([true, 0]);
});
