import { expect, it } from "vitest";
import {
  decodeFrame,
  encodeCredit,
  encodeFrame,
  encodeJsonFrame,
  encodeOpen,
  frameTypes,
} from "../../../src/mux/frames.js";
import { head, hex } from "./setup.js";

it.each<[string, Uint8Array, string]>([
  ["a ping", encodeFrame(frameTypes.ping, 0), "0400000000"],
  ["a credit", encodeCredit(7, 65_536), "020000000700010000"],
  ["a cancel", encodeFrame(frameTypes.cancel, 0xffff_ffff), "03ffffffff"],
  ["data", encodeFrame(frameTypes.data, 258, new Uint8Array([1, 2])), "12000001020102"],
  ["an end", encodeFrame(frameTypes.end, 1), "1300000001"],
  [
    "a failure",
    encodeJsonFrame(frameTypes.fail, 1, { message: "x" }),
    `1400000001${hex(Buffer.from('{"message":"x"}'))}`,
  ],
  [
    "a request",
    encodeOpen(1, head, new Uint8Array([255])),
    `010000000100000048${hex(Buffer.from(JSON.stringify(head)))}ff`.replace(
      "00000048",
      JSON.stringify(head).length.toString(16).padStart(8, "0"),
    ),
  ],
])("a frame with %s has the documented bytes", (_, frame, bytes) => {
  expect(hex(frame)).toBe(bytes);
  expect(decodeFrame(frame)).toMatchObject({ type: frame[0]! });
});
