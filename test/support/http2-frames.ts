import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { createServer } from "node:tls";
import type { ConnectOptions } from "../../src/node/connection/connect.js";
import { connect } from "../../src/node/connection/connect.js";
import { pki } from "../unit/node/local-server.js";

/** Numbers of the frame types of HTTP/2. */
export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const endStream = 1;
export const endHeaders = 4;
const prefaceBytes = 24;

/** Encodes a frame of HTTP/2. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Serves HTTP/2 in raw frames: Node's own server refuses to misbehave. */
export async function serveFrames(respond: (id: number, socket: TLSSocket) => void, options: ConnectOptions = {}) {
  const sockets = new Set<TLSSocket>();
  let requests = 0;
  const tls = { cert: pki("server.crt"), key: pki("server.key"), ALPNProtocols: ["h2"] };
  const server = createServer(tls, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.write(frame(frameTypes.settings, 0, 0));
    let held = Buffer.alloc(0);
    let skipped = prefaceBytes;
    socket.on("data", (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= skipped + 9 + (held.length >= skipped + 3 ? held.readUIntBE(skipped, 3) : 0)) {
        held = held.subarray(skipped);
        skipped = 0;
        const length = held.readUIntBE(0, 3);
        const type = held[3];
        const id = held.readUInt32BE(5);
        if (type === frameTypes.settings && held[4] === 0) socket.write(frame(frameTypes.settings, 1, 0));
        held = held.subarray(9 + length);
        if (type !== frameTypes.headers) continue;
        requests++;
        respond(id, socket);
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const client = await connect({
    server: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ca: pki("ca.crt"),
    token: "s3cret-token",
    env: {},
    http2: true,
    retry: false,
    ...options,
  });
  return {
    client,
    /** Number of requests so far. */
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      await client.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
