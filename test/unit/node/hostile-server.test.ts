import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { createUndiciTransport } from "../../../src/node/transport/undici-transport.js";

/** Server that sends arbitrary bytes to every client. */
async function hostile(
  answer: (socket: Socket) => void,
): Promise<AsyncDisposable & { url: string; received: () => string }> {
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // What a test ends is reset.
    socket.on("data", (data) => received.push(data));
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received: () => Buffer.concat(received).toString("latin1"),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends the same bytes repeatedly, as fast as the client reads them. */
const flood =
  (head: string, piece: string) =>
  (socket: Socket): void => {
    socket.write(head);
    const more = (): void => {
      if (socket.destroyed) return;
      if (socket.write(piece)) setImmediate(more);
      else socket.once("drain", more);
    };
    more();
  };

const clientOf = (url: string) =>
  createClient({ transport: createUndiciTransport({ server: url, headersTimeoutMs: 15_000 }), retry: false });
const bomb = gzipSync(Buffer.alloc(200_000_000));

describe("hostile server", () => {
  it.each<[string, (socket: Socket) => void, object]>([
    [
      "endless headers",
      flood("HTTP/1.1 200 OK\r\n", `x-a: ${"y".repeat(1000)}\r\n`),
      { name: "TransportError", code: "UND_ERR_HEADERS_OVERFLOW" },
    ],
    [
      "an endless error page",
      flood("HTTP/1.1 500 x\r\ncontent-type: text/html\r\n\r\n", "<p>".repeat(1000)),
      { name: "StatusError", code: 500 },
    ],
    [
      "an error that is a gzip bomb",
      (socket) =>
        socket.end(
          Buffer.concat([
            Buffer.from(
              `HTTP/1.1 500 x\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${String(bomb.length)}\r\n\r\n`,
            ),
            bomb,
          ]),
        ),
      { name: "StatusError", code: 500 },
    ],
    ["a protocol other than HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"), { name: "TransportError" }],
    [
      "two content lengths",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
      { name: "TransportError" },
    ],
    [
      "both a content length and chunks",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
      { name: "TransportError" },
    ],
  ])("sending %s causes a clear error and a closed connection", async (_, answer, expected) => {
    await using server = await hostile(answer);
    const client = clientOf(server.url);
    const error = await client.request({ path: "/version" }).then(
      (response) => response.text(),
      (reason: unknown) => reason,
    );
    await client.close();
    expect(error).toMatchObject(expected);
    expect((error as Error).message.length).toBeLessThan(2000);
  });

  it.each<[string, (client: ReturnType<typeof clientOf>) => Promise<unknown>]>([
    ["subprotocols", (client) => client.openWebSocket({ path: "/x", protocols: ["a\r\nevil: 1"] })],
    ["the path of a WebSocket", (client) => client.openWebSocket({ path: "/x\r\nevil: 1", protocols: ["a"] })],
    [
      "a header of a WebSocket",
      (client) => client.openWebSocket({ path: "/x", protocols: ["a"], headers: { x: "a\r\nevil: 1" } }),
    ],
    ["the path of a request", (client) => client.request({ path: "/x HTTP/1.1\r\nevil: 1" })],
    ["a path in characters whose low bytes break lines", (client) => client.request({ path: "/\u560d\u560aevil: 1" })],
    ["another host", (client) => client.request({ path: "//evil/x" })],
    ["a whole URL", (client) => client.request({ path: "http://evil/x" })],
    ["a method", (client) => client.request({ path: "/x", method: "GET\r\nevil: 1" })],
    ["the accept header", (client) => client.request({ path: "/x", accept: "a\r\nevil: 1" })],
    ["a query", (client) => client.request({ path: "/x", query: { a: "b HTTP/1.1\r\nevil: 1" } })],
    [
      "a resource's name",
      (client) =>
        client.resource({ group: "", version: "v1", kind: "X", plural: "x\r\nevil: 1", scope: "Cluster" }).list(),
    ],
    [
      "an object's name",
      (client) =>
        client.resource({ group: "", version: "v1", kind: "X", plural: "x", scope: "Cluster" }).get("a\r\nevil: 1"),
    ],
  ])("cannot be sent a second header or another host through %s", async (_, act) => {
    await using server = await hostile((socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"));
    const client = clientOf(server.url);
    await expect(act(client)).rejects.toThrow();
    await client.close();
    const lines = server.received().split("\r\n");
    expect(lines.filter((line) => /^evil/i.test(line) || /^(?:get|host).*evil\/x/i.test(line))).toEqual([]);
  });
});
