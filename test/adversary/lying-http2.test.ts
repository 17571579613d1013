import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { TransportError } from "../../src/errors/errors.js";
import { flood } from "../support/flood.js";
import { endHeaders, endStream, frame, frameTypes, serveFrames } from "../support/http2-frames.js";
import { createVirtualClock } from "../support/virtual-clock.js";
import { until } from "../unit/node/local-server.js";

const { data, headers, reset, settings, push, ping, goaway, windowUpdate, continuation } = frameTypes;

/** `:status: 200` in HPACK. */
const ok = 0x88;
/** A header in HPACK, as a literal. With `index`, the peer keeps it in its dynamic table. */
const header = (name: string, value: string, index = false): Buffer =>
  Buffer.concat([
    Buffer.from([index ? 0x40 : 0, name.length]),
    Buffer.from(name),
    length7(value.length),
    Buffer.from(value),
  ]);
/** An integer in HPACK with a prefix of seven bits. */
function length7(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  for (value -= 127; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}
const begin = (id: number, ...more: Buffer[]): Buffer =>
  frame(headers, endHeaders, id, Buffer.concat([Buffer.from([ok]), ...more]));
const whole = (id: number): Buffer => Buffer.concat([begin(id), frame(data, endStream, id, Buffer.from("{}"))]);

const many = (piece: Buffer, count = 1_000): Buffer => Buffer.concat(Array.from({ length: count }, () => piece));
const text = (content: string): Buffer => Buffer.from(content);

type Act = (id: number, socket: TLSSocket) => void;
const sends =
  (frames: (id: number) => Buffer[]): Act =>
  (id, socket) =>
    void socket.write(Buffer.concat(frames(id)));
const repeats =
  (piece: (id: number) => Buffer, first: (id: number) => Buffer = () => Buffer.alloc(0)): Act =>
  (id, socket) => {
    socket.write(first(id));
    flood(socket, piece(id), 16 * 1024 * 1024);
  };
const secret = "s3cret-token";
const large = header("a", "b".repeat(16_000));

/** The versions of Node differ in what they check: some end the stream, others the connection. */
const fails =
  /: (?:the|connection) .* \((?:ERR_HTTP2_(?:STREAM_|SESSION_)?ERROR|ERR_HTTP2_TOO_MANY_INVALID_FRAMES|UND_ERR_SOCKET)\)$/;

const rows: readonly (readonly [what: string, act: Act, outcome: string | RegExp])[] = [
  ["10,000 GOAWAY", sends((id) => [many(frame(goaway, 0, 0, [0, 0, 0, id, 0, 0, 0, 0]), 10_000)]), fails],
  [
    "endless GOAWAY that repeat the token",
    repeats((id) => many(frame(goaway, 0, 0, [0, 0, 0, id, 0, 0, 0, 11, ...text(secret)]))),
    fails,
  ],
  ["endless SETTINGS", repeats(() => many(frame(settings, 0, 0, [0, 4, 0, 1, 0, 0]))), fails],
  ["endless empty SETTINGS", repeats(() => many(frame(settings, 0, 0))), fails],
  ["endless PING", repeats(() => many(frame(ping, 0, 0, Buffer.alloc(8)))), fails],
  ["endless answers to PING", repeats(() => many(frame(ping, 1, 0, Buffer.alloc(8)))), fails],
  ["endless answers to SETTINGS", repeats(() => many(frame(settings, 1, 0))), fails],
  ["endless resets of another stream", repeats(() => many(frame(reset, 0, 99, [0, 0, 0, 8]))), fails],
  ["endless PUSH_PROMISE", repeats((id) => many(frame(push, endHeaders, id, [0, 0, 0, 2, ok]))), fails],
  ["a window beyond the limit", sends((id) => [many(frame(windowUpdate, 0, id, [0x7f, 255, 255, 255]), 3)]), fails],
  ["frames of an unknown type", sends((id) => [many(frame(77, 0, 0, Buffer.alloc(100))), whole(id)]), "{}"],
  [
    "1,000 responses 103",
    sends((id) => [many(frame(headers, endHeaders, id, header(":status", "103"))), whole(id)]),
    "{}",
  ],
  [
    "endless CONTINUATION",
    repeats(
      (id) => frame(continuation, 0, id, large),
      (id) => frame(headers, 0, id, [ok]),
    ),
    fails,
  ],
  [
    "endless empty CONTINUATION",
    repeats(
      (id) => many(frame(continuation, 0, id)),
      (id) => frame(headers, 0, id, [ok]),
    ),
    fails,
  ],
  [
    "48 MB of headers in 19 kB",
    sends((id) => [
      frame(headers, 0, id, Buffer.concat([Buffer.from([ok]), header("a", "b".repeat(3_000), true)])),
      frame(continuation, endHeaders, id, Buffer.alloc(16_000, 0xbe)),
      frame(data, endStream, id),
    ]),
    fails,
  ],
  ...["abc", "101"].map(
    (status) =>
      [
        `status ${status}`,
        sends((id) => [frame(headers, endHeaders | endStream, id, header(":status", status))]),
        fails,
      ] as const,
  ),
  ["no status", sends((id) => [frame(headers, endHeaders | endStream, id, header("a", "b"))]), fails],
  [
    "a header with a line break",
    sends((id) => [begin(id, header("a", "b\r\nc: d")), frame(data, endStream, id, text("{}"))]),
    "{}",
  ],
  ...["1", "5"].map(
    (length) =>
      [
        `content-length ${length} and two bytes`,
        sends((id) => [begin(id, header("content-length", length)), frame(data, endStream, id, text("{}"))]),
        fails,
      ] as const,
  ),
  [
    "endless empty DATA",
    repeats(
      (id) => many(frame(data, 0, id)),
      (id) => begin(id),
    ),
    fails,
  ],
  [
    "trailers",
    sends((id) => [
      begin(id),
      frame(data, 0, id, text("{}")),
      frame(headers, endHeaders | endStream, id, header("x", "y")),
    ]),
    "{}",
  ],
  [
    "trailers with a status",
    sends((id) => [begin(id), frame(data, 0, id, text("{}")), frame(headers, endHeaders | endStream, id, [ok])]),
    fails,
  ],
  [
    "endless trailers",
    repeats(
      (id) => frame(continuation, 0, id, large),
      (id) => Buffer.concat([begin(id), frame(headers, endStream, id, header("a", "b"))]),
    ),
    fails,
  ],
  [
    "a reset within the body",
    sends((id) => [begin(id), frame(data, 0, id, text("{")), frame(reset, 0, id, [0, 0, 0, 2])]),
    fails,
  ],
  [
    "a close within a frame",
    (id, socket) => socket.end(Buffer.concat([begin(id), frame(data, 0, id, text("{}")).subarray(0, 10)])),
    fails,
  ],
];

it.each(rows)("HTTP/2 server that sends %s causes a clear error and no more", async (_what, act, outcome) => {
  let isLying = true;
  await using served = await serveFrames((id, socket) => (isLying ? act(id, socket) : socket.write(whole(id))), {
    token: secret,
  });
  const call = (method: string): Promise<unknown> =>
    served.client
      .request({ path: "/version", method })
      .then((response) => response.text())
      .catch((error: unknown) => error);
  const answer = await call("GET");
  if (outcome === "{}") expect(answer).toBe(outcome);
  else {
    expect(answer).toBeInstanceOf(TransportError);
    expect((answer as Error).message).toMatch(outcome);
    expect((answer as Error).message.length).toBeLessThan(300);
    expect(inspect(answer, { depth: 10 })).not.toContain("s3cret");
  }
  // Even a write isn't sent on the connection whose protocol is broken.
  isLying = false;
  expect(await call("POST")).toBe("{}");
});

it.each<[string, (id: number) => Buffer[]]>([
  ["DATA before HEADERS", (id) => [frame(data, endStream, id, text("{}"))]],
  ["a frame beyond the maximum size", (id) => [frame(headers, endHeaders, id, Buffer.alloc(100_000))]],
  ["text of HTTP/1.1", () => [text("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")]],
  ["arbitrary bytes", () => [Buffer.alloc(100_000, "\u0007x9")]],
  ["nothing", () => []],
])("HTTP/2 server that sends %s is given up, at the latest after a PING without an answer", async (_what, frames) => {
  const clock = createVirtualClock();
  let isLying = true;
  await using served = await serveFrames(
    (id, socket) => socket.write(isLying ? Buffer.concat(frames(id)) : whole(id)),
    {
      clock,
    },
  );
  const answer = served.client.request({ path: "/version" }).then(
    (response) => response.text(),
    (error: unknown) => error,
  );
  await until(() => served.requests() === 1);
  let settled = false;
  void answer.finally(() => (settled = true));
  while (!settled) {
    await clock.advance(15_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await answer).toBeInstanceOf(TransportError);
  expect(((await answer) as Error).message).toMatch(fails);
  isLying = false;
  expect(await (await served.client.request({ path: "/version" })).text()).toBe("{}");
});
