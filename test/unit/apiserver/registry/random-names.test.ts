import { expect, it } from "vitest";
import { randomUuid } from "../../../../src/apiserver/registry/random-names.js";

/** Returns a function that returns each of the words, as a fraction, in turn. */
function fractions(...words: number[]): () => number {
  let at = 0;
  return () => words[at++ % words.length]! / 2 ** 32;
}

it.each([
  [[0], "00000000-0000-4000-8000-000000000000"],
  [[0xffffffff], "ffffffff-ffff-4fff-bfff-ffffffffffff"],
  [[0x01020304, 0x0a0b0c0d, 0x789abcde, 0x0f00f00f], "01020304-0a0b-4c0d-b89a-bcde0f00f00f"],
  [[0x80000000, 0x7fffffff, 0x40000000, 0x80000001], "80000000-7fff-4fff-8000-000080000001"],
])("a UUID of the random words %j is %s", (words, uuid) => {
  expect(randomUuid(fractions(...words))).toBe(uuid);
});
