import { describe, expect, it } from "vitest";
import { createMux, type MuxOptions } from "../../../src/mux/create-mux.js";
import {
  decodeFrame,
  decodeJson,
  encodeCredit,
  encodeFrame,
  encodeJsonFrame,
  frameTypes,
  muxProtocol,
  splitOpen,
} from "../../../src/mux/frames.js";
import type { TransportSocket } from "../../../src/transport/transport.js";
import { type AsyncQueue, createAsyncQueue } from "../../support/async-queue.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";
import { hex } from "./setup.js";

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

  it("doesn't wait for an attempt that a listener of the status has given up", async () => {
    const { mux, peer, clock, get } = scripted();
    peer.refuse = new Error("no network");
    await expect(get()).rejects.toThrow("no network");
    mux.subscribe(() => {
      if (mux.status.type === "waiting") void mux.close();
    });
    await expect(get()).rejects.toThrow("closed");
    await mux.close();
    expect(clock.pending).toBe(0);
  });

  it("rejects numbers out of range", () => {
    expect(() => scripted({ heartbeatMs: 0 })).toThrow("options.heartbeatMs must be greater than 0, not 0");
    expect(() => scripted({ backoff: { initialMs: 0, factor: 2, capMs: 1, jitter: 0 } })).toThrow("options.backoff");
  });
});
