import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/internal/clock.js";
import { createWebSocket, type NodeWebSocket } from "../../../../src/node/websocket/websocket.js";
import { fakeClock } from "../../client/fake-clock.js";

const pong = Uint8Array.from([0x8a, 0x00]);

it("WebSocket gives up a peer that answers no pings after a minute, and keeps one that does", async () => {
  const clock = fakeClock();
  let pings = 0;
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Uint8Array, _encoding, done) {
      if (chunk[0] === 0x89) pings++;
      done();
    },
  });
  const webSocket = createWebSocket({
    socket,
    protocol: "v5",
    action: "exec",
    signal: new AbortController().signal,
    clock,
  });
  const message = webSocket.messages[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
  for (let i = 0; i < 3; i++) await clock.advance(20_000);
  socket.push(pong);
  await clock.advance(0);
  for (let i = 0; i < 3; i++) await clock.advance(20_000);
  expect([pings, socket.destroyed]).toEqual([6, false]);
  await clock.advance(20_000);
  expect(await message).toMatchObject({
    name: "TransportError",
    code: "ETIMEDOUT",
    message: "exec: received nothing from the peer for 60000 ms",
  });
  await webSocket.closed;
  expect([pings, clock.pending()]).toEqual([6, 0]);
});

/** WebSocket over a connection that the test feeds. Its output is recorded, and passed on only while `flowing`. */
function overPipe(flowing = true): { webSocket: NodeWebSocket; socket: Duplex; sent: Buffer[] } {
  const sent: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      sent.push(chunk);
      if (flowing) done();
    },
  });
  const signal = new AbortController().signal;
  return {
    webSocket: createWebSocket({ socket, protocol: "p", action: "exec", signal, clock: systemClock }),
    socket,
    sent,
  };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const lengths = async (webSocket: NodeWebSocket): Promise<[number[], unknown]> => {
  const seen: number[] = [];
  try {
    for await (const message of webSocket.messages) seen.push(message.length);
    return [seen, undefined];
  } catch (error) {
    return [seen, error];
  }
};

describe("WebSocket reader", () => {
  it("delivers messages before a protocol error, even if both arrive in one chunk", async () => {
    const { webSocket, socket } = overPipe();
    socket.push(Buffer.from([0x82, 1, 7, 0x82, 2, 7, 7, 0xc2, 1, 7, 0x82, 3, 7, 7, 7]));
    await turns(3);
    expect(await lengths(webSocket)).toMatchObject([[1, 2], { name: "ProtocolError" }]);
    await webSocket.closed;
  });

  it("joins fragments in linear time", async () => {
    const { webSocket, socket } = overPipe();
    const size = 32 * 1024 * 1024;
    const head = Buffer.alloc(10);
    head[0] = 0x82;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(size), 2);
    const before = process.cpuUsage();
    socket.push(head);
    for (let sent = 0; sent < size; sent += 16_384) socket.push(Buffer.alloc(16_384));
    const { value } = await webSocket.messages[Symbol.asyncIterator]().next();
    const { user } = process.cpuUsage(before);
    expect((value as Uint8Array).length).toBe(size);
    // A reader that copies its buffer for every chunk takes more than ten seconds.
    expect(user).toBeLessThan(3_000_000);
    await webSocket.close();
  });

  it("rejects an unlimited number of empty fragments", async () => {
    const { webSocket, socket } = overPipe();
    socket.push(Buffer.from([0x02, 0]));
    for (let i = 0; i < 5; i++)
      socket.push(Buffer.concat(Array.from({ length: 20_000 }, () => Buffer.from([0x00, 0]))));
    await turns(3);
    expect(await lengths(webSocket)).toMatchObject([
      [],
      { name: "ProtocolError", message: expect.stringContaining("Too many message fragments") as string },
    ]);
  });

  it("stops reading while empty messages wait", async () => {
    const { webSocket, socket } = overPipe();
    socket.push(Buffer.concat(Array.from({ length: 8_000 }, () => Buffer.from([0x82, 0]))));
    await turns(3);
    expect(socket.isPaused()).toBe(true);
    const messages = webSocket.messages[Symbol.asyncIterator]();
    for (let i = 0; i < 8_000; i++) await messages.next();
    expect(socket.isPaused()).toBe(false);
    await webSocket.close();
  });

  it("keeps at most one pong waiting while the server reads nothing", async () => {
    const { webSocket, socket, sent } = overPipe(false);
    for (let i = 0; i < 100; i++) socket.push(Buffer.from([0x89, 1, i]));
    await turns(3);
    expect([sent.length, socket.writableLength]).toEqual([1, 7]);
    webSocket.destroy(new Error("enough"));
  });
});
