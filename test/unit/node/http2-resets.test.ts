import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:tls";
import { expect, it } from "vitest";
import { connect } from "../../../src/node/connection/connect.js";
import { pki } from "./local-server.js";

/** Number of a frame's type. */
const [data, headers, reset, settings] = [0, 1, 3, 4];
const endStream = 1;
const endHeaders = 4;
const noError = 0;
const cancel = 8;

function frame(type: number, flags: number, stream: number, payload: readonly number[] = []): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Text of the body of each response. */
const text = [0x5b, 0x5d];
/** `:status: 200` in HPACK. */
const ok = [0x88];
/** `a: b` in HPACK. */
const trailers = [0x40, 1, 0x61, 1, 0x62];

/** Frames of the responses by path. Node's own server can't reset a stream with NO_ERROR before its end. */
const responses: readonly ((id: number) => Buffer[])[] = [
  (id) => [frame(data, 0, id, text), frame(data, endStream, id)],
  (id) => [frame(data, endStream, id, text)],
  (id) => [frame(data, 0, id, text), frame(headers, endHeaders | endStream, id, trailers)],
  (id) => [frame(data, endStream, id, text), frame(reset, 0, id, [0, 0, 0, noError])],
  (id) => [frame(data, endStream, id, text), frame(reset, 0, id, [0, 0, 0, cancel])],
  (id) => [frame(data, 0, id, text), frame(reset, 0, id, [0, 0, 0, noError])],
  (id) => [frame(data, 0, id, text), frame(reset, 0, id, [0, 0, 0, cancel])],
];

/** Serves the responses, each in one piece. The path is `/` and the response's index. */
async function serveFrames() {
  const sockets = new Set<Socket>();
  const options = { cert: pki("server.crt"), key: pki("server.key"), ALPNProtocols: ["h2"] };
  let served = 0;
  const server = createServer(options, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.write(frame(settings, 0, 0));
    let held = Buffer.alloc(0);
    // The connection preface has 24 bytes.
    let skipped = 24;
    socket.on("data", (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= skipped + 9 + (held.length >= skipped + 3 ? held.readUIntBE(skipped, 3) : 0)) {
        held = held.subarray(skipped);
        skipped = 0;
        const length = held.readUIntBE(0, 3);
        const type = held[3];
        const id = held.readUInt32BE(5);
        if (type === settings && held[4] === 0) socket.write(frame(settings, 1, 0));
        held = held.subarray(9 + length);
        if (type !== headers) continue;
        socket.write(
          Buffer.concat([frame(headers, endHeaders, id, ok), ...responses[served++ % responses.length]!(id)]),
        );
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const client = await connect({
    server: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ca: pki("ca.crt"),
    token: "t",
    env: {},
    http2: true,
    retry: false,
  });
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("HTTP/2 transport fails a response whose stream is reset before its end, but not after it", async () => {
  await using served = await serveFrames();
  const outcomes: unknown[] = [];
  // Twice, because a response must not depend on how the one before it ended.
  for (let turn = 0; turn < 2 * responses.length; turn++)
    outcomes.push(
      await served.client.request({ path: "/", stream: true }).then(async ({ body }) => {
        let received = "";
        try {
          for await (const chunk of body) received += Buffer.from(chunk).toString();
          return received;
        } catch (error) {
          return `${received} ${(error as { code: string }).code}`;
        }
      }),
    );
  const cut = "[] ERR_HTTP2_STREAM_CANCEL";
  const expected = ["[]", "[]", "[]", "[]", "[]", cut, cut];
  expect(outcomes).toEqual([...expected, ...expected]);
});
