import { createMux } from "../../../src/mux/create-mux.js";
import { encodeFrame, encodeJsonFrame, encodeOpen, frameTypes, muxProtocol } from "../../../src/mux/frames.js";
import type { Transport, TransportSocket } from "../../../src/transport/transport.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { attacked } from "./proxy.js";

/** A message of a WebSocket in an input: its length in two bytes, and its content. */
const message = (content: string): string =>
  String.fromCharCode(content.length >> 8, content.length & 255) + content.slice(0, 65_535);
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const frame = (type: number, stream: number, payload = ""): string =>
  message(asText(encodeFrame(type, stream, Buffer.from(payload, "latin1"))));
const jsonFrame = (type: number, stream: number, value: object): string =>
  message(asText(encodeJsonFrame(type, stream, value)));

/** Cuts an input into messages. The last may be shorter than it announces. */
function* messagesIn(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at + 2 <= bytes.length; ) {
    const length = bytes[at]! * 256 + bytes[at + 1]!;
    yield bytes.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
}

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const open = (stream: number, head: object, body?: string): string =>
  message(
    asText(
      encodeOpen(
        stream,
        { cluster: "prod", method: "GET", path: "/version", headers: {}, credit: 1_000, ...head },
        body === undefined ? undefined : Buffer.from(body, "latin1"),
      ),
    ),
  );
const pods = { path: "/api/v1/namespaces/web/pods" };

/** Frames of a page. */
const pageFrames: Vocabulary = {
  frames: [
    ["", ""],
    [open(1, pods), ""],
    [open(1, { ...pods, path: `${pods.path}?watch=1` }), frame(frameTypes.cancel, 1)],
  ],
  pairs: [],
  values: [
    (at) => open(at + 1, {}),
    (at) => open(at + 1, pods, "x".repeat(300)),
    (at) => open(at + 1, { path: "/api/v1/namespaces/bank/secrets" }),
    (at) => open(at + 1, { cluster: "..", path: "/%2e%2e/secrets", headers: { authorization: "a", accept: "b" } }),
    (at) => open(at + 1, {}) + frame(frameTypes.cancel, at + 1),
    (at) => open(at + 1, { headers: { accept: "x".repeat(2_000), "content-type": 1 } }),
    frame(frameTypes.ping, 0),
    frame(frameTypes.credit, 1, "\0\0\0\x01"),
    frame(frameTypes.cancel, 1),
  ],
  junk: [
    ...[message(""), message("\0"), message("\xff".repeat(40)), frame(0x99, 1), frame(frameTypes.open, 1), "\0"],
    ...[frame(frameTypes.credit, 1, "\xff\xff\xff\xff"), frame(frameTypes.open, 1, `\xff\xff\xff\xff{}`)],
    ...[frame(frameTypes.open, 1, "\0\0\0\x01["), frame(frameTypes.open, 1, `\0\0\x9c\x40${deep}`)],
    ...[open(1, { credit: -1 }), open(1, { credit: 1e300 }), open(1, { method: "TRACE" }), open(0, {})],
    open(1, { path: "//evil" }),
  ],
  joints: [""],
  announcements: [(count) => String.fromCharCode((count >> 8) & 255, count & 255)],
};

function proxyTarget(): Target {
  let close: (() => Promise<unknown>) | undefined;
  return {
    maxBytes: 128 * 1024,
    vocabulary: pageFrames,
    wellFormed: (bytes) => ordinary(bytes, ["", ""], (at) => open(at + 1, {})),
    async prepare({ bytes }) {
      const { proxy, check } = attacked();
      const headers = { cookie: "session=1", "sec-websocket-protocol": muxProtocol };
      const answer = await proxy.upgrade(new Request("http://localhost/clusters/", { headers }));
      if (answer instanceof Response) throw new Error(`the proxy refuses the connection: ${await answer.text()}`);
      const { socket } = answer;
      close = () => socket.close();
      return async () => {
        const answered = (async () => {
          for await (const sent of socket.messages) void sent;
        })();
        try {
          for (const sent of messagesIn(bytes)) await socket.send(sent);
        } finally {
          await socket.close();
          await answered;
        }
        check();
      };
    },
    async cleanUp() {
      await close?.();
    },
  };
}

/** Frames of a proxy. */
const proxyFrames: Vocabulary = {
  frames: [
    ["", ""],
    [jsonFrame(frameTypes.head, 1, { status: 200, headers: { "content-type": "text/plain" } }), ""],
    [jsonFrame(frameTypes.head, 1, { status: 200, headers: {} }), frame(frameTypes.end, 1)],
  ],
  pairs: [],
  values: [
    frame(frameTypes.data, 1, "a"),
    frame(frameTypes.data, 1, "x".repeat(3_000)),
    frame(frameTypes.data, 1),
    frame(frameTypes.data, 7, "x"),
    frame(frameTypes.pong, 0),
    frame(frameTypes.end, 1),
    jsonFrame(frameTypes.head, 1, { status: 200, headers: { a: "b" } }),
    (at) => jsonFrame(frameTypes.head, 1, { status: at, headers: { [`h${String(at)}`]: "v".repeat(200) } }),
    jsonFrame(frameTypes.fail, 1, { message: "no" }),
  ],
  junk: [
    ...[message(""), message("\x12"), frame(0x99, 1), jsonFrame(frameTypes.bye, 0, { message: 1 }), "\0"],
    ...[
      frame(frameTypes.head, 1, "{"),
      frame(frameTypes.head, 1, deep),
      jsonFrame(frameTypes.head, 1, { status: "1" }),
    ],
    ...[jsonFrame(frameTypes.head, 1, { status: 1, headers: { "a b": "c" } }), frame(frameTypes.fail, 1, deep)],
    jsonFrame(frameTypes.head, 1, { status: -1e300, headers: [["a"], 1] }),
  ],
  joints: [""],
};

/** A page whose proxy is hostile: one request, and whatever arrives after it. */
function pageTarget(): Target {
  let close: (() => Promise<void>) | undefined;
  return {
    maxBytes: 512 * 1024,
    vocabulary: proxyFrames,
    prepare({ bytes }) {
      const socket: TransportSocket = {
        protocol: muxProtocol,
        messages: (async function* () {
          yield* messagesIn(bytes);
        })(),
        send: async () => undefined,
        close: async () => undefined,
      };
      const transport: Transport = {
        send: () => Promise.reject(new Error("unused")),
        connect: async () => socket,
        close: async () => undefined,
      };
      const mux = createMux({ transport });
      close = () => mux.close();
      const { signal } = new AbortController();
      return async () => {
        const request = { method: "GET", path: "/version", headers: {}, signal };
        const { body } = await mux.transport("prod").send(request);
        for await (const chunk of body) void chunk;
      };
    },
    async cleanUp() {
      await close?.();
    },
  };
}

/** Both sides of a multiplexed connection. */
export const multiplexed: Record<string, Target> = { "mux-proxy": proxyTarget(), "mux-page": pageTarget() };
