import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, fetch as undiciFetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUndiciTransport } from "../../../src/node/transport/undici-transport.js";
import { fetchTransport } from "../../../src/transport/fetch.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";

/** Behaviors of the test server, selected by path. */
type Behaviour = "hello" | "echo" | "hang" | "hang-body" | "cut" | "redirect" | "status";

const encoder = new TextEncoder();
const closed = new Map<string, () => void>();
const arrived = new Map<string, () => void>();

/** Serves the behaviors over HTTP. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const [, behaviour, id = ""] = request.url!.split("/") as [string, Behaviour, string?];
  // The connection pool of the platform's fetch can't be closed.
  response.setHeader("connection", "close");
  response.on("close", () => closed.get(id)?.());
  arrived.get(id)?.();
  switch (behaviour) {
    case "echo": {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () =>
        response.end(
          JSON.stringify({
            method: request.method,
            url: request.url,
            body: Buffer.concat(chunks).toString(),
            custom: request.headers["x-custom"],
          }),
        ),
      );
      return;
    }
    case "hang":
      return;
    case "hang-body":
      response.write("begin");
      return;
    case "cut":
      response.setHeader("content-length", "100");
      response.write("begin");
      setImmediate(() => response.destroy());
      return;
    case "redirect":
      response.writeHead(302, { location: "http://127.0.0.1:1/elsewhere" }).end();
      return;
    case "status":
      response.setHeader("x-one", "1").setHeader("warning", ['299 - "a"', '299 - "b"']).writeHead(418).end("teapot");
      return;
    default:
      response.end("hello");
  }
}

/** Serves the behaviors in the same process. */
async function handle(request: Request): Promise<Response> {
  const [, behaviour, id = ""] = new URL(request.url).pathname.split("/") as [string, Behaviour, string?];
  const body = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response =>
    new Response(new ReadableStream({ start, cancel: () => closed.get(id)?.() }));
  arrived.get(id)?.();
  switch (behaviour) {
    case "echo":
      return Response.json({
        method: request.method,
        url: new URL(request.url).pathname + new URL(request.url).search,
        body: await request.text(),
        custom: request.headers.get("x-custom") ?? undefined,
      });
    case "hang":
      return new Promise(() => request.signal.addEventListener("abort", () => closed.get(id)?.(), { once: true }));
    case "hang-body":
      return body((c) => c.enqueue(encoder.encode("begin")));
    case "cut":
      return body((c) => {
        c.enqueue(encoder.encode("begin"));
        setImmediate(() => c.error(new Error("cut")));
      });
    case "redirect":
      return new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } });
    case "status":
      return new Response("teapot", {
        status: 418,
        headers: [
          ["x-one", "1"],
          ["warning", '299 - "a"'],
          ["warning", '299 - "b"'],
        ],
      });
    default:
      return new Response("hello");
  }
}

let url = "";
const server = createServer(serve);
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

/** Uses an undici pool that can be closed. The platform's `fetch` is the same code, but its pool can't be closed. */
function ownFetch(): Transport {
  const agent = new Agent();
  const transport = fetchTransport({
    url,
    fetch: ((input: string, init: object) =>
      undiciFetch(input, { ...init, dispatcher: agent })) as unknown as typeof fetch,
  });
  let ended: Promise<void> | undefined;
  return {
    send: (request) => transport.send(request),
    close: () => (ended ??= transport.close().then(() => agent.destroy())),
  };
}

const transports: [string, () => Transport][] = [
  ["handler", () => handlerTransport(handle)],
  ["fetch", ownFetch],
  ["undici", () => createUndiciTransport({ server: url })],
];

describe.each(transports)("the %s transport", (name, make) => {
  const request = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
    method: "GET",
    path,
    headers: {},
    signal: new AbortController().signal,
    ...more,
  });
  const text = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
    let all = "";
    for await (const chunk of body) all += new TextDecoder().decode(chunk);
    return all;
  };
  const use = async (act: (transport: Transport) => Promise<void>): Promise<void> => {
    const transport = make();
    await act(transport).finally(() => transport.close());
  };

  it("sends method, path, query, headers and body unchanged", () =>
    use(async (transport) => {
      const body = encoder.encode('{"a":"ü"}');
      const response = await transport.send(
        request("/echo/a%2Fb?x=%20y&z=1", {
          method: "PATCH",
          headers: { "x-custom": "v", "content-type": "application/json" },
          body,
        }),
      );
      expect(JSON.parse(await text(response.body))).toEqual({
        method: "PATCH",
        url: "/echo/a%2Fb?x=%20y&z=1",
        body: '{"a":"ü"}',
        custom: "v",
      });
    }));

  it("returns status and headers, with repeated headers joined", () =>
    use(async (transport) => {
      const response = await transport.send(request("/status"));
      expect([
        response.status,
        response.headers.get("X-One"),
        response.headers.get("none"),
        response.headers.get("warning"),
      ]).toEqual([418, "1", null, '299 - "a", 299 - "b"']);
      expect(await text(response.body)).toBe("teapot");
    }));

  it("doesn't follow redirects", () =>
    use(async (transport) => {
      const response = await transport.send(request("/redirect")).catch((e: unknown) => e as Error);
      if (response instanceof Error) expect(response).toMatchObject({ name: "TransportError" });
      else {
        expect(response.status).toBe(302);
        await text(response.body);
      }
    }));

  it.each(["before", "headers", "body"] as const)("rejects with the signal's reason, abort phase: %s", (when) =>
    use(async (transport) => {
      const controller = new AbortController();
      const reason = { why: "enough" };
      const id = `${name}-${when}`;
      const ended = new Promise<void>((resolve) => closed.set(id, resolve));
      const asked = new Promise<void>((resolve) => arrived.set(id, resolve));
      if (when === "before") {
        controller.abort(reason);
        await expect(transport.send(request("/hello", { signal: controller.signal }))).rejects.toBe(reason);
        return;
      }
      if (when === "headers") {
        const sent = transport.send(request(`/hang/${id}`, { signal: controller.signal })).catch((e: unknown) => e);
        await asked;
        await new Promise((resolve) => setImmediate(resolve));
        controller.abort(reason);
        expect(await sent).toBe(reason);
      } else {
        const response = await transport.send(request(`/hang-body/${id}`, { signal: controller.signal }));
        const iterator = response.body[Symbol.asyncIterator]();
        await iterator.next();
        const pending = iterator.next().catch((e: unknown) => e);
        controller.abort(reason);
        expect(await pending).toBe(reason);
      }
      await ended;
    }),
  );

  it("closes the connection when reading the body stops", () =>
    use(async (transport) => {
      const id = `${name}-left`;
      const ended = new Promise<void>((resolve) => closed.set(id, resolve));
      const controller = new AbortController();
      const response = await transport.send(request(`/hang-body/${id}`, { signal: controller.signal }));
      const iterator = response.body[Symbol.asyncIterator]();
      await iterator.next();
      await iterator.return!();
      controller.abort();
      await ended;
    }));

  it("rejects with a TransportError when the body breaks", () =>
    use(async (transport) => {
      const response = await transport.send(request("/cut"));
      await expect(text(response.body)).rejects.toMatchObject({ name: "TransportError" });
    }));

  it("rejects requests with a ClosedError after close", async () => {
    const transport = make();
    await transport.close();
    await transport.close();
    await expect(transport.send(request("/hello"))).rejects.toMatchObject({ name: "ClosedError" });
  });
});
