import { describe, expect, it } from "vitest";
import { cbor } from "../../../src/codec/cbor/cbor.js";

/**
 * Numbers as the Kubernetes encoder in Go writes them, in the shortest form without loss. 64-bit integers stay
 * integers.
 */
const written: [value: number, hex: string][] = [
  [0, "00"],
  [23, "17"],
  [24, "1818"],
  [-25, "3818"],
  [65536, "1a00010000"],
  [9007199254740992, "1b0020000000000000"],
  [2 ** 63 - 1024, "1b7ffffffffffffc00"],
  [-1, "20"],
  [-257, "390100"],
  [-(2 ** 53), "3b001fffffffffffff"],
  [-(2 ** 63), "3b7fffffffffffffff"],
  [1e300, "fb7e37e43c8800759c"],
  [1.5, "f93e00"],
  [-0, "f98000"],
  [0.1, "fb3fb999999999999a"],
  [65504.5, "fa477fe080"],
  [65504.0001, "fb40effc0000d1b717"],
  [0.5, "f93800"],
  [6.103515625e-5, "f90400"],
  [6.097555160522461e-5, "f903ff"],
  [5.960464477539063e-8, "f90001"],
  [8.940696716308594e-8, "fa33c00000"],
  [2.98e-8, "fb3e5fff5c939522db"],
  [1e-45, "fb3696d601ad376ab9"],
  [5e-324, "fb0000000000000001"],
  [1.7976931348623157e308, "fb7fefffffffffffff"],
  [3.4028234663852886e38, "fa7f7fffff"],
  [1e19, "fb43e158e460913d00"],
  [-1e19, "fbc3e158e460913d00"],
  [9.223372036854776e18, "fa5f000000"],
  [-9.223372036854778e18, "fbc3e0000000000001"],
  [1.8446744073709552e19, "fa5f800000"],
  [2.25, "f94080"],
  [1023.5, "f963ff"],
  [2047.5, "fa44fff000"],
  [-2047.25, "fac4ffe800"],
  [0.333251953125, "f93555"],
  [1.1920928955078125e-7, "f90002"],
];

describe("CBOR number", () => {
  it.each(written)("%d encodes to %s and decodes back", (value, hex) => {
    const bytes = Buffer.from(`d9d9f7a14161${hex}`, "hex");
    expect(Buffer.from(cbor().encode({ a: value })).toString("hex")).toBe(bytes.toString("hex"));
    expect(cbor().decode(bytes)).toEqual({ a: value });
  });
});
