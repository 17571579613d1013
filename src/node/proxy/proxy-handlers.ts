import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { systemClock } from "../../internal/clock.js";
import { whenClosed } from "../../internal/when-closed.js";
import type { Proxy } from "../../proxy/proxy.js";
import type { TransportSocket } from "../../transport/transport.js";
import { loadPackage } from "../transport/load-package.js";
import { sendFetchResponse, toFetchRequest } from "./fetch-bridge.js";

/** Handlers for the events of Node's HTTP server, such as the one under Express or Fastify. */
export interface ProxyHandlers {
  /** Handles a request. Mount it in front of parsers that read the body. */
  request(request: IncomingMessage, response: ServerResponse): void;
  /** Handles the `upgrade` event, which brings WebSockets. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void;
}

const accept = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/**
 * Creates handlers that let a proxy answer the requests of a Node HTTP server.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { openTransport, proxyHandlers } from "kubestream/node";
 * import { createProxy } from "kubestream/proxy";
 *
 * const { transport } = await openTransport();
 * const handlers = proxyHandlers(createProxy({ clusters: { local: { transport } }, authenticate: "none" }));
 * const server = createServer((request, response) => {
 *   if (request.url?.startsWith("/clusters") === true) handlers.request(request, response);
 *   else response.end("<title>Dashboard</title>");
 * });
 * server.on("upgrade", handlers.upgrade);
 * server.listen(8001, "127.0.0.1");
 * ```
 */
export function proxyHandlers(proxy: Proxy): ProxyHandlers {
  return {
    request(request, response) {
      const gone = new AbortController();
      whenClosed(response, request.socket, () => gone.abort(new DOMException("the client is gone", "AbortError")));
      const converted = toFetchRequest(request, gone.signal);
      if (converted === undefined) {
        response.writeHead(400, { connection: "close" }).end();
        return;
      }
      proxy
        .handle(converted)
        .then((answer) => sendFetchResponse(answer, response))
        .catch(() => response.destroy());
    },
    upgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      upgrade(proxy, request, socket, head).catch(() => socket.destroy());
    },
  };
}

async function upgrade(proxy: Proxy, request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort(new DOMException("the client is gone", "AbortError")));
  const { upgrade, "sec-websocket-key": key = "", "sec-websocket-version": version } = request.headers;
  const converted = toFetchRequest(request, gone.signal);
  const valid = upgrade?.toLowerCase() === "websocket" && version === "13" && /^[A-Za-z0-9+/]{22}==$/.test(key);
  if (converted === undefined || !valid) {
    await refuse(socket, new Response(null, { status: 400 }));
    return;
  }
  const { createWebSocket } = await loadPackage("ws", () => import("../websocket/websocket.js"));
  const answer = await proxy.upgrade(converted);
  if (answer instanceof Response) {
    await refuse(socket, answer);
    return;
  }
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${createHash("sha1")
      .update(key + accept)
      .digest("base64")}`,
    ...(answer.protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${answer.protocol}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  const page = createWebSocket({
    socket,
    protocol: answer.protocol,
    action: "WebSocket of a page",
    signal: gone.signal,
    clock: systemClock,
    server: true,
  });
  await Promise.all([copy(page, answer.socket), copy(answer.socket, page)]);
}

/** Copies messages until one side ends, then closes the other. */
async function copy(from: TransportSocket, to: TransportSocket): Promise<void> {
  try {
    for await (const message of from.messages) await to.send(message);
  } catch {
    // A broken connection ends the other one, too.
  }
  await Promise.all([from.close(), to.close()]);
}

/** Sends a response over a bare connection. */
async function refuse(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const lines = [
    `HTTP/1.1 ${response.status} Refused`,
    ...headers,
    `content-length: ${body.length}`,
    "connection: close",
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]));
  const destroy = systemClock.setTimer(() => socket.destroy(), 1_000);
  socket.once("close", () => destroy.cancel());
}
