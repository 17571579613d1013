import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import { inspect } from "node:util";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spdyDictionary } from "../../src/apiserver/kubelets/spdy-headers.js";
import type { Client } from "../../src/client/client.js";
import { connect } from "../../src/node/connection/connect.js";
import { connectPort } from "../../src/streams/port-forward.js";
import { attach, exec } from "../../src/streams/remote-command.js";
import { flood } from "../support/flood.js";
import { frames } from "../unit/node/fake-tunnel.js";
import type { LocalServer } from "../unit/node/local-server.js";
import { pki, serve } from "../unit/node/local-server.js";

const pod = { namespace: "apps", name: "web-0" };
const secret = "s3cret-token";
const port = 8080;

/** Frame of a WebSocket server. */
function frame(first: number, payload: Uint8Array | string): Buffer {
  const content = Buffer.from(payload);
  const head = Buffer.from([first, ...(content.length < 126 ? [content.length] : [127, 0, 0, 0, 0])]);
  const length = Buffer.alloc(content.length < 126 ? 0 : 4);
  if (length.length > 0) length.writeUInt32BE(content.length);
  return Buffer.concat([head, length, content]);
}
const message = (payload: Uint8Array | string): Buffer => frame(0x82, payload);
const many = (piece: Uint8Array, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => piece));
const close = (code: number, reason = ""): Buffer =>
  frame(0x88, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
const status = (value: unknown): Buffer => message(`\x03${JSON.stringify(value)}`);
const success = Buffer.concat([status({ status: "Success" }), close(1000)]);

let protocol: string;
let act: (socket: Duplex) => void;
let server: LocalServer;
let client: Client;
beforeAll(async () => {
  server = await serve(() => undefined, {});
  server.server.on("upgrade", (request, socket) => {
    const key = createHash("sha1").update(
      `${request.headers["sec-websocket-key"]!}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    socket.on("error", () => undefined).resume();
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-protocol: ${protocol}\r\nsec-websocket-accept: ${key.digest("base64")}\r\n\r\n`,
    );
    act(socket);
  });
  client = await connect({ server: server.url, ca: pki("ca.crt"), token: secret, env: {}, retry: false });
});
afterAll(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
});

const sends =
  (...pieces: Buffer[]) =>
  (socket: Duplex): void =>
    void socket.write(Buffer.concat(pieces));
/** Sends a piece until the client leaves. Fails if the client reads far more than it can use. */
const repeats =
  (piece: Buffer) =>
  (socket: Duplex): void =>
    flood(socket, piece, 64 * 1024 * 1024);

const sizeOf = async (chunks: AsyncIterable<Uint8Array>): Promise<number> => {
  let size = 0;
  for await (const chunk of chunks) size += chunk.length;
  return size;
};
const check = (outcome: unknown, expected: object): void => {
  expect(outcome).toMatchObject(expected);
  if (!(outcome instanceof Error)) return;
  expect(outcome.message.length).toBeLessThan(70_000);
  expect(inspect(outcome, { depth: 10 })).not.toContain("s3cret");
};

describe.each([
  ["exec", () => exec(client, pod, { command: ["x"] })],
  ["attach", () => attach(client, pod)],
])("%s with a server that sends", (_verb, open) => {
  it.each<[string, (socket: Duplex) => void, object]>([
    [
      "messages on unknown channels",
      sends(message("\x07x"), message("\xff\x00"), message("\x04{}"), success),
      { code: 0 },
    ],
    ["messages without a channel", sends(many(message(""), 10_000), success), { code: 0 }],
    [
      "pings within the fragments of the status",
      sends(
        frame(0x02, "\x03"),
        frame(0x89, "p"),
        frame(0x00, '{"status":'),
        frame(0x8a, "unasked"),
        frame(0x80, '"Success"}'),
        close(1000),
      ),
      { code: 0 },
    ],
    ["100,000 messages of one byte", sends(many(message("\x01x"), 100_000), success), { code: 0, stdout: 100_000 }],
    ["a status in 1,000 parts", sends(many(message("\x03 "), 1_000), success), { code: 0 }],
    [
      "a status without an end",
      repeats(message(`\x03${" ".repeat(60_000)}`)),
      { message: /the exit status is longer than 1048576 bytes/ },
    ],
    [
      "empty fragments without an end",
      repeats(Buffer.concat([frame(0x02, ""), many(frame(0x00, ""), 70_000)])),
      { message: /broke the WebSocket protocol/ },
    ],
    [
      "fragments without an end",
      repeats(Buffer.concat([frame(0x02, ""), many(frame(0x00, "x".repeat(60_000)), 1_200)])),
      { message: /broke the WebSocket protocol/ },
    ],
    [
      "a second message within fragments",
      sends(frame(0x02, "\x01a"), message("\x01b")),
      { message: /broke the WebSocket protocol/ },
    ],
    [
      "a message of 2^63 bytes",
      sends(Buffer.from([0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255])),
      { message: /broke the WebSocket protocol/ },
    ],
    ["an unknown type of frame", sends(frame(0x83, "x")), { message: /broke the WebSocket protocol/ }],
    ["text that isn't UTF-8", sends(frame(0x81, Uint8Array.of(0xff))), { message: /broke the WebSocket protocol/ }],
    ["an invalid close code", sends(close(999)), { message: /broke the WebSocket protocol/ }],
    ["half a close frame", sends(frame(0x88, "x")), { message: /broke the WebSocket protocol/ }],
    [
      "the token in the reason of a close",
      sends(close(1011, `no ${secret}`)),
      { code: "1011", message: /closed the WebSocket with code 1011: no \[redacted\]/ },
    ],
    [
      "an end within a frame",
      (socket: Duplex) => socket.end(message("\x01hello").subarray(0, 4)),
      { code: "UND_ERR_SOCKET" },
    ],
    [
      "an end without a status",
      sends(close(1000)),
      { message: /the connection closed before the exit status arrived/ },
    ],
    ["a status that is a list", sends(status([]), close(1000)), { name: "StatusError" }],
    [
      "a status that isn't JSON",
      sends(message(`\x03{${secret}`), close(1000)),
      { message: /contains no valid Status/ },
    ],
    [
      "a status with fields of other types",
      sends(status({ status: 7, message: {}, reason: [], code: "x", details: { causes: [1] } }), close(1000)),
      { name: "StatusError", code: 500 },
    ],
    [
      "the token in its status",
      sends(
        status({
          status: "Failure",
          message: secret,
          reason: secret,
          details: { name: secret, causes: [{ message: secret }] },
        }),
        close(1000),
      ),
      { name: "StatusError" },
    ],
    [
      "more after its status",
      sends(status({ status: "Success" }), message("\x01x"), frame(0xc2, "x")),
      { code: 0, stdout: 1 },
    ],
  ])("%s has a clear outcome", async (_what, lie, expected) => {
    protocol = "v5.channel.k8s.io";
    act = lie;
    await using session = await open();
    const sizes = Promise.allSettled([sizeOf(session.stdout), sizeOf(session.stderr)]);
    const outcome = await session.exited.catch((error: unknown) => error);
    const [stdout] = await sizes;
    const { message: text, ...rest } = expected as { message?: RegExp };
    if (text !== undefined) expect((outcome as Error).message).toMatch(text);
    check(
      outcome instanceof Error ? outcome : { ...(outcome as object), stdout: (stdout as { value?: number }).value },
      rest,
    );
  });
});

const begun = Buffer.concat([frames.reply(1), frames.reply(3)]);
const ended = Buffer.concat([frames.data(3, "", true), frames.data(1, "", true)]);
const control = (type: number, payload: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from([0x80, 3, 0, type, 0, payload.length >> 16, (payload.length >> 8) & 255, payload.length & 255]),
    payload,
  ]);
const greeting = Buffer.from([port & 255, port >> 8]);
const onChannel = (channel: number, payload: Uint8Array | string): Buffer =>
  message(Buffer.concat([Buffer.from([channel]), Buffer.from(payload)]));
const bomb = deflateSync(Buffer.alloc(20_000_000), { dictionary: spdyDictionary });

it.each<[string, "v4" | "tunnel", (socket: Duplex) => void, RegExp | number]>([
  ["an unknown channel", "v4", sends(onChannel(9, "x")), /unexpected data on channel 9/],
  ["a message without a channel", "v4", sends(message("")), /does not start with the port number/],
  ["another port", "v4", sends(onChannel(0, "xx")), /does not start with the port number/],
  ["data before the port", "v4", sends(onChannel(0, "data")), /does not start with the port number/],
  [
    "an error without an end",
    "v4",
    repeats(Buffer.concat([onChannel(1, greeting), onChannel(1, "x".repeat(3_000_000))])),
    /x{100}/,
  ],
  [
    "the token as an error",
    "v4",
    sends(onChannel(1, greeting), onChannel(1, `no ${secret}`), close(1000)),
    /no \[redacted\]/,
  ],
  ["the token in the reason of a close", "v4", sends(close(1011, secret)), /code 1011: \[redacted\]/],
  [
    "100,000 bytes one by one",
    "v4",
    sends(onChannel(0, greeting), many(onChannel(0, "x"), 100_000), close(1000)),
    100_000,
  ],
  [
    "half a million empty frames",
    "tunnel",
    sends(message(Buffer.concat([begun, many(frames.data(3, ""), 500_000), ended]))),
    0,
  ],
  ["pings", "tunnel", sends(message(Buffer.concat([begun, many(frames.ping(2), 10_000), ended]))), 0],
  [
    "frames of an unknown type",
    "tunnel",
    sends(message(Buffer.concat([begun, many(control(99, Buffer.alloc(60_000)), 20), ended]))),
    0,
  ],
  [
    "streams of its own, with 20 MB of zeros as headers",
    "tunnel",
    sends(message(Buffer.concat([begun, control(1, Buffer.concat([Buffer.alloc(10, 2), bomb])), ended]))),
    0,
  ],
  [
    "headers that expand to 20 MB",
    "tunnel",
    sends(
      message(
        Buffer.concat([control(2, Buffer.concat([Buffer.from([0, 0, 0, 3]), bomb])), frames.data(3, "ok"), ended]),
      ),
    ),
    2,
  ],
  ["a control frame of 1 MB", "tunnel", sends(message(control(4, Buffer.alloc(1_000_000)))), /other than SPDY/],
  ["data on another stream", "tunnel", sends(message(frames.data(5, "x"))), /unexpected frame on stream 5/],
  ["text of HTTP", "tunnel", sends(message("HTTP/1.1 200 OK\r\n\r\n")), /unexpected frame on stream/],
  [
    "a reset",
    "tunnel",
    sends(message(Buffer.concat([begun, control(3, Buffer.from([0, 0, 0, 3, 0, 0, 0, 1])), frames.data(1, "", true)]))),
    /connection was reset/,
  ],
  [
    "an error without an end",
    "tunnel",
    repeats(Buffer.concat([message(frames.data(1, "x".repeat(3_000_000)))])),
    /x{100}/,
  ],
  [
    "the token as an error",
    "tunnel",
    sends(message(Buffer.concat([begun, frames.data(1, `no ${secret}`, true), frames.data(3, "", true)]))),
    /no \[redacted\]/,
  ],
  [
    "an end within a frame",
    "tunnel",
    (socket) => void sends(message(Buffer.concat([begun, frames.data(3, "abc").subarray(0, 9)])), close(1000))(socket),
    /closed before the pod ended it/,
  ],
])("port forward with a server that sends %s over %s has a clear outcome", async (_what, wire, lie, expected) => {
  protocol = wire === "v4" ? "v4.channel.k8s.io" : "SPDY/3.1+portforward.k8s.io";
  act = lie;
  await using connection = await connectPort(client, pod, port);
  const outcome = await sizeOf(connection.data).catch((error: unknown) => error);
  if (typeof expected === "number") expect(outcome).toBe(expected);
  else {
    expect((outcome as Error).message).toMatch(expected);
    check(outcome, {});
  }
});
