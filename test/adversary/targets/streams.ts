import { Duplex } from "node:stream";
import { portsOverSpdy } from "../../../src/apiserver/kubelets/spdy-streams.js";
import { inflate } from "../../../src/apiserver/node/answer.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import { systemClock } from "../../../src/internal/clock.js";
import { createSpdyReader, encodeOpen } from "../../../src/internal/streams/spdy-frames.js";
import { readTar } from "../../../src/node/pods/read-tar.js";
import { createWebSocket } from "../../../src/node/websocket/websocket.js";
import { readExitStatus } from "../../../src/streams/exit-status.js";
import { createLineSplitter } from "../../../src/streams/split-lines.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";

const uint32 = (value: number): string =>
  String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

/** Header of a WebSocket frame of a server. */
const frame = (first: number, length: number): string =>
  String.fromCharCode(first) +
  (length < 126
    ? String.fromCharCode(length)
    : length < 65_536
      ? `\x7e${uint32(length).slice(2)}`
      : `\x7f\0\0\0\0${uint32(length)}`);
const whole = (first: number, content: string): string => frame(first, content.length) + content;
const webSocketFrames: Vocabulary = {
  frames: [["", ""]],
  pairs: [[whole(0x02, "a"), whole(0x80, "")]],
  values: [
    ...[
      whole(0x82, ""),
      whole(0x82, "a"),
      whole(0x89, ""),
      whole(0x8a, ""),
      whole(0x02, ""),
      whole(0x00, ""),
      whole(0x80, ""),
    ],
    ...[
      whole(0x82, "a".repeat(200)),
      whole(0x89, "p".repeat(125)),
      whole(0x00, "a"),
      whole(0x82, "\x01".repeat(2_000)),
    ],
  ],
  junk: [
    whole(0x88, ""),
    whole(0x88, "\x03\xe8bye"),
    whole(0xc2, "a"),
    whole(0x83, ""),
    "\x82\x80",
    "\xff",
    whole(0x81, "\xff"),
  ],
  joints: [""],
  announcements: [(count) => frame(0x82, count), (count) => frame(0x02, count), (count) => frame(0x00, count)],
};

const spdyData = (content: string, flags = 0): string =>
  `${uint32(1)}${String.fromCharCode(flags)}${uint32(content.length).slice(1)}${content}`;
const spdyControl = (type: number, content: string): string =>
  `\x80\x03${uint32(type).slice(2)}\0${uint32(content.length).slice(1)}${content}`;
const spdyOpen = (id: number, streamType: string): string =>
  Buffer.from(encodeOpen(id, { streamtype: streamType, port: "80", requestid: "0" }, { first: id === 1 })).toString(
    "latin1",
  );
const spdyFrames: Vocabulary = {
  frames: [["", ""]],
  pairs: [],
  values: [
    ...[spdyData(""), spdyData("a"), spdyData("a".repeat(3_000)), spdyData("", 1), spdyControl(6, uint32(1))],
    ...[spdyOpen(1, "error"), spdyOpen(3, "data"), spdyControl(7, uint32(3))],
    ...[spdyControl(2, uint32(1)), spdyControl(3, uint32(1) + uint32(1)), spdyControl(4, "x".repeat(500))],
    spdyControl(4, "x".repeat(60_000)),
  ],
  junk: [spdyControl(6, ""), "\x80\x02", "\xff", "\0"],
  joints: [""],
  announcements: [
    (count) => `${uint32(1)}\0${uint32(count).slice(1)}`,
    (count) => `\x80\x03\0\x02\0${uint32(count).slice(1)}`,
  ],
};

/** Header of a tar entry, with its checksum. */
function tarHeader(name: string, size: number, type: string): string {
  const bytes = Buffer.alloc(512);
  bytes.write(name.slice(0, 100), 0, "latin1");
  bytes.write("0000644\0" + "0000000\0" + "0000000\0", 100, "latin1");
  bytes.write(
    `${Math.min(size, 8 ** 11 - 1)
      .toString(8)
      .padStart(11, "0")} `,
    124,
    "latin1",
  );
  bytes.write("00000000000 ", 136, "latin1");
  bytes.fill(0x20, 148, 156);
  bytes.write(type, 156, "latin1");
  bytes.write("ustar\x0000", 257, "latin1");
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return bytes.toString("latin1");
}
const padded = (content: string): string => content + "\0".repeat((512 - (content.length % 512)) % 512);
const entry = (name: string, content: string, type = "0"): string =>
  tarHeader(name, content.length, type) + padded(content);
const paxLine = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${String(length)}${rest}`;
};
const tarEntries: Vocabulary = {
  frames: [
    ["", "\0".repeat(1_024)],
    [entry("a", "x"), "\0".repeat(1_024)],
  ],
  pairs: [],
  values: [
    ...[entry("a", ""), entry("a", "x"), entry("a/", "", "5"), entry("a", "x".repeat(3_000)), entry("l", "", "2")],
    ...[entry("PaxHeader", paxLine("path", "b"), "x"), entry("PaxHeader", paxLine("path", "b".repeat(900)), "x")],
    ...[entry("g", paxLine("comment", "c".repeat(400)), "g"), entry("././@LongLink", `${"n".repeat(300)}\0`, "L")],
    ...[entry("././@LongLink", `${"n".repeat(300)}\0`, "K"), entry("PaxHeader", paxLine("size", "3"), "x")],
    (at) => entry(`f${String(at)}`, ""),
    (at) => entry("PaxHeader", paxLine(`KUBE.k${String(at)}`, "v"), "x"),
  ],
  junk: ["\0".repeat(512), "x".repeat(512), entry("PaxHeader", "999 path=b\n", "x"), entry("../up", "x"), "x"],
  joints: [""],
  announcements: ["0", "x", "g", "L", "K"].map((type) => (count: number) => tarHeader("a", count, type)),
};

const lines: Vocabulary = {
  frames: [["", ""]],
  pairs: [],
  values: ["a\n", "\n", "\r\n", "x".repeat(500), "x", "2026-01-02T03:04:05.000000001Z a\n", "\xff\n"],
  junk: ["\0", "\r", "\xe2\x82"],
  joints: [""],
};

async function* inChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Readers of streams: WebSockets, tunnels, archives, logs. */
export const streams: Record<string, Target> = {
  websocket: {
    chunked: true,
    vocabulary: webSocketFrames,
    wellFormed: (bytes) => ordinary(bytes, ["", ""], whole(0x82, "a")),
    prepare: ({ chunks }) => {
      const socket = new Duplex({
        allowHalfOpen: false,
        read: () => undefined,
        write: (_chunk, _encoding, done) => done(),
      });
      const controller = new AbortController();
      const webSocket = createWebSocket({
        socket,
        protocol: "p",
        action: "exec",
        signal: controller.signal,
        clock: systemClock,
      });
      return async () => {
        for (const chunk of chunks) socket.push(chunk);
        socket.push(null);
        try {
          for await (const message of webSocket.messages) void message;
        } finally {
          controller.abort();
        }
      };
    },
    refuses: (error) => error instanceof DOMException,
  },
  spdy: {
    chunked: true,
    vocabulary: spdyFrames,
    prepare:
      ({ chunks }) =>
      () => {
        const reader = createSpdyReader((message) => new ProtocolError(message));
        for (const chunk of chunks) for (const frame of reader.push(chunk)) void frame;
      },
  },
  "spdy-server": {
    chunked: true,
    vocabulary: spdyFrames,
    prepare:
      ({ chunks }) =>
      async () => {
        const connection = portsOverSpdy(
          {
            peer: { send: () => Promise.resolve(), close: () => undefined },
            inflate,
            signal: new AbortController().signal,
          },
          () =>
            async ({ input }) => {
              for await (const chunk of input) void chunk;
            },
        );
        for (const chunk of chunks) await connection.message(chunk);
        connection.closed();
      },
  },
  tar: {
    chunked: true,
    vocabulary: tarEntries,
    prepare:
      ({ chunks }) =>
      async () => {
        for await (const { body } of readTar(inChunks(chunks))) for await (const chunk of body) void chunk;
      },
  },
  lines: {
    chunked: true,
    vocabulary: lines,
    prepare:
      ({ chunks }) =>
      () => {
        const splitter = createLineSplitter(64 * 1024);
        for (const chunk of chunks) splitter.push(chunk);
      },
  },
  "exit-status": {
    maxBytes: 64 * 1024,
    vocabulary: {
      frames: [['{"kind":"Status","status":"Failure","details":{"causes":[', "]}}", "members"]],
      pairs: [["[", "]"]],
      values: ['{"reason":"ExitCode","message":"1"}', "1", '"a"'],
      junk: ["{", "x", "\xff"],
      joints: [","],
    },
    prepare:
      ({ bytes }) =>
      () =>
        readExitStatus(bytes, "exec"),
  },
};
