import { Duplex } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import type { SocketHandler, SocketPeer } from "../../src/apiserver/http/http.js";
import { sessionOverChannels } from "../../src/apiserver/kubelets/channels.js";
import type { ContainerSession } from "../../src/apiserver/kubelets/kubelet.js";
import { portsOverSpdy, sessionOverSpdy } from "../../src/apiserver/kubelets/spdy-streams.js";
import { inflate } from "../../src/apiserver/node/answer.js";
import { serveConversation } from "../../src/apiserver/node/web-socket.js";
import { encodeData, encodeOpen, encodePing } from "../../src/internal/streams/spdy-frames.js";
import { clientFrame } from "../support/websocket-client.js";

const { signal } = new AbortController();
const wanted = { stdin: true, stdout: true, stderr: false, tty: true };
const silentPeer = (): { peer: SocketPeer; closed: () => boolean } => {
  let closed = false;
  return { peer: { send: () => Promise.resolve(), close: () => (closed = true) }, closed: () => closed };
};

/** Replaces the timers of the platform until the test ends. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

it.each([
  ["a WebSocket", undefined, clientFrame(2, "\0input"), "8900"],
  ["SPDY", encodePing(2), encodeData(1, Buffer.from("input")), Buffer.from(encodePing(2)).toString("hex")],
])(
  "server notices over %s that a client has left whose input the session does not read",
  async (_what, rawPing, input, ping) => {
    fakeTimers();
    const written: string[] = [];
    let isAway = false;
    const socket = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString("hex"));
        done(isAway ? new Error("ECONNRESET") : null);
      },
    });
    const closed = new Promise<void>((resolve) => {
      const handler: SocketHandler = { message: () => new Promise<void>(() => undefined), closed: resolve };
      serveConversation({ socket, head: Buffer.alloc(0) }, Buffer.from("head"), {
        protocol: "",
        ...(rawPing && { rawPing }),
        open: () => handler,
      });
    });
    socket.push(input);
    await expect.poll(() => socket.isPaused()).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written.slice(1)).toEqual([ping, ping]);
    expect(socket.destroyed).toBe(false);
    isAway = true;
    await vi.advanceTimersByTimeAsync(30_000);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  },
);

it.each([
  ["a WebSocket", undefined],
  ["SPDY", encodePing(2)],
])("server gives up a client over %s that doesn't read, whether its writers wait or not", async (_what, rawPing) => {
  // Takes bytes from the socket, and never more.
  const socket = new Duplex({ read: () => undefined, write: () => undefined });
  let peer: SocketPeer | undefined;
  let isClosed = false;
  serveConversation({ socket, head: Buffer.alloc(0) }, Buffer.from("head"), {
    protocol: "",
    ...(rawPing && { rawPing }),
    open: (opened) => {
      peer = opened;
      return { message: () => undefined, closed: () => (isClosed = true) };
    },
  });
  const piece = Buffer.alloc(1024 * 1024);
  const sent = Array.from({ length: 64 }, () => peer!.send(piece));
  expect(socket.writableLength).toBeLessThan(34 * 1024 * 1024);
  await Promise.all(sent);
  expect(isClosed).toBe(true);
});

it.each<[string, (peer: SocketPeer, serve: (session: ContainerSession) => Promise<number>) => SocketHandler]>([
  ["a WebSocket", (peer, serve) => sessionOverChannels(signal, peer, serve, wanted)],
  ["SPDY", (peer, serve) => sessionOverSpdy({ peer, inflate, signal }, serve, wanted)],
])("session over %s whose client doesn't read ends with its process", async (_what, open) => {
  const sent: string[] = [];
  let isClosed = false;
  const send = (message: Uint8Array): Promise<void> => {
    sent.push(Buffer.from(message).toString());
    return new Promise(() => undefined);
  };
  const handler = open({ send, close: () => (isClosed = true) }, () => Promise.resolve(3));
  if (_what === "SPDY")
    for (const [at, streamtype] of ["error", "stdin", "stdout", "resize"].entries())
      void handler.message(encodeOpen(2 * at + 1, { streamtype }, { first: at === 0 }));
  await expect.poll(() => isClosed).toBe(true);
  expect(sent.join()).toContain("exit status 3");
  handler.closed();
});

it.each<
  [string, (peer: SocketPeer, serve: (session: ContainerSession) => Promise<number>) => SocketHandler, Uint8Array[]]
>([
  [
    "a WebSocket",
    (peer, serve) => sessionOverChannels(signal, peer, serve, wanted),
    [clientSize('{"Width":1,"Height":2}'), clientSize("[".repeat(60_000)), clientSize('{"Width":3,"Height":4}')],
  ],
  [
    "SPDY",
    (peer, serve) => sessionOverSpdy({ peer, inflate, signal }, serve, wanted),
    [
      ...["error", "stdin", "stdout", "resize"].map((streamtype, at) =>
        encodeOpen(2 * at + 1, { streamtype }, { first: at === 0 }),
      ),
      encodeData(7, Buffer.from(`{"Width":1,"Height":2}${"[".repeat(60_000)}`)),
      encodeData(7, Buffer.from('{"Width":3,"Height":4}')),
    ],
  ],
])("session over %s goes on if its function for sizes throws", async (_what, open, messages) => {
  const { peer, closed } = silentPeer();
  const widths: number[] = [];
  const handler = open(peer, async ({ onResize, stdin }) => {
    onResize(({ width }) => {
      widths.push(width);
      throw new Error("no such size");
    });
    for await (const chunk of stdin) void chunk;
    return 0;
  });
  for (const message of messages) await handler.message(message);
  await expect.poll(() => widths).toEqual([1, 3]);
  expect(closed()).toBe(false);
  handler.closed();
  await expect.poll(closed).toBe(true);
});

function clientSize(json: string): Uint8Array {
  return Buffer.from(`\u0004${json}`);
}

it("session over SPDY whose streams aren't all opened within 30 seconds is closed", async () => {
  fakeTimers();
  const { peer, closed } = silentPeer();
  const handler = sessionOverSpdy({ peer, inflate, signal }, () => Promise.resolve(0), wanted);
  await handler.message(encodeOpen(1, { streamtype: "error" }, { first: true }));
  await vi.advanceTimersByTimeAsync(29_000);
  expect(closed()).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(closed()).toBe(true);
});

it("ports over SPDY keep at most 128 kB of a stream that its reader leaves alone", async () => {
  const { peer } = silentPeer();
  const handler = portsOverSpdy({ peer, inflate, signal }, () => () => new Promise(() => undefined));
  await handler.message(encodeOpen(1, { streamtype: "data", port: "80" }, { first: true }));
  let taken = 0;
  let isFull = false;
  while (!isFull) {
    isFull = true;
    const handled = Promise.resolve(handler.message(encodeData(1, Buffer.alloc(16_000)))).then(() => (isFull = false));
    await Promise.race([handled, new Promise((resolve) => setImmediate(resolve))]);
    taken += 16_000;
  }
  expect(taken).toBeLessThan(128_000);
  handler.closed();
});
