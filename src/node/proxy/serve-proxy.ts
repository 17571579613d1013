import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Duplex } from "node:stream";
import type { Proxy } from "../../proxy/proxy.js";
import { checkListenPort, startListening } from "../serving/listening.js";
import { proxyHandlers } from "./proxy-handlers.js";

/** Options for `serveProxy`. */
export interface ServeProxyOptions {
  /** Port to listen on; 0 picks a free one. Default 8001, like `kubectl proxy`. */
  readonly port?: number | undefined;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Certificate and key in PEM, to serve `https:` instead of `http:`. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** A running proxy. */
export interface ServedProxy extends AsyncDisposable {
  /** Base URL, such as `http://127.0.0.1:8001`. */
  readonly url: string;
  /** Port that the proxy listens on. */
  readonly port: number;
  /** Closes the port and all its connections. */
  close(): Promise<void>;
}

const limits = { headersTimeout: 30_000, requestTimeout: 60_000, keepAliveTimeout: 60_000, maxHeaderSize: 65_536 };
const maxConnections = 10_000;

/**
 * Serves a proxy on a port of its own, WebSockets included. Rejects with a `KubestreamError` if the port can't be
 * opened, and with a `RangeError` for an invalid port.
 *
 * @example
 * ```ts
 * import { openTransport, serveProxy } from "kubestream/node";
 * import { createProxy } from "kubestream/proxy";
 *
 * const { transport } = await openTransport();
 * const proxy = createProxy({ clusters: { local: { transport } }, authenticate: "none" });
 * const served = await serveProxy(proxy, { port: 8001 });
 * console.log(`${served.url}/clusters/local/api/v1/pods`);
 * await served.close();
 * ```
 */
export async function serveProxy(proxy: Proxy, options: ServeProxyOptions = {}): Promise<ServedProxy> {
  const { port = 8001, host = "127.0.0.1", tls } = options;
  checkListenPort(port);
  const handlers = proxyHandlers(proxy);
  const server: Server = tls === undefined ? createServer(limits) : createSecureServer({ ...limits, ...tls });
  const upgraded = new Set<Duplex>();
  server.maxConnections = maxConnections;
  server.on("request", handlers.request);
  server.on("upgrade", (request, socket, head) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    handlers.upgrade(request, socket, head);
  });
  const scheme = tls === undefined ? "http" : "https";
  const address = await startListening(server, { name: "proxy", scheme, port, host });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of upgraded) socket.destroy();
      server.closeAllConnections();
    }));
  return {
    ...address,
    close,
    [Symbol.asyncDispose]: close,
  };
}
