import { expect, it } from "vitest";
import { createLineSplitter } from "../../../src/streams/split-lines.js";
import { chooseSeed } from "../../support/seed.js";

const encoder = new TextEncoder();
const split = (text: string, sizes: (rest: number) => number, max = 1_000): string[] => {
  const splitter = createLineSplitter(max);
  const bytes = encoder.encode(text);
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const size = Math.max(1, sizes(bytes.length - offset));
    lines.push(...splitter.push(bytes.subarray(offset, offset + size)));
    offset += size;
  }
  return [...lines, ...splitter.end()];
};

it.each<[string, string[]]>([
  ["", []],
  ["a", ["a"]],
  ["a\n", ["a"]],
  ["\n\n", ["", ""]],
  ["a\nb\r\nc", ["a", "b\r", "c"]],
  ["größe 🎉\nżółć\n", ["größe 🎉", "żółć"]],
])("line splitter splits %j the same way in any chunks", (text, lines) => {
  for (const size of [1, 2, 3, 7, 100]) expect(split(text, () => size)).toEqual(lines);
});

it("line splitter returns the original lines of random text in random chunks", () => {
  let seed = chooseSeed(1);
  const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 200; round++) {
    const lines = Array.from({ length: 1 + random(20) }, () =>
      Array.from({ length: random(30) }, () => "aé🎉 "[random(4)] ?? "x").join(""),
    );
    expect(split(`${lines.join("\n")}\n`, () => 1 + random(20))).toEqual(
      lines.map((line) => new TextDecoder().decode(encoder.encode(line))),
    );
  }
});

it("line splitter splits a line that is too long without cutting a character in two", () => {
  const pieces = split(`${"é".repeat(25)}\nshort\n`, () => 1_000, 11);
  expect(pieces.join("")).toBe(`${"é".repeat(25)}short`);
  for (const piece of pieces) expect(encoder.encode(piece).length).toBeLessThanOrEqual(11);
  expect(pieces.at(-1)).toBe("short");
  expect(split("x".repeat(100), () => 7, 10).join("")).toBe("x".repeat(100));
});
