import { describe, expect, it } from "vitest";
import { decodeFrame, decodeJson, encodeCredit, encodeFrame, encodeOpen, frameTypes } from "../../../src/mux/frames.js";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import type { ProxyOptions } from "../../../src/proxy/proxy.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";
import { head, openSocket } from "./setup.js";

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
