import { constants, createDeflate, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createHeaderDecoder, spdyDictionary } from "../../../../src/apiserver/kubelets/spdy-headers.js";
import { portsOverSpdy, sessionOverSpdy } from "../../../../src/apiserver/kubelets/spdy-streams.js";
import { inflate } from "../../../../src/apiserver/node/answer.js";
import {
  createSpdyReader,
  encodeData,
  encodeOpen,
  encodePing,
  encodeReset,
  type SpdyFrame,
} from "../../../../src/internal/streams/spdy-frames.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Encodes headers as they are before compression. */
function block(headers: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(headers);
  const words = [entries.length, ...entries.flat()].map((word) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(typeof word === "number" ? word : word.length);
    return Buffer.concat([head, Buffer.from(typeof word === "number" ? "" : word)]);
  });
  return Buffer.concat(words);
}

/** Compresses blocks as one stream with a flush after each, as Go does. */
async function compress(blocks: readonly Buffer[]): Promise<Buffer[]> {
  const deflate = createDeflate({ dictionary: spdyDictionary });
  const compressed: Buffer[] = [];
  for (const each of blocks) {
    const pieces: Buffer[] = [];
    deflate.on("data", (piece: Buffer) => pieces.push(piece));
    deflate.write(each);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    deflate.removeAllListeners("data");
    compressed.push(Buffer.concat(pieces));
  }
  deflate.close();
  return compressed;
}

/** A client of a SPDY connection that records what the server sends. */
function createPeer() {
  const reader = createSpdyReader((message) => new Error(message));
  const frames: SpdyFrame[] = [];
  let closed: (() => void) | undefined;
  return {
    frames,
    ended: new Promise<void>((resolve) => (closed = resolve)),
    peer: {
      send(bytes: Uint8Array) {
        frames.push(...reader.push(bytes));
        return Promise.resolve();
      },
      close: () => closed?.(),
    },
    /** Returns the bytes of a stream. */
    received: (id: number) =>
      frames.flatMap((frame) => (frame.type === "data" && frame.id === id ? decode(frame.data) : [])).join(""),
  };
}

describe("headers of SPDY streams", () => {
  it("have the dictionary whose checksum zlib puts before the first block", () => {
    expect(deflateSync("", { dictionary: spdyDictionary }).subarray(2, 6).toString("hex")).toBe("e3c6a7c2");
  });

  it("refer to the dictionary and to the headers of earlier streams", async () => {
    const all: Record<string, string>[] = [
      { streamtype: "error", port: "8080", requestid: "0", "content-type": "text/plain" },
      { streamtype: "data", port: "8080", requestid: "0", "content-type": "text/plain" },
      { streamtype: "x".repeat(20_000) },
      { streamtype: "data", port: "8080", requestid: "1" },
    ];
    const decoder = createHeaderDecoder(inflate);
    for (const [index, compressed] of (await compress(all.map(block))).entries())
      expect(Object.fromEntries(decoder(compressed))).toEqual(all[index]);
  });

  it.each([
    ["that are longer than 64 KiB", async () => (await compress([block({ a: "x".repeat(70_000) })]))[0]!],
    ["that are truncated", async () => (await compress([block({ a: "b" }).subarray(0, 10)]))[0]!],
    ["that aren't compressed", () => Buffer.from("78bbe3c6a7c2ffffff", "hex")],
  ])("are refused %s", async (_, make) => {
    const compressed = await make();
    expect(() => createHeaderDecoder(inflate)(compressed)).toThrow();
  });
});

describe("a session over SPDY", () => {
  const open = (id: number, streamtype: string): Uint8Array => encodeOpen(id, { streamtype }, { first: id === 1 });

  it("starts when all its streams are open, and ends with the status on the stream for errors", async () => {
    const { peer, ended, received, frames } = createPeer();
    const sizes: unknown[] = [];
    const connection = sessionOverSpdy(
      { peer, inflate, signal: new AbortController().signal },
      async ({ stdin, write, onResize }) => {
        onResize((size) => sizes.push(size));
        for await (const chunk of stdin) await write("stdout", encode(decode(chunk).toUpperCase()));
        return 3;
      },
      { stdin: true, stdout: true, stderr: false, tty: true },
    );
    for (const [index, type] of ["error", "stdin", "stdout", "stderr", "resize"].entries())
      await connection.message(open(2 * index + 1, type));
    await connection.message(encodeData(9, encode('{"Width":80,"Height":24}\n{"Width":9')));
    await connection.message(encodeData(9, encode('0,"Height":30}\n')));
    await connection.message(encodeData(3, encode("hello"), true));
    await ended;
    expect(received(5)).toBe("HELLO");
    expect(JSON.parse(received(1))).toMatchObject({
      reason: "NonZeroExitCode",
      details: { causes: [{ message: "3" }] },
    });
    expect(sizes).toEqual([
      { width: 80, height: 24 },
      { width: 90, height: 30 },
    ]);
    // The stream that wasn't requested is refused.
    expect(frames.filter(({ type }) => type === "reset").map(({ id }) => id)).toEqual([7]);
    expect(frames.at(-1)?.type).toBe("goaway");
  });

  it("aborts when the client leaves", async () => {
    const { peer } = createPeer();
    let left: ((reason: unknown) => void) | undefined;
    const reason = new Promise((resolve) => (left = resolve));
    const connection = sessionOverSpdy(
      { peer, inflate, signal: new AbortController().signal },
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            left?.((signal.reason as Error).message);
            resolve(0);
          }),
        ),
      { stdin: false, stdout: true, stderr: false, tty: false },
    );
    await connection.message(open(1, "error"));
    await connection.message(open(3, "stdout"));
    await Promise.resolve();
    connection.closed();
    expect(await reason).toBe("the client is gone");
  });
});

describe("ports over SPDY", () => {
  const pair = (request: string, port: string, first: number): Uint8Array[] =>
    ["error", "data"].map((streamtype, index) =>
      encodeOpen(first + 2 * index, { streamtype, port, requestid: request }, { first: first + index === 1 }),
    );

  it("carry several connections, each with an error of its own", async () => {
    const { peer, received, frames } = createPeer();
    const ends: Promise<void>[] = [];
    const connection = portsOverSpdy({ peer, inflate, signal: new AbortController().signal }, (port) =>
      port === 80
        ? ({ input, write }) => {
            const end = (async () => {
              for await (const chunk of input) await write(encode(decode(chunk).toUpperCase()));
            })();
            ends.push(end);
            return end;
          }
        : { refused: "connection refused" },
    );
    for (const bytes of [...pair("0", "80", 1), ...pair("1", "80", 5), ...pair("2", "81", 9)])
      await connection.message(bytes);
    await connection.message(encodeData(3, encode("one"), true));
    await connection.message(encodeData(7, encode("two"), true));
    await Promise.all(ends);
    await Promise.resolve();
    expect([received(3), received(7)]).toEqual(["ONE", "TWO"]);
    expect(received(9)).toBe("error forwarding port 81: connection refused");
    expect(frames.some(({ type, id }) => type === "reset" && id === 11)).toBe(true);
  });

  it.each([
    ["a port that isn't one", { streamtype: "data", port: "0", requestid: "0" }],
    ["an unknown type", { streamtype: "other", port: "80", requestid: "0" }],
    ["no port", { streamtype: "data", requestid: "0" }],
  ])("refuse a stream with %s", async (_, headers) => {
    const { peer, frames } = createPeer();
    const connection = portsOverSpdy({ peer, inflate, signal: new AbortController().signal }, () => ({ refused: "" }));
    await connection.message(encodeOpen(1, headers, { first: true }));
    expect(frames.map(({ type, id }) => [type, id])).toEqual([["reset", 1]]);
  });

  it("end with a connection that opens more than 1,000 streams", async () => {
    const { peer, ended, frames } = createPeer();
    const connection = portsOverSpdy({ peer, inflate, signal: new AbortController().signal }, () => ({ refused: "" }));
    for (let at = 0; at <= 1_000; at++) {
      const headers = { streamtype: "data", port: "80", requestid: String(at) };
      await connection.message(encodeOpen(2 * at + 1, headers, { first: at === 0 }));
    }
    await ended;
    expect(frames.filter(({ type }) => type === "reply")).toHaveLength(1_000);
  });

  it.each([
    ["are refused", 1_000, 1, (id: number) => [encodeOpen(id, { streamtype: "x" }, { first: id === 1 })]],
    [
      "it opens and resets in one message",
      1_000,
      1_001,
      (id: number) => [
        encodeOpen(id, { streamtype: "data", port: "80", requestid: String(id) }, { first: id === 1 }),
        encodeReset(id),
      ],
    ],
  ])("end with a connection more than 1,000 of whose streams %s", async (_, replies, atOnce, make) => {
    const { peer, ended, frames } = createPeer();
    const connection = portsOverSpdy({ peer, inflate, signal: new AbortController().signal }, () => ({ refused: "" }));
    for (let first = 1; first <= 2 * 1_001; first += 2 * atOnce) {
      const message = Array.from({ length: atOnce }, (__, at) => make(first + 2 * at)).flat();
      await connection.message(Buffer.concat(message));
    }
    await ended;
    expect(frames).toHaveLength(replies);
  });

  it("answer the newest ping of a message for all", async () => {
    const { peer, frames } = createPeer();
    const connection = portsOverSpdy({ peer, inflate, signal: new AbortController().signal }, () => ({ refused: "" }));
    await connection.message(Buffer.concat([1, 3, 2, 5, 4].map(encodePing)));
    expect(frames.map(({ type, id }) => [type, id])).toEqual([["ping", 5]]);
  });

  it("aren't read on while replies to streams and pings wait to be sent", async () => {
    const sends: (() => void)[] = [];
    const peer = {
      send: (): Promise<void> => new Promise((resolve) => sends.push(resolve)),
      close: (): void => undefined,
    };
    const connection = portsOverSpdy({ peer, inflate, signal: new AbortController().signal }, () => ({ refused: "" }));
    const frames = [
      encodeOpen(1, { streamtype: "data", port: "80", requestid: "0" }, { first: true }),
      encodeOpen(3, { streamtype: "other" }, {}),
      encodePing(1),
    ];
    for (const frame of frames) {
      let isRead = false;
      const handled = Promise.resolve(connection.message(frame)).then(() => (isRead = true));
      await new Promise(setImmediate);
      expect(isRead).toBe(false);
      sends.pop()!();
      await handled;
    }
  });

  it("forget a stream that is reset before the other one of its pair is opened", async () => {
    const { peer, received, frames } = createPeer();
    const connection = portsOverSpdy(
      { peer, inflate, signal: new AbortController().signal },
      () =>
        ({ write }) =>
          write(encode("hello")),
    );
    const open = (id: number, streamtype: string): Uint8Array =>
      encodeOpen(id, { streamtype, port: "80", requestid: "0" }, { first: id === 1 });
    await connection.message(open(1, "data"));
    await connection.message(encodeReset(1));
    await connection.message(open(3, "data"));
    await connection.message(open(5, "error"));
    await expect.poll(() => received(3)).toBe("hello");
    expect(frames.some(({ type }) => type === "reset")).toBe(false);
  });

  it("end with a connection whose frames are invalid, and with streams that the client resets", async () => {
    const { peer, ended } = createPeer();
    let signal: AbortSignal | undefined;
    const connection = portsOverSpdy(
      { peer, inflate, signal: new AbortController().signal },
      () => (stream) =>
        new Promise(() => {
          signal = stream.signal;
        }),
    );
    for (const bytes of pair("0", "80", 1)) await connection.message(bytes);
    await Promise.resolve();
    await connection.message(encodeReset(3));
    expect(signal?.aborted).toBe(true);
    await connection.message(Uint8Array.of(0x80, 2, 0, 1, 0, 0, 0, 0));
    await ended;
  });
});

it("SPDY reader doesn't collect the frames of a chunk, which may be millions", () => {
  const chunk = Buffer.concat(Array.from({ length: 1_000 }, () => encodeData(1, encode("a"))));
  const reader = createSpdyReader((message) => new Error(message));
  const frames = reader.push(chunk)[Symbol.iterator]();
  frames.next();
  // Not read yet.
  chunk.fill("b");
  chunk.set(encodeData(1, encode("c")), 9);
  expect(decode((frames.next().value as SpdyFrame).data)).toBe("c");
});
