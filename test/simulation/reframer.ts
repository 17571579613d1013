import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import type { Random } from "./random.js";

/** Fault that damages a watch, frame by frame. */
export interface FrameFault {
  readonly kind: string;
  /** Number of watch frames that arrive undamaged. */
  readonly after: number;
  readonly random: Random;
  readonly format: FrameFormat;
}

/** Frames of a watch in one encoding. */
interface FrameFormat {
  /** Returns the length of the first frame, -1 if it's incomplete. */
  lengthOf(bytes: Uint8Array): number;
  /** Returns true for a BOOKMARK event. */
  isBookmark(frame: Uint8Array): boolean;
  /** Encodes an event. */
  encode(type: string, object: object): Uint8Array;
  /** Returns the frame with only the first bytes of its content. */
  truncate(frame: Uint8Array, random: Random): Uint8Array;
}

const codec = protobuf();
const join = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const startsWith = (bytes: Uint8Array, text: string, at = 0): boolean =>
  Buffer.from(bytes.subarray(at, at + text.length)).toString("latin1") === text;

/** Lines of JSON. */
export const jsonFrames: FrameFormat = {
  lengthOf: (bytes) => bytes.indexOf(10) + 1 || -1,
  isBookmark: (frame) => startsWith(frame, '{"type":"BOOKMARK"'),
  encode: (type, object) => new TextEncoder().encode(`${JSON.stringify({ type, object })}\n`),
  // At least one byte stays. An empty line between events is white space, as JSON allows it: see codec/json/watch.ts.
  truncate: (frame, random) =>
    join(frame.subarray(0, Math.max(1, random.int(frame.length - 1))), new TextEncoder().encode("\n")),
};

/** Messages with their length in front. */
export const protobufFrames: FrameFormat = {
  lengthOf(bytes) {
    if (bytes.length < 4) return -1;
    const length = 4 + Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32BE();
    return length > bytes.length ? -1 : length;
  },
  isBookmark: (frame) => startsWith(frame, "BOOKMARK", 6),
  encode: (type, object) => {
    const message = join(
      lengthDelimited(1, new TextEncoder().encode(type)),
      lengthDelimited(2, lengthDelimited(1, codec.encode(object))),
    );
    return withLength(message);
  },
  truncate: (frame, random) => withLength(frame.subarray(4, 4 + random.int(frame.length - 5))),
};

function lengthDelimited(field: number, content: Uint8Array): Uint8Array {
  const head = [field * 8 + 2];
  let length = content.length;
  for (; length > 127; length >>>= 7) head.push((length & 127) | 128);
  return join(Uint8Array.of(...head, length), content);
}

function withLength(message: Uint8Array): Uint8Array {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(message.length);
  return join(head, message);
}

const earlyBookmark = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { resourceVersion: "1", creationTimestamp: null },
};

/** Splits a watch into frames and damages them according to the fault. */
export function createReframer({
  kind,
  after,
  random,
  format,
}: FrameFault): (bytes: Uint8Array) => { out: Uint8Array[]; over?: "cut" | "clean" | "half-open" } {
  let rest: Uint8Array = new Uint8Array(0);
  let frames = 0;
  return (bytes) => {
    rest = join(rest, bytes);
    const out: Uint8Array[] = [];
    for (let length = format.lengthOf(rest); length >= 0; length = format.lengthOf(rest)) {
      const frame = rest.subarray(0, length);
      rest = rest.subarray(length);
      const bookmark = format.isBookmark(frame);
      const isEnd = bookmark && Buffer.from(frame).includes("initial-events-end");
      if (kind === "no bookmarks" && bookmark && !isEnd) continue;
      if (kind === "no end bookmark" && isEnd) continue;
      if (kind === "early bookmark" && frames === 0) out.push(format.encode("BOOKMARK", earlyBookmark));
      if (frames++ < after) {
        out.push(frame);
        continue;
      }
      if (kind === "cut") {
        out.push(frame.subarray(0, random.int(frame.length)));
        return { out, over: "cut" };
      }
      if (kind === "clean" || kind === "half-open") return { out, over: kind };
      if (kind === "garbage" && frames === after + 1) {
        out.push(format.truncate(frame, random));
        continue;
      }
      const error = /^error (\d+)( gone)?$/.exec(kind);
      if (error !== null) {
        out.push(format.encode("ERROR", statusOf(Number(error[1]), error[2] !== undefined)));
        return { out, over: "clean" };
      }
      out.push(frame);
    }
    return { out };
  };
}

function statusOf(code: number, gone: boolean): object {
  const reason = gone
    ? "Gone"
    : { 410: "Expired", 500: "InternalError", 429: "TooManyRequests", 504: "Timeout" }[code]!;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "from the plan", reason, code };
}
