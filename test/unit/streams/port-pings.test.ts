import { expect, it } from "vitest";
import { encodePing } from "../../../src/internal/streams/spdy-frames.js";
import { connectPort } from "../../../src/streams/port-forward.js";
import { portProtocols } from "../../../src/streams/port-wires.js";
import type { TransportSocket } from "../../../src/transport/transport.js";

it("a forwarded port answers the newest ping of a message, and isn't read on until the answer is sent", async () => {
  const sent: { readonly message: Uint8Array; readonly done: () => void }[] = [];
  let received = 0;
  let isClosed = false;
  const socket: TransportSocket = {
    protocol: portProtocols[0],
    messages: {
      async *[Symbol.asyncIterator]() {
        for (; !isClosed && received < 100; received++)
          yield Buffer.concat([2, 4, 3].map((id) => encodePing(100 * received + id)));
      },
    },
    send: (message) => new Promise((resolve) => sent.push({ message, done: resolve })),
    async close() {
      isClosed = true;
      for (const { done } of sent) done();
    },
  };
  const connection = await connectPort(
    { openWebSocket: () => Promise.resolve(socket) },
    { namespace: "a", name: "b" },
    80,
  );
  // The first message opens the streams.
  for (let answer = 0; answer <= 3; answer++) {
    await new Promise(setImmediate);
    expect([sent.length, received]).toEqual([answer + 1, Math.max(0, answer - 1)]);
    if (answer > 0) expect(sent.at(-1)!.message).toEqual(encodePing(100 * (answer - 1) + 4));
    sent.at(-1)!.done();
  }
  await connection.close();
});
