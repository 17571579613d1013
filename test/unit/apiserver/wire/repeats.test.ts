import { expect, it } from "vitest";
import { Repeats } from "../../../../src/apiserver/wire/repeats.js";

const part = (name: string): string => `{"name":"${name.padEnd(40, ".")}"}`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Looks for a value as the index does. Returns true if it was found. */
function meets(repeats: Repeats, text: string): boolean {
  if (repeats.find(text, 0) !== undefined) return true;
  if (repeats.misses(text.length)) repeats.add(text, bytes(text));
  return false;
}

it("a repeated value is found where it stands", () => {
  const repeats = new Repeats();
  meets(repeats, part("a"));
  expect(repeats.find(`[${part("a")},${part("b")}]`, 1)).toEqual({ text: part("a"), bytes: bytes(part("a")) });
  expect(repeats.find(`[${part("a")},${part("b")}]`, 0)).toBeUndefined();
  expect(repeats.find(part("a").slice(0, -1), 0)).toBeUndefined();
});

it("a few variants that alternate are found", () => {
  const repeats = new Repeats();
  const found = Array.from({ length: 80 }, (_, i) => meets(repeats, part(`variant ${i % 3}`)));
  expect(found.slice(40)).not.toContain(false);
});

it("values that are seldom repeated are seldom kept", () => {
  const repeats = new Repeats();
  let added = 0;
  for (let i = 0; i < 300; i++) {
    const text = part(`unique ${i}`);
    expect(repeats.find(text, 0)).toBeUndefined();
    if (!repeats.misses(text.length)) continue;
    repeats.add(text, bytes(text));
    added += 1;
  }
  expect(added).toBeLessThan(15);
});

it("short and very long values aren't kept", () => {
  const repeats = new Repeats();
  expect([31, 8193].map((length) => repeats.misses(length))).toEqual([false, false]);
});
