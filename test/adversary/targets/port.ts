import type { Socket } from "node:net";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RequestHandler } from "msw";
import { createMswHandlers } from "../../../src/apiserver/msw/handlers.js";
import type { Listener } from "../../../src/apiserver/node/listen.js";
import { listen } from "../../../src/apiserver/node/listen.js";
import { createFrameSink } from "../../../src/apiserver/node/web-socket.js";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { jsonWords } from "../vocabularies.js";

const get = "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n";
const path = "/api/v1/namespaces/default/configmaps";
const post = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
const upgrade =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
const sized = (body: string): string => `${post}Content-Length: ${String(body.length)}\r\n\r\n${body}`;
const http2Frame = (type: number, flags: number, stream: number, content: string): string => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return head.toString("latin1") + content;
};
const preface = `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${http2Frame(4, 0, 0, "")}`;
/** Parts of requests of HTTP/1.1 and HTTP/2. */
export const httpWords: Vocabulary = {
  frames: [
    ["", ""],
    ["GET /version HTTP/1.1\r\nHost: localhost\r\n", "\r\n\r\n"],
    ["GET /", " HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    [`${post}Transfer-Encoding: chunked\r\n\r\n`, "0\r\n\r\n"],
    [`${post}Content-Length: 1000000\r\n\r\n`, ""],
    [`GET ${path}?watch=1 HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`, ""],
    [get, get],
    [preface, ""],
    ["\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", ""],
  ],
  pairs: [],
  values: [
    ...[get, sized("{}"), sized("["), "a: b\r\n", "5\r\nhello\r\n", "1;a=b\r\nx\r\n", "x".repeat(300), "/a", "{}"],
    ...[`GET /apis HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`],
    ...[`GET ${path}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`, "Connection: upgrade, h2c\r\nUpgrade: h2c\r\n"],
    ...[http2Frame(6, 0, 0, "\0".repeat(8)), http2Frame(4, 0, 0, ""), http2Frame(3, 0, 1, "\0\0\0\x08")],
    ...[http2Frame(1, 5, 1, "\x82\x87\x84"), http2Frame(9, 0, 1, "\x40\x01a\x01b"), http2Frame(8, 0, 0, "\0\0\0\x01")],
    (at) => http2Frame(1, 5, 2 * at + 1, "\x82\x86\x84\x41\x09localhost"),
    (at) => http2Frame(1, 5, 2 * at + 1, "\x82\x86\x84\x41\x09localhost") + http2Frame(3, 0, 2 * at + 1, "\0\0\0\x08"),
    (at) => `x-${String(at)}: v\r\n`,
  ],
  junk: [
    "\r\n",
    "\n",
    "\0",
    "Host: a\r\n",
    "Host: localhost\r\n",
    "HTTP/9.9\r\n",
    "\xff",
    " ",
    "ffffffff\r\n",
    upgrade,
  ],
  joints: ["", "\r\n"],
  announcements: [
    (count) => `${post}Content-Length: ${String(count)}\r\n\r\n`,
    (count) => `${count.toString(16)}\r\n`,
    (count) =>
      http2Frame(1, 4, 1, "").replace("\0\0\0", String.fromCharCode((count >> 16) & 255, (count >> 8) & 255, 1)),
  ],
};

/** Short requests, each with a route and an answer. */
const ordinaryRequests = (bytes: number): string => ordinary(bytes, ["", ""], get);

/** Sends chunks, the end of the stream, and reads until the server has closed its side. `open` connects. */
export async function exchange(
  port: number,
  chunks: readonly Uint8Array[],
  opened: (socket: Socket) => void,
  open: (port: number) => Socket = (to) => connect(to, "127.0.0.1"),
): Promise<void> {
  const socket = open(port);
  opened(socket);
  // A refused request resets the connection while the rest of it is on its way.
  socket.on("error", () => socket.destroy()).resume();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const connected = new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  await Promise.race([connected, closed]);
  for (const chunk of chunks) {
    if (socket.destroyed) break;
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  socket.end();
  await closed;
}

const maxBytes = 64 * 1024;

function portTarget(): Target {
  let server: ApiServer | undefined;
  let listener: Listener | undefined;
  let client: Socket | undefined;
  return {
    chunked: true,
    maxBytes,
    vocabulary: httpWords,
    wellFormed: ordinaryRequests,
    async prepare({ chunks }) {
      server = createApiServer();
      const timeouts = { headMs: 300, requestMs: 400, idleMs: 400 };
      const { port } = (listener = await listen(server, { timeouts }));
      return () => exchange(port, chunks, (socket) => (client = socket));
    },
    async cleanUp() {
      client?.destroy();
      await listener?.close();
      await server?.close();
    },
  };
}

/** Frame of a WebSocket client, masked with zeros. */
export const clientFrame = (first: number, content: string, length = content.length): string => {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(Math.floor(length)), 2);
  return `${head.toString("latin1")}\0\0\0\0${content}`;
};
const clientFrames: Vocabulary = {
  frames: [["", ""]],
  pairs: [[clientFrame(0x01, "a"), clientFrame(0x80, "")]],
  values: [
    ...[clientFrame(0x81, ""), clientFrame(0x81, "a"), clientFrame(0x82, "a".repeat(300)), clientFrame(0x89, "")],
    ...[clientFrame(0x89, "p".repeat(125)), clientFrame(0x8a, ""), clientFrame(0x00, ""), clientFrame(0x01, "")],
  ],
  junk: [
    clientFrame(0x88, ""),
    clientFrame(0x88, "\x03\xe8bye"),
    "\x81\x01a",
    clientFrame(0xc2, "a"),
    "\xff",
    "\x89\xff",
  ],
  joints: [""],
  announcements: [0x82, 0x02, 0x00].map((first) => (count: number) => clientFrame(first, "", count)),
};

/** Feeds chunks to the server's reader of frames, and waits for its pongs. */
async function feedFrames(chunks: readonly Uint8Array[]): Promise<void> {
  let writing = 0;
  const sink = createFrameSink(
    (_frame, done) => {
      writing++;
      setImmediate(() => {
        writing--;
        done();
      });
    },
    () => undefined,
  );
  for (const chunk of chunks) sink(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  do await nextTurn();
  while (writing > 0);
}

const mswFrames = jsonWords([
  ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{', "}}"],
  ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"', "}}"],
  ['{"metadata":{"annotations":{', "}}}"],
]);

function mswTarget(): Target {
  let server: ApiServer | undefined;
  return {
    maxBytes: 1024 * 1024,
    vocabulary: mswFrames,
    prepare({ bytes }) {
      server = createApiServer();
      const handlers: readonly RequestHandler[] = createMswHandlers(server, { url: "http://localhost" });
      const request = new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: bytes as Uint8Array<ArrayBuffer>,
      });
      return async () => {
        const result = await handlers[0]!.run({ request, requestId: "1" });
        const { status } = result!.response!;
        const answer = await result!.response!.text();
        if (status >= 500) throw new Error(`${String(status)}: ${answer}`);
      };
    },
    async cleanUp() {
      await server?.close();
    },
  };
}

/** The embedded server as a program reaches it: on a port, by WebSocket, and by the handlers of a service worker. */
export const port: Record<string, Target> = {
  "server-port": portTarget(),
  "server-websocket": {
    chunked: true,
    vocabulary: clientFrames,
    prepare:
      ({ chunks }) =>
      () =>
        feedFrames(chunks),
  },
  msw: mswTarget(),
};
