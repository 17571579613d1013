import { describe, expect, it } from "vitest";
import { internedSlice } from "../../../src/codec/intern.js";
import { formatSeconds } from "../../../src/codec/protobuf/special.js";
import { createRandom } from "./random.js";

const encode = new TextEncoder();

describe("interned string", () => {
  const random = createRandom();

  it("equals its bytes even if it is similar to others", () => {
    const alphabets = ["ab", "ab\u00e9\ud83d\ude00", "0123456789abcdef-./:"];
    for (let i = 0; i < 40_000; i++) {
      const letters = [...alphabets[random.below(alphabets.length)]!];
      // Strings of the same length with few differences share the same slots.
      const text = Array.from(
        { length: random.below(30) === 0 ? 70 + random.below(20) : random.below(14) },
        () => letters[random.below(random.below(4) === 0 ? letters.length : 2)]!,
      ).join("");
      const padding = random.below(5);
      const bytes = encode.encode(`${"x".repeat(padding)}${text}yz`);
      expect(internedSlice(bytes, padding, bytes.length - 2)).toBe(text);
    }
  });

  it("differs if only a byte that does not select its slot differs", () => {
    const base = "registry.example.com/platform/service-0001:v1";
    for (let at = 0; at < base.length; at++) {
      for (const text of [base, `${base.slice(0, at)}#${base.slice(at + 1)}`, base]) {
        const bytes = encode.encode(text);
        expect(internedSlice(bytes, 0, bytes.length)).toBe(text);
      }
    }
  });

  it("is read from the given array, including large arrays and subarrays", () => {
    const large = new Uint8Array(300_000).fill(0x61);
    large.set(encode.encode("first-value"), 299_000);
    expect(internedSlice(large, 299_000, 299_011)).toBe("first-value");
    const part = large.subarray(299_006);
    expect(internedSlice(part, 0, 5)).toBe("value");
    large.set(encode.encode("other"), 299_006);
    expect(internedSlice(part, 0, 5)).toBe("other");
    expect(internedSlice(large, 299_000, 299_011)).toBe("first-other");
  });

  it.each([[[0xff]], [[0x61, 0x80]], [[0xed, 0xa0, 0x80]], [[0xc0, 0x80, 0x61, 0x61, 0x61]]])(
    "is undefined for invalid UTF-8: %j",
    (bytes) => {
      expect(internedSlice(Uint8Array.from(bytes), 0, bytes.length)).toBeUndefined();
    },
  );
});

describe("formatted time", () => {
  const random = createRandom();

  it("equals Date's, for days in any order", () => {
    const bounds = [-62167219200, 253402300799];
    for (const seconds of [
      ...bounds,
      -62162121600,
      -62162035200,
      -30610310400,
      -30610224000,
      4107456000,
      4107542400,
      253370764800,
      0,
      -1,
      1,
      86399,
      86400,
      -86400,
      -86401,
      951782400,
      4107542399,
      ...Array.from({ length: 20_000 }, () =>
        random.below(2) === 0 ? random.below(4_000_000_000) : -random.below(62_000_000_000),
      ),
    ]) {
      expect(formatSeconds(seconds)).toBe(`${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
    }
    for (const seconds of [bounds[0]! - 1, bounds[1]! + 1, NaN, Infinity])
      expect(formatSeconds(seconds)).toBeUndefined();
  });
});
