import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { ClosedError, ProtocolError, TransportError } from "../../../../src/errors/errors.js";
import { createUndiciTransport } from "../../../../src/node/transport/undici-transport.js";
import type { Transport, TransportResponse } from "../../../../src/transport/transport.js";

interface Fixture extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  connections(): number;
  open(): number;
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Fixture> {
  const server = createServer(handle);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    server,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const get = (
  transport: Transport,
  path: string,
  signal = new AbortController().signal,
  headers: Record<string, string> = {},
): Promise<TransportResponse> => transport.send({ method: "GET", path, headers, signal });

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

it("undici transport sends 1,000 sequential requests over one connection, and close leaves none", async () => {
  await using server = await listen((request, response) => response.end(request.url));
  const transport = createUndiciTransport({ server: `${server.url}/base/` });
  for (let index = 0; index < 1_000; index++)
    expect(await read((await get(transport, `/api?n=${String(index)}`)).body)).toBe(`/base/api?n=${String(index)}`);
  expect(server.connections()).toBe(1);
  await transport.close();
  await until(() => server.open() === 0);
  await expect(get(transport, "/api")).rejects.toBeInstanceOf(ClosedError);
  await transport.close();
});

it("undici transport returns redirects instead of following them", async () => {
  await using server = await listen((request, response) =>
    response.writeHead(307, { location: "http://example.invalid/" }).end(request.url),
  );
  const transport = createUndiciTransport({ server: server.url });
  const response = await get(transport, "/a");
  expect([response.status, response.headers.get("Location"), await read(response.body)]).toEqual([
    307,
    "http://example.invalid/",
    "/a",
  ]);
  await transport.close();
});

it("undici transport sends a header once for each of its values", async () => {
  await using server = await listen((request, response) => response.end(JSON.stringify(request.rawHeaders)));
  const transport = createUndiciTransport({ server: server.url });
  const response = await transport.send({
    method: "GET",
    path: "/",
    headers: { accept: "a" },
    multiHeaders: { "impersonate-group": ["x, y", "z"] },
    signal: new AbortController().signal,
  });
  const raw = JSON.parse(await read(response.body)) as string[];
  expect(raw.filter((_value, index) => raw[index - 1]?.toLowerCase() === "impersonate-group")).toEqual(["x, y", "z"]);
  await transport.close();
});

it.each([
  ["before the request", 0],
  ["before the headers", 1],
  ["while the body is read", 2],
])(
  "undici transport rejects with the signal's reason when it aborts %s, and closes the connection",
  async (_name, stage) => {
    await using server = await listen((request, response) => {
      if (stage === 2) response.write("first");
      request.socket.on("error", () => undefined);
    });
    const transport = createUndiciTransport({ server: server.url });
    const controller = new AbortController();
    const reason = { why: "no Error at all" };
    if (stage === 0) controller.abort(reason);
    const sent = get(transport, "/", controller.signal);
    if (stage === 1) {
      await until(() => server.open() === 1);
      controller.abort(reason);
    }
    if (stage === 2) {
      const chunks = (await sent).body[Symbol.asyncIterator]();
      expect(Buffer.from((await chunks.next()).value as Uint8Array).toString()).toBe("first");
      const next = chunks.next();
      controller.abort(reason);
      await expect(next).rejects.toBe(reason);
    } else await expect(sent).rejects.toBe(reason);
    await until(() => server.open() === 0);
    await transport.close();
  },
);

it("undici transport closes the connection when the reader leaves an idle body", async () => {
  await using server = await listen((_request, response) => void response.write("first"));
  const transport = createUndiciTransport({ server: server.url });
  const response = await get(transport, "/");
  for await (const chunk of response.body) {
    expect(chunk.length).toBe(5);
    break;
  }
  await until(() => server.open() === 0);
  const second = (await get(transport, "/")).body[Symbol.asyncIterator]();
  await second.next();
  const pending = second.next();
  await second.return!();
  expect(await pending).toEqual({ done: true, value: undefined });
  await until(() => server.open() === 0);
  await transport.close();
});

it("undici transport pauses the socket while the body is not read", async () => {
  let written = 0;
  await using server = await listen((_request, response) => {
    const block = Buffer.alloc(65_536);
    const write = (): void => {
      while (written < 200 * 1024 * 1024) {
        written += block.length;
        if (!response.write(block)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  });
  const transport = createUndiciTransport({ server: server.url });
  const { body } = await get(transport, "/");
  let last = -1;
  while (last !== written) {
    last = written;
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(written).toBeLessThan(32 * 1024 * 1024);
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  expect(length).toBe(200 * 1024 * 1024);
  await transport.close();
});

it("undici transport decompresses gzip in any chunks and hides the encoding", async () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => `pod-${String(index * 7919)}`));
  const zipped = gzipSync(text);
  await using server = await listen((request, response) => {
    expect(request.headers["accept-encoding"]).toBe("gzip");
    response.writeHead(200, { "content-encoding": "gzip", "content-length": String(zipped.length) });
    for (let offset = 0; offset < zipped.length; offset += 999) response.write(zipped.subarray(offset, offset + 999));
    response.end();
  });
  const transport = createUndiciTransport({ server: server.url, compression: true });
  const response = await get(transport, "/");
  expect([response.headers.get("content-encoding"), response.headers.get("content-length")]).toEqual([null, null]);
  expect(await read(response.body)).toBe(text);
  await transport.close();
});

it("undici transport does not accept gzip for a watch, because a proxy's compressor could delay events", async () => {
  const asked: (string | undefined)[] = [];
  await using server = await listen((request, response) => {
    asked.push(request.headers["accept-encoding"]?.toString());
    response.end();
  });
  const transport = createUndiciTransport({ server: server.url, compression: true });
  for (const path of ["/a?watch=1", "/a?limit=5&watch=true", "/a?limit=5", "/a?watchful=1"])
    await read((await get(transport, path)).body);
  expect(asked).toEqual([undefined, undefined, "gzip", "gzip"]);
  await transport.close();
});

it.each([
  ["a bomb", gzipSync(Buffer.alloc(128 * 1024 * 1024)), /expand to more than/],
  ["garbage", Buffer.from("this is no gzip at all"), /broken gzip/],
  ["a truncated stream", gzipSync(Buffer.from("x".repeat(1_000))).subarray(0, 20), /broken gzip/],
])("undici transport rejects %s as gzip with a ProtocolError", async (_name, bytes, message) => {
  await using server = await listen((_request, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(bytes),
  );
  const transport = createUndiciTransport({ server: server.url, compression: true });
  const failure = await read((await get(transport, "/")).body).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ProtocolError);
  expect(String(failure)).toMatch(message);
  await transport.close();
});

it.each<[string, (response: ServerResponse) => void, string, RegExp]>([
  [
    "the connection is reset before the response",
    (response) => void response.socket!.destroy(),
    "UND_ERR_SOCKET",
    /GET \/x at http:.*connection closed/,
  ],
  [
    "the connection breaks inside the body",
    (response) => void response.write("{", () => response.socket!.destroy()),
    "UND_ERR_SOCKET",
    /GET \/x at http:/,
  ],
  [
    "the response is not valid HTTP",
    (response) => void response.socket!.end("SSH-2.0-rubbish secret\r\n\r\n"),
    "HPE_INVALID",
    /not valid HTTP/,
  ],
])("undici transport throws a TransportError if %s", async (_name, respond, code, message) => {
  await using server = await listen((_request, response) => respond(response));
  const transport = createUndiciTransport({ server: server.url });
  const failure = await get(transport, "/x?token=secret")
    .then((response) => read(response.body))
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TransportError);
  expect((failure as TransportError).code).toBe(code);
  expect((failure as TransportError).message).toMatch(message);
  expect((failure as TransportError).message).not.toContain("secret");
  await transport.close();
});

it("undici transport reports a refused connection and a response timeout", async () => {
  const closed = await listen(() => undefined);
  await closed[Symbol.asyncDispose]();
  const refused = createUndiciTransport({ server: closed.url });
  await expect(get(refused, "/")).rejects.toMatchObject({ name: "TransportError", code: "ECONNREFUSED" });
  await using client = createClient({ transport: refused });
  const message = `GET /x at ${closed.url}: connection refused (ECONNREFUSED)`;
  await expect(client.request({ path: "/x", action: "read x" })).rejects.toMatchObject({
    message: `read x: ${message}`,
  });
  await expect(client.request({ path: "/x" })).rejects.toMatchObject({ message }); // names the request once
  await using silent = await listen(() => undefined);
  const impatient = createUndiciTransport({ server: silent.url, headersTimeoutMs: 50 });
  await expect(get(impatient, "/")).rejects.toMatchObject({ name: "TransportError", code: "UND_ERR_HEADERS_TIMEOUT" });
  await impatient.close();
});

it("undici transport rejects running requests when it is closed", async () => {
  await using server = await listen((request, response) => {
    if (request.url === "/body") response.write("first");
  });
  const transport = createUndiciTransport({ server: server.url });
  const waiting = get(transport, "/headers");
  const body = read((await get(transport, "/body")).body);
  await Promise.all([
    expect(waiting).rejects.toBeInstanceOf(ClosedError),
    expect(body).rejects.toBeInstanceOf(ClosedError),
    transport.close(),
  ]);
  await until(() => server.open() === 0);
});

it.each(["ftp://host", "no url", "https://user:password@host"])(
  "undici transport rejects the server %j with a TypeError that does not quote it",
  (server) => {
    expect(() => createUndiciTransport({ server })).toThrow(TypeError);
    expect(() => createUndiciTransport({ server })).not.toThrow(/password@/);
  },
);
