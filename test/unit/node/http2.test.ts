import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { constants, createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { expect, it } from "vitest";
import { ClosedError } from "../../../src/errors/errors.js";
import { connect } from "../../../src/node/connection/connect.js";
import { exec } from "../../../src/streams/remote-command.js";
import { flood } from "../../support/flood.js";
import { fakeKubelet } from "./fake-kubelet.js";
import { pki, until } from "./local-server.js";

async function fixture(
  handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  retry: false | { readonly initialMs: number } = false,
) {
  const server: Http2SecureServer = createSecureServer(
    { allowHTTP1: true, cert: pki("server.crt"), key: pki("server.key") },
    handle,
  );
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("secureConnection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const client = await connect({
    server: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ca: pki("ca.crt"),
    token: "t",
    env: {},
    http2: true,
    retry,
  });
  return {
    server,
    client,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      await client.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("HTTP/2 transport sends many concurrent requests over one connection", async () => {
  await using served = await fixture((request, response) =>
    response.end(JSON.stringify([request.httpVersion, request.headers.authorization, request.url])),
  );
  await (await served.client.request({ path: "/first" })).json();
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) =>
      (await served.client.request({ path: `/x/${String(index)}` })).json(),
    ),
  );
  expect(answers[49]).toEqual(["2.0", "Bearer t", "/x/49"]);
  expect(served.connections()).toBe(1);
});

it("HTTP/2 client reads an error page without an end up to 1 MiB, then resets its stream only", async () => {
  let isOver = false;
  await using served = await fixture((request, response) => {
    if (request.url === "/version") return void response.end("{}");
    response.writeHead(500, { "content-type": "text/plain" });
    response.stream.on("aborted", () => (isOver = true));
    flood(response.stream, Buffer.alloc(64 * 1024, "x"), 64 * 1024 * 1024);
  });
  const failure = await served.client.request({ path: "/endless" }).catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ name: "StatusError", code: 500 });
  expect((failure as Error).message.length).toBeLessThan(1_000);
  await until(() => isOver);
  expect(await (await served.client.request({ path: "/version" })).text()).toBe("{}");
  expect(served.connections()).toBe(1);
});

it("HTTP/2 transport aborts one stream without the others, and all of them on close", async () => {
  await using served = await fixture((_request, response) => void response.write("first"));
  const controllers = [new AbortController(), new AbortController()];
  const bodies = [];
  for (const controller of controllers) {
    const response = await served.client.request({ path: "/x", stream: true, signal: controller.signal });
    const chunks = response.body[Symbol.asyncIterator]();
    await chunks.next();
    bodies.push(chunks);
  }
  const [first, second] = bodies.map((chunks) => chunks.next());
  controllers[0]!.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  const still = Symbol("still open");
  expect(await Promise.race([second, new Promise((resolve) => setImmediate(() => resolve(still)))])).toBe(still);
  const closed = expect(second).rejects.toBeInstanceOf(ClosedError);
  await served.client.close();
  await closed;
  await until(() => served.open() === 0);
});

it.each(["first", "second"])(
  "HTTP/2 transport fails the %s response of a connection if the server cancels its stream",
  async (which) => {
    const open: Http2ServerResponse[] = [];
    await using served = await fixture((request, response) => {
      response.write("line\n");
      if (request.url === "/whole") response.end();
      else open.push(response);
    });
    const whole = async (): Promise<string> => (await served.client.request({ path: "/whole" })).text();
    if (which === "second") expect(await whole()).toBe("line\n");
    const log = await served.client.request({ path: "/log", stream: true });
    const lines = log.body[Symbol.asyncIterator]();
    expect((await lines.next()).value).toEqual(Buffer.from("line\n"));
    open[0]!.stream.close(constants.NGHTTP2_CANCEL);
    await expect(lines.next()).rejects.toMatchObject({ code: "ERR_HTTP2_STREAM_CANCEL" });
    expect(await whole()).toBe("line\n");
    expect(served.connections()).toBe(1);
  },
);

it("HTTP/2 transport does not delay a write behind a watch", async () => {
  await using served = await fixture((request, response) => {
    if (request.method === "GET") response.write("first");
    else response.end('{"done":true}');
  });
  const watch = await served.client.request({ path: "/watch", stream: true });
  await watch.body[Symbol.asyncIterator]().next();
  expect(await (await served.client.request({ method: "POST", path: "/x", body: {} })).json()).toEqual({ done: true });
  expect(await (await served.client.request({ method: "POST", path: "/x", body: {} })).json()).toEqual({ done: true });
  expect(served.connections()).toBe(2);
  watch.close();
});

it("HTTP/2 transport opens WebSockets over HTTP/1.1", async () => {
  await using served = await fixture((_request, response) => response.end("{}"));
  fakeKubelet(served.server as never);
  await using session = await exec(served.client, { namespace: "a", name: "b" }, { command: ["exit", "7"] });
  expect((await session.exited).code).toBe(7);
});

it("reads over HTTP/2 survive a server that ends connections with GOAWAY", async () => {
  let requests = 0;
  await using served = await fixture(
    (request, response) => {
      requests++;
      if (requests % 23 === 0) request.stream.session!.goaway(0, request.stream.id);
      setTimeout(() => response.end("{}"), 1).unref();
    },
    { initialMs: 1 },
  );
  const failures: unknown[] = [];
  for (let round = 0; round < 60; round++)
    await Promise.all(
      Array.from({ length: 4 }, () =>
        served.client
          .request({ path: "/x" })
          .then((response) => response.text())
          .catch((error: unknown) => failures.push(error)),
      ),
    );
  expect(failures).toEqual([]);
});
