import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { createWebSocket } from "../../../src/node/websocket/websocket.js";
import { fakeClock } from "../client/fake-clock.js";

const pong = Uint8Array.from([0x8a, 0x00]);

it("a peer that answers no ping is given up after a minute, one that does is not", async () => {
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
    message: "exec: the peer gave no sign of life for 60000 ms",
  });
  await webSocket.closed;
  expect([pings, clock.pending()]).toEqual([6, 0]);
});
