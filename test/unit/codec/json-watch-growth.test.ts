import { afterEach, expect, it, vi } from "vitest";
import { BoundaryScanner } from "../../../src/codec/json/boundary.js";
import { json } from "../../../src/codec/json/json.js";

afterEach(() => vi.restoreAllMocks());

const chunkBytes = 1_000;

/** Returns an event in chunks that each end with a brace, like a whole event. Its line feed comes last. */
function eventInChunks(count: number): Uint8Array[] {
  const filling = `{"name":"${"x".repeat(chunkBytes - 12)}"}`;
  const pieces = [
    '{"type":"ADDED","object":{"items":[{}',
    ...Array.from({ length: count }, () => `,${filling}`),
    "]}}\n",
  ];
  return pieces.map((piece) => new TextEncoder().encode(piece));
}

function decode(chunks: readonly Uint8Array[]): void {
  const decoder = json().createWatchDecoder();
  const events = chunks.flatMap((chunk) => [...decoder.push(chunk)]);
  expect(events.map(({ type }) => type)).toEqual(["ADDED"]);
}

it("a watch event in many chunks is searched for its end once, and copied a few times", () => {
  const chunks = eventInChunks(1_000);
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const array = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const { indexOf, set } = array;
  let [searched, copied] = [0, 0];
  vi.spyOn(array, "indexOf").mockImplementation(function (this: Uint8Array, byte, from = 0) {
    const found = indexOf.call(this, byte, from);
    searched += (found < 0 ? this.length : found) - from;
    return found;
  });
  vi.spyOn(array, "set").mockImplementation(function (this: Uint8Array, source, offset) {
    copied += source.length;
    set.call(this, source, offset);
  });
  decode(chunks);
  expect(searched).toBeGreaterThan(length * 0.9);
  expect(searched).toBeLessThan(length * 1.1);
  expect(copied).toBeGreaterThan(length * 0.9);
  expect(copied).toBeLessThan(length * 4);
});

it("the brackets of a watch event are counted once, in however many chunks it arrives", () => {
  const chunks = eventInChunks(1_000);
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const scan = vi.spyOn(BoundaryScanner.prototype, "scan");
  decode(chunks);
  const scanned = scan.mock.calls.reduce((sum, [, start, end]) => sum + end - start, 0);
  expect(scanned).toBeGreaterThan(length * 0.9);
  expect(scanned).toBeLessThan(length * 1.1);
});
