import { describe, expect, it } from "vitest";
import { createMux, type MuxOptions } from "../../../src/mux/create-mux.js";
import {
  decodeFrame,
  decodeJson,
  encodeCredit,
  encodeFrame,
  encodeJsonFrame,
  encodeOpen,
  frameTypes,
  muxProtocol,
  splitOpen,
} from "../../../src/mux/frames.js";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import type { ProxyOptions } from "../../../src/proxy/proxy.js";
import type { Transport, TransportRequest, TransportSocket } from "../../../src/transport/transport.js";
import { type AsyncQueue, createAsyncQueue } from "../../support/async-queue.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";
import { openSocket } from "./setup.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const head = { cluster: "a", method: "GET", path: "/version", headers: {}, credit: 100_000 };

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

/** A proxy for one cluster, `a`, whose answers are bodies of `chunks`, and a connection to it. */
async function connect(chunks: () => AsyncIterable<Uint8Array>, options: Partial<ProxyOptions> = {}) {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    async send(request) {
      requests.push(request);
      return { status: 200, headers: new Headers({ "content-type": "application/json" }), body: chunks() };
    },
    close: () => Promise.resolve(),
  };
  const proxy = createProxy({ clusters: { a: { transport } }, authenticate: () => ({ name: "jane" }), ...options });
  const socket = await openSocket(proxy);
  const messages = socket.messages[Symbol.asyncIterator]();
  return { socket, requests, next: async () => (await messages.next()).value as Uint8Array | undefined };
}

async function* bytes(...lengths: number[]): AsyncGenerator<Uint8Array> {
  for (const length of lengths) yield new Uint8Array(length);
}

const typesOf = (frames: readonly (Uint8Array | undefined)[]) =>
  frames.map((frame) => frame && `${frame[0]!.toString(16)}:${decodeFrame(frame)!.stream}:${frame.length - 5}`);

describe("the proxy's side of a multiplexed connection", () => {
  it("cuts responses into frames, and lets streams take turns", async () => {
    const { socket, next } = await connect(() => bytes(70_000));
    for (const id of [1, 2]) await socket.send(encodeOpen(id, head, undefined));
    await settle();
    const frames: (Uint8Array | undefined)[] = [];
    for (let i = 0; i < 10; i++) frames.push(await next());
    const data = typesOf(frames).filter((each) => each?.startsWith("12:"));
    expect(data).toEqual(["12:1:32768", "12:2:32768", "12:1:32768", "12:2:32768", "12:1:4464", "12:2:4464"]);
    expect(
      typesOf(frames)
        .filter((each) => !each?.startsWith("12:"))
        .map((each) => each?.slice(0, 4)),
    ).toEqual(["11:1", "11:2", "13:1", "13:2"]);
    await socket.close();
  });

  it("sends and reads no more of a response than the page has granted, while other streams go on", async () => {
    let pulled = 0;
    const { socket, next } = await connect(async function* () {
      for (;;) {
        pulled++;
        yield new Uint8Array(10_000);
      }
    });
    await socket.send(encodeOpen(1, { ...head, credit: 25_000 }, undefined));
    const frames = [await next(), await next(), await next(), await next()];
    expect(typesOf(frames).slice(1)).toEqual(["12:1:10000", "12:1:10000", "12:1:5000"]);
    await settle();
    expect(pulled).toBe(3);
    await socket.send(encodeOpen(2, { ...head, credit: 1 }, undefined));
    expect(typesOf([await next(), await next()])[1]).toBe("12:2:1");
    await socket.send(encodeCredit(1, 6_000));
    expect(typesOf([await next(), await next()])).toEqual(["12:1:5000", "12:1:1000"]);
    await socket.close();
  });

  it.each<[string, Uint8Array]>([
    ["an empty message", new Uint8Array()],
    ["a message shorter than a head", new Uint8Array([1, 0, 0])],
    ["an unknown type", encodeFrame(0x7f, 1)],
    ["a frame of the proxy", encodeFrame(frameTypes.data, 1, new Uint8Array(3))],
    ["a request without a head", encodeFrame(frameTypes.open, 1)],
    ["a head longer than the message", encodeFrame(frameTypes.open, 1, new Uint8Array([255, 255, 255, 255]))],
    ["a head over 64 KiB", encodeOpen(1, { ...head, path: `/${"x".repeat(70_000)}` }, undefined)],
    ["a head that isn't JSON", encodeFrame(frameTypes.open, 1, new Uint8Array([0, 0, 0, 1, 0x7b]))],
    ["a head that is a list", encodeFrame(frameTypes.open, 1, new Uint8Array([0, 0, 0, 2, 0x5b, 0x5d]))],
    ["negative credit", encodeOpen(1, { ...head, credit: -1 }, undefined)],
    ["fractional credit", encodeOpen(1, { ...head, credit: 0.5 }, undefined)],
    ["too much credit", encodeOpen(1, { ...head, credit: 2 ** 40 }, undefined)],
    ["stream 0", encodeOpen(0, head, undefined)],
    ["a credit of three bytes", encodeFrame(frameTypes.credit, 1, new Uint8Array(3))],
  ])("ends after %s", async (_, frame) => {
    const { socket, requests, next } = await connect(() => bytes(1));
    await expect(socket.send(frame)).rejects.toThrow("against the protocol");
    expect(await next()).toBeUndefined();
    expect(requests).toEqual([]);
  });

  it("ends when a stream's number is used again, or its credit overflows", async () => {
    const first = await connect(() => bytes(1));
    await first.socket.send(encodeOpen(5, head, undefined));
    await expect(first.socket.send(encodeOpen(5, head, undefined))).rejects.toThrow();
    const second = await connect(async function* () {
      await new Promise(() => undefined);
    });
    await second.socket.send(encodeOpen(5, head, undefined));
    await expect(second.socket.send(encodeCredit(5, 2 ** 32 - 1))).rejects.toThrow();
  });

  it.each<[string, object, number]>([
    ["a cluster that isn't a text", { cluster: 5 }, 400],
    ["a cluster with a slash", { cluster: "a/api" }, 404],
    ["a cluster of the prototype", { cluster: "__proto__" }, 404],
    ["dot segments", { path: "/api/../../b/api" }, 400],
    ["encoded dot segments", { path: "/api/%2e%2E/%2e%2e/b" }, 400],
    ["a path of another host", { path: "//evil.example/version" }, 400],
    ["a path without a slash", { path: "@evil.example/version" }, 400],
    ["a fragment", { path: "/version#x" }, 400],
    ["a line feed", { path: "/ver\nsion" }, 400],
    ["a method that isn't one", { method: "GE T" }, 400],
    ["a header with a line feed", { headers: { accept: "a\r\nimpersonate-user: root" } }, 400],
    ["a write that no rule allows", { method: "DELETE", path: "/api/v1/namespaces/x" }, 403],
  ])("refuses a stream with %s", async (_, change, status) => {
    const { socket, requests, next } = await connect(() => bytes(1));
    await socket.send(encodeOpen(1, { ...head, ...change }, undefined));
    const response = decodeJson(decodeFrame((await next())!)!.payload);
    expect(response).toMatchObject({ status });
    expect(requests).toEqual([]);
    await socket.close();
  });

  it("refuses bodies and streams beyond the limits", async () => {
    const limits = { bodyBytes: 10, streams: 3 };
    const { socket, next } = await connect(() => bytes(1), { limits });
    await socket.send(encodeOpen(1, { ...head, method: "POST" }, new Uint8Array(11)));
    const status = async () => decodeJson(decodeFrame((await next())!)!.payload)?.["status"];
    expect(await status()).toBe(413);
    await next();
    await next();
    for (const id of [2, 3, 4, 5]) await socket.send(encodeOpen(id, { ...head, credit: 0 }, undefined));
    expect([await status(), (await next())![0]]).toEqual([429, frameTypes.end]);
    await socket.close();
  });

  it("reads no more of a flood than it can answer", async () => {
    const { socket, next } = await connect(() => bytes(1), { limits: { streams: 1 } });
    await socket.send(encodeOpen(1, { ...head, credit: 0 }, undefined));
    for (let i = 0; i < 10_000; i++) await socket.send(encodeFrame(frameTypes.ping, 0));
    let sent = 0;
    const flood = (async () => {
      for (let id = 2; id < 5_000; id++) {
        await socket.send(encodeOpen(id, head, undefined));
        sent = id;
      }
    })();
    await settle();
    expect(sent).toBeLessThan(600);
    // One pong answers all pings.
    const frames = [await next(), await next(), await next()].map((frame) => frame![0]);
    expect(frames.filter((type) => type === frameTypes.pong).length).toBe(1);
    await socket.close();
    await flood;
  });

  it("ends with a reason when the user's session is over", async () => {
    const clock = createVirtualClock();
    let user: { name: string } | undefined = { name: "jane" };
    const { socket, next } = await connect(() => bytes(1), { authenticate: () => user, clock });
    await clock.advance(31_000);
    await socket.send(encodeFrame(frameTypes.ping, 0));
    expect((await next())![0]).toBe(frameTypes.pong);
    user = undefined;
    await clock.advance(31_000);
    const last = decodeFrame((await next())!)!;
    expect([last.type, decodeJson(last.payload)]).toEqual([
      frameTypes.bye,
      { message: "the session of the page is over" },
    ]);
    expect(await next()).toBeUndefined();
    expect(clock.pending).toBe(0);
    await socket.close();
  });
});

/** A mux whose other side is the test. */
function scripted(options: Partial<MuxOptions> = {}) {
  const clock = createVirtualClock();
  const attempts: AsyncQueue<Uint8Array>[] = [];
  const sent: Uint8Array[] = [];
  const peer = { refuse: undefined as Error | undefined, silent: false };
  const connectSocket = async (): Promise<TransportSocket> => {
    if (peer.silent) await new Promise(() => undefined);
    if (peer.refuse !== undefined) throw peer.refuse;
    const messages = createAsyncQueue<Uint8Array>();
    attempts.push(messages);
    return {
      protocol: muxProtocol,
      messages,
      async send(message) {
        sent.push(message);
      },
      async close() {
        messages.end();
      },
    };
  };
  const mux = createMux({
    transport: { send: () => Promise.reject(new Error()), connect: connectSocket, close: () => Promise.resolve() },
    clock,
    random: () => 0,
    ...options,
  });
  const get = (signal = new AbortController().signal) =>
    mux.transport("a").send({ method: "GET", path: "/version", headers: {}, signal });
  return { mux, clock, sent, attempts, peer, get };
}

describe("the page's side of a multiplexed connection", () => {
  it("grants bytes only as the reader takes them", async () => {
    const { mux, attempts, sent, get } = scripted();
    const pending = get();
    await settle();
    const { head: opened } = splitOpen(decodeFrame(sent[0]!)!.payload)!;
    const { credit } = decodeJson(opened) as { credit: number };
    attempts[0]!.push(encodeJsonFrame(frameTypes.head, 1, { status: 200, headers: {} }));
    const { body } = await pending;
    for (let left = credit; left > 0; left -= 65_536)
      attempts[0]!.push(encodeFrame(frameTypes.data, 1, new Uint8Array(65_536)));
    await settle();
    expect(sent.length).toBe(1);
    const reader = body[Symbol.asyncIterator]();
    for (let taken = 0; taken < credit / 2; taken += 65_536) await reader.next();
    expect(hex(sent[1]!)).toBe(hex(encodeCredit(1, credit / 2)));
    await reader.return!();
    expect(hex(sent[2]!)).toBe(hex(encodeFrame(frameTypes.cancel, 1)));
    await mux.close();
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["more data than it granted", encodeFrame(frameTypes.data, 1, new Uint8Array(600_000)), /more bytes than the page/],
    ["an unknown frame", encodeFrame(0x7f, 1), /unknown type 127/],
    ["an empty message", new Uint8Array(), /without a head/],
    ["a response without a status", encodeJsonFrame(frameTypes.head, 1, {}), /without a status/],
    [
      "a response with an invalid header",
      encodeJsonFrame(frameTypes.head, 1, { status: 200, headers: { "a b": "c" } }),
      /invalid headers/,
    ],
    ["an end before the response began", encodeFrame(frameTypes.end, 1), /ended a response that it had not begun/],
    ["a failure of the stream", encodeJsonFrame(frameTypes.fail, 1, { message: "gone" }), /gone/],
    ["the end of the session", encodeJsonFrame(frameTypes.bye, 0, { message: "over" }), /over/],
  ])("fails a request after %s", async (_, frame, message) => {
    const { mux, attempts, get } = scripted();
    const pending = get();
    pending.catch(() => undefined);
    await settle();
    attempts[0]!.push(frame);
    await expect(pending).rejects.toThrow(message);
    await mux.close();
  });

  it("rejects with the reason of an abort, before and after the response began", async () => {
    const { mux, attempts, sent, get } = scripted();
    const first = new AbortController();
    const pending = get(first.signal);
    await settle();
    first.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
    expect(hex(sent[1]!)).toBe(hex(encodeFrame(frameTypes.cancel, 1)));
    const second = new AbortController();
    const response = get(second.signal);
    await settle();
    attempts[0]!.push(encodeJsonFrame(frameTypes.head, 2, { status: 200, headers: {} }));
    attempts[0]!.push(encodeFrame(frameTypes.data, 2, new Uint8Array(3)));
    const reader = (await response).body[Symbol.asyncIterator]();
    await settle();
    second.abort(new Error("enough"));
    await expect(reader.next()).rejects.toThrow("enough");
    await mux.close();
  });

  it("notices a dead connection, and reports what it does until it is connected again", async () => {
    const { mux, clock, attempts, peer, get } = scripted();
    const states: string[] = [];
    mux.subscribe(() => states.push(mux.status.type));
    const pending = get();
    pending.catch(() => undefined);
    await clock.advance(15_000);
    await clock.advance(15_000);
    // The ping of the second beat gets no answer.
    await clock.advance(5_000);
    await expect(pending).rejects.toThrow("sent nothing for 5000 ms");
    peer.refuse = new Error("no network");
    const second = get();
    second.catch(() => undefined);
    await clock.advance(500);
    await expect(second).rejects.toThrow("no network");
    const third = get();
    await settle();
    expect(mux.status).toMatchObject({ type: "waiting", delayMs: 1_000, attempt: 2 });
    peer.refuse = undefined;
    mux.wake();
    await settle();
    expect(mux.status.type).toBe("open");
    expect(attempts.length).toBe(2);
    attempts[1]!.push(encodeJsonFrame(frameTypes.head, 1, { status: 204, headers: {} }));
    expect((await third).status).toBe(204);
    expect(states).toEqual([
      "connecting",
      "open",
      "disconnected",
      "waiting",
      "connecting",
      "disconnected",
      "waiting",
      "connecting",
      "open",
    ]);
    await mux.close();
    expect(clock.pending).toBe(0);
  });

  it("gives up an attempt to connect that gets no answer", async () => {
    const { mux, clock, peer, get } = scripted();
    peer.silent = true;
    const pending = get();
    pending.catch(() => undefined);
    await clock.advance(9_999);
    expect(mux.status.type).toBe("connecting");
    await clock.advance(1);
    await expect(pending).rejects.toThrow("the proxy didn't answer within 10000 ms");
    expect(mux.status.type).toBe("disconnected");
    await mux.close();
    expect(clock.pending).toBe(0);
  });

  it("ends waiting requests and rejects new ones when it is closed", async () => {
    const { mux, peer, get } = scripted();
    peer.refuse = new Error("no network");
    await expect(get()).rejects.toThrow("no network");
    const waiting = get();
    waiting.catch(() => undefined);
    await settle();
    await mux.close();
    await expect(waiting).rejects.toThrow("closed");
    await expect(get()).rejects.toThrow("closed");
    expect(mux.status.type).toBe("closed");
  });

  it("rejects numbers out of range", () => {
    expect(() => scripted({ heartbeatMs: 0 })).toThrow("options.heartbeatMs must be greater than 0, not 0");
    expect(() => scripted({ backoff: { initialMs: 0, factor: 2, capMs: 1, jitter: 0 } })).toThrow("options.backoff");
  });
});
