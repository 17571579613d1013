import { concatBytes, utf8Encode } from "../bytes.js";

/** Frame from the peer. Frame types that streams of pods don't need are `other`. */
export interface SpdyFrame {
  /** Type of the frame. A long data frame is split; only its last part has `fin`. */
  readonly type: "data" | "open" | "reply" | "reset" | "ping" | "goaway" | "other";
  /** Number of the stream or of the ping. */
  readonly id: number;
  /** True if the peer sends nothing more on the stream. */
  readonly fin: boolean;
  /** Payload of a data frame, or the compressed headers of a frame that opens a stream. */
  readonly data: Uint8Array;
}

const types = { open: 1, reply: 2, reset: 3, ping: 6, goaway: 7 } as const;
const typeNames: Readonly<Record<number, Exclude<SpdyFrame["type"], "data" | "other"> | undefined>> = {
  1: "open",
  2: "reply",
  3: "reset",
  6: "ping",
  7: "goaway",
};
/** Bytes at the start of every frame: type or stream, flags and length. */
const headBytes = 8;
/** Bytes of a frame that opens a stream before its headers: two numbers of streams, the priority and the slot. */
const openHeadBytes = 10;
/** Maximum length of the frames that aren't data, in bytes. */
const maxControlBytes = 64 * 1024;
const cancel = 5;
const empty = new Uint8Array();

/**
 * Start of the zlib stream (RFC 1950) for headers, which refers to SPDY's dictionary by its checksum. The blocks aren't
 * compressed, so the dictionary itself isn't needed.
 */
const zlibHeader = /* @__PURE__ */ Uint8Array.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);

const flush = /* @__PURE__ */ Uint8Array.from([0, 0, 0, 255, 255]);

/**
 * Encodes the opening of a stream. Set `first` for the first stream of a connection and `fin` if nothing will be sent
 * on it. Header names must be in lower case.
 */
export function encodeOpen(
  stream: number,
  headers: Readonly<Record<string, string>>,
  { first = false, fin = false }: { readonly first?: boolean; readonly fin?: boolean },
): Uint8Array {
  const head = [uint32(stream), uint32(0), Uint8Array.from([0, 0])];
  return control(types.open, fin ? 1 : 0, concatBytes([...head, encodeHeaders(headers, first)]));
}

/** Encodes the reply that accepts a stream. Set `first` for the first one of a connection. */
export function encodeReply(stream: number, first: boolean): Uint8Array {
  return control(types.reply, 0, concatBytes([uint32(stream), encodeHeaders({}, first)]));
}

function encodeHeaders(headers: Readonly<Record<string, string>>, first: boolean): Uint8Array {
  const entries = Object.entries(headers);
  const block = concatBytes([
    uint32(entries.length),
    ...entries.flat().flatMap((text) => {
      const bytes = utf8Encode(text);
      return [uint32(bytes.length), bytes];
    }),
  ]);
  const { length } = block;
  // A stored DEFLATE block (RFC 1951), followed by an empty one that makes readers flush.
  const stored = Uint8Array.from([0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]);
  return concatBytes([first ? zlibHeader : empty, stored, block, flush]);
}

/** Encodes a data frame of at most 16 MiB. */
export function encodeData(stream: number, data: Uint8Array, fin = false): Uint8Array {
  return concatBytes([uint32(stream), uint32(((fin ? 1 : 0) << 24) | data.length), data]);
}

/** Encodes a frame that ends a stream in both directions. */
export function encodeReset(stream: number): Uint8Array {
  return control(types.reset, 0, concatBytes([uint32(stream), uint32(cancel)]));
}

/** Encodes the announcement that the connection closes. */
export function encodeGoAway(lastStream: number): Uint8Array {
  return control(types.goaway, 0, concatBytes([uint32(lastStream), uint32(0)]));
}

/** Encodes the reply to a ping. */
export function encodePing(id: number): Uint8Array {
  return control(types.ping, 0, uint32(id));
}

function control(type: number, flags: number, payload: Uint8Array): Uint8Array {
  return concatBytes([uint32(0x80030000 | type), uint32((flags << 24) | payload.length), payload]);
}

function uint32(value: number): Uint8Array {
  return Uint8Array.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
}

/**
 * Creates a reader for the peer's frames in chunks of any size. `push` reads a frame when the next one is requested,
 * because a chunk can contain millions. It throws what `failure` returns for anything other than SPDY/3.1. Each byte is
 * copied at most once.
 */
export function createSpdyReader(failure: (message: string) => Error): {
  push(chunk: Uint8Array): Iterable<SpdyFrame>;
} {
  const head = createPart();
  head.begin(headBytes);
  const payload = createPart();
  let data: { readonly id: number; readonly fin: boolean; left: number } | undefined;
  let control: { readonly type: SpdyFrame["type"]; readonly fin: boolean } | undefined;

  function beginFrame(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, headBytes);
    const [word, flags, length] = [view.getUint32(0), bytes[4]!, view.getUint32(4) & 0xffffff];
    const fin = (flags & 1) !== 0;
    if (word < 0x80000000) {
      data = { id: word, fin, left: length };
      return;
    }
    if (word >>> 16 !== 0x8003 || length > maxControlBytes)
      throw failure("the tunnel contains data other than SPDY/3.1");
    const type = typeNames[word & 0xffff] ?? "other";
    if (type !== "other" && length < (type === "open" ? openHeadBytes : 4))
      throw failure("the tunnel contains a truncated SPDY frame");
    control = { type, fin };
    payload.begin(length);
  }

  function takeData({ id, fin, left }: NonNullable<typeof data>, rest: Uint8Array): SpdyFrame {
    const bytes = rest.subarray(0, left);
    data = bytes.length < left ? { id, fin, left: left - bytes.length } : undefined;
    return { type: "data", id, fin: fin && data === undefined, data: bytes };
  }

  function endControl({ type, fin }: NonNullable<typeof control>, bytes: Uint8Array): SpdyFrame {
    control = undefined;
    if (type === "other") return { type, id: 0, fin, data: empty };
    const id = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) & 0x7fffffff;
    return { type, id, fin, data: type === "open" ? bytes.subarray(openHeadBytes) : empty };
  }

  return {
    *push(chunk) {
      let rest = chunk;
      for (;;) {
        if (data !== undefined) {
          if (rest.length === 0 && data.left > 0) return;
          const frame = takeData(data, rest);
          rest = rest.subarray(frame.data.length);
          yield frame;
          continue;
        }
        const part = control === undefined ? head : payload;
        const needed = part.needed();
        const whole = part.take(rest);
        if (whole === undefined) return;
        rest = rest.subarray(needed);
        if (control !== undefined) yield endControl(control, whole);
        else {
          head.begin(headBytes);
          beginFrame(whole);
        }
      }
    },
  };
}

/** Part of a frame that may arrive in several chunks. */
interface Part {
  /** Begins a part of the given length. */
  begin(length: number): void;
  /** Returns the number of bytes that are missing. */
  needed(): number;
  /** Takes the missing bytes from the start of a chunk. Returns the whole part, or `undefined` if bytes are missing. */
  take(chunk: Uint8Array): Uint8Array | undefined;
}

function createPart(): Part {
  let length = 0;
  let filled = 0;
  let held: Uint8Array | undefined;
  return {
    begin(next) {
      length = next;
      filled = 0;
      held = undefined;
    },
    needed: () => length - filled,
    take(chunk) {
      // A part within one chunk isn't copied.
      if (held === undefined && chunk.length >= length) return chunk.subarray(0, length);
      held ??= new Uint8Array(length);
      const bytes = chunk.subarray(0, length - filled);
      held.set(bytes, filled);
      filled += bytes.length;
      return filled === length ? held : undefined;
    },
  };
}
