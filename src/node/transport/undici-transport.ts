import type { Dispatcher } from "undici";
import { ClosedError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { systemClock } from "../../internal/clock.js";
import { trimEnd } from "../../internal/trim-end.js";
import { type DirectTransport, sendDirect } from "../../transport/direct.js";
import type { Transport, TransportRequest, TransportSocket } from "../../transport/transport.js";
import type { NodeWebSocket } from "../websocket/websocket.js";
import type { ConnectionPool } from "./connection-pool.js";
import { createConnectionPool } from "./connection-pool.js";
import type { DispatchTarget } from "./dispatch-request.js";
import { describeRequest, dispatchDirect, dispatchRequest } from "./dispatch-request.js";
import type { UndiciParts } from "./load-undici.js";
import { loadUndici } from "./load-undici.js";
import { openWebSocket } from "./open-websocket.js";
import { createProxyConnector } from "./proxy-connector.js";

/** TLS settings for the server. Certificates and keys are PEM, as text or bytes. */
export interface TlsOptions {
  /** Certificate authorities to trust instead of the platform's. */
  readonly ca?: string | Uint8Array | undefined;
  /** Client certificate. */
  readonly cert?: string | Uint8Array | undefined;
  /** Key of the client certificate. */
  readonly key?: string | Uint8Array | undefined;
  /** Host name that the server's certificate must match, also sent as SNI. Default: the host of the URL. */
  readonly servername?: string | undefined;
  /** Accepts any server certificate. Insecure: use it for tests only. Default false. */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** Options for `createUndiciTransport`. */
export interface UndiciTransportOptions {
  /** URL of the server, `http:` or `https:`. Its path is a prefix for the path of every request. */
  readonly server: string;
  /** TLS settings for the server. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Sends the requests instead of the transport's own pool: any object with the `dispatch` method of an undici
   * `Dispatcher`, of any undici version. `tls` and the timeouts don't apply then, and `close()` leaves it open.
   */
  readonly dispatcher?: Pick<Dispatcher, "dispatch"> | undefined;
  /** URL of a proxy to the server: `http:`, `https:` or `socks5:`, with user name and password if needed. */
  readonly proxy?: URL | undefined;
  /** Offers HTTP/2 to the server. Default false: it pays off for many watches, not for speed. */
  readonly http2?: boolean | undefined;
  /**
   * Accepts gzip. Default: true, or false if the server is on the loopback interface, where compression costs more than
   * it saves.
   */
  readonly compression?: boolean | undefined;
  /** Maximum number of connections. Every watch holds one. Default: unlimited. */
  readonly maxConnections?: number | undefined;
  /** Timeout for opening a connection, in milliseconds. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Timeout for the response headers, in milliseconds; 0 disables it. Default 120,000, twice the server's own limit.
   */
  readonly headersTimeoutMs?: number | undefined;
  /** Time to keep an idle connection, in milliseconds. Default 50,000. */
  readonly keepAliveTimeoutMs?: number | undefined;
  /** Clock for timers, replaceable in tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Settings of the connection pool. They exist only as options, not in a kubeconfig.
 *
 * @example
 * ```ts
 * import type { PoolOptions } from "kubestream/node";
 * import { connect } from "kubestream/node";
 *
 * const pool: PoolOptions = { http2: true, maxConnections: 8, headersTimeoutMs: 30_000 };
 * const client = await connect(pool);
 * await client.close();
 * ```
 */
export type PoolOptions = Omit<UndiciTransportOptions, "server" | "tls" | "proxy" | "clock">;

/** Transport for Node.js whose connection pool can be drained. */
export interface UndiciTransport extends Transport {
  /** Opens a WebSocket. Rejects with a `StatusError` if the server refuses the upgrade. */
  connect(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
  /** Accepts no more requests. Resolves when the running ones have ended and the connections are closed. */
  drain(): Promise<void>;
}

/**
 * Creates a transport over a pool of keep-alive connections, for a server without a kubeconfig. It follows no
 * redirects, retries nothing, sets no time limit for a body, and decompresses gzip. Throws a `TypeError` for an invalid
 * URL.
 *
 * @example
 * ```ts
 * import { createClient } from "kubestream";
 * import { bearerToken } from "kubestream/interceptors";
 * import { createUndiciTransport } from "kubestream/node";
 *
 * const transport = createUndiciTransport({ server: "https://10.0.0.1:6443", tls: { ca: process.env["CA_PEM"] ?? "" } });
 * const client = createClient({ transport, interceptors: [bearerToken(() => process.env["TOKEN"] ?? "")] });
 * await client.close();
 * ```
 */
export function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport {
  return createPooledTransport(options);
}

/** The same transport with the methods that only this package uses. */
export interface PooledTransport extends UndiciTransport, DirectTransport {
  /** Opens a WebSocket. Rejects with a `StatusError` if the server refuses the upgrade. */
  connect(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
}

/** Implements `createUndiciTransport`. */
export function createPooledTransport(options: UndiciTransportOptions): PooledTransport {
  const url = parseServerUrl(options.server);
  const prefix = trimEnd(url.pathname, "/");
  const own = options.dispatcher ? undefined : createPool(url, options);
  const target: DispatchTarget = {
    dispatcher: options.dispatcher ?? own!,
    origin: url.origin,
    prefix,
    compression: options.compression ?? !isLoopback(url.hostname),
  };
  const sockets = new Set<NodeWebSocket>();
  let upgrades: ConnectionPool | undefined;
  let closing: Promise<void> | undefined;

  /** HTTP/2 has no upgrade, so WebSockets get their own HTTP/1.1 connections. */
  function upgradeTarget(): DispatchTarget {
    if (!own || !options.http2) return target;
    upgrades ??= createPool(url, { ...options, http2: false });
    return { ...target, dispatcher: upgrades };
  }

  async function end(): Promise<void> {
    const reason = new ClosedError("the client was closed");
    for (const socket of sockets) socket.destroy(reason);
    await Promise.all([own?.destroy(reason), upgrades?.destroy(reason)]);
  }

  return {
    send(request) {
      if (closing) return Promise.reject(new ClosedError(`${describeRequest(target, request)}: the client is closed`));
      return dispatchRequest(target, request);
    },
    [sendDirect](request) {
      if (closing) return Promise.reject(new ClosedError(`${describeRequest(target, request)}: the client is closed`));
      return dispatchDirect(target, request);
    },
    async connect(request, protocols) {
      if (closing) throw new ClosedError(`${describeRequest(target, request)}: the client is closed`);
      const socket = await openWebSocket(upgradeTarget(), request, protocols, options.clock ?? systemClock);
      if (isClosing()) socket.destroy(new ClosedError("the client was closed"));
      else {
        sockets.add(socket);
        void socket.closed.then(() => sockets.delete(socket));
      }
      return socket;
    },
    async drain() {
      await Promise.all([own?.drain(), upgrades?.drain(), ...[...sockets].map((socket) => socket.closed)]);
    },
    close() {
      closing ??= end();
      return closing;
    },
  };

  function isClosing(): boolean {
    return closing !== undefined;
  }
}

/** Parses the URL of a server. Throws a `TypeError` that doesn't quote a password. */
export function parseServerUrl(server: string): URL {
  let url: URL;
  try {
    url = new URL(server);
  } catch {
    throw new TypeError("invalid server URL: it must look like https://host:port");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError(`the server URL must use http: or https:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new TypeError("the server URL must not contain a user name or password");
  return url;
}

/** Returns true if the host name or address is the local machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** Creates a pool on the first request, so that undici isn't loaded earlier. */
function createPool(url: URL, options: UndiciTransportOptions): ConnectionPool {
  let pool: ConnectionPool | undefined;
  let making: Promise<ConnectionPool> | undefined;
  const make = (): Promise<ConnectionPool> =>
    (making ??= loadUndici().then((parts) => (pool = makePool(url, options, parts))));
  /** Resolves with the pool if it was created. */
  const made = (): Promise<ConnectionPool | undefined> | undefined => making?.catch(() => undefined);
  return {
    dispatch(request, handler) {
      if (pool) return pool.dispatch(request, handler);
      const fail = (error: unknown): void => handler.onResponseError?.(undefined as never, error as Error);
      make().then((ready) => {
        try {
          ready.dispatch(request, handler);
        } catch (error) {
          fail(error);
        }
      }, fail);
      return true;
    },
    drain: async () => (await made())?.drain(),
    destroy: async (reason) => (await made())?.destroy(reason),
  };
}

function makePool(url: URL, options: UndiciTransportOptions, { Client, buildConnector }: UndiciParts): ConnectionPool {
  const tls = options.tls ?? {};
  const timeout = options.connectTimeoutMs ?? 30_000;
  const ca = tls.ca === undefined ? undefined : asText(tls.ca);
  const connector = buildConnector({
    timeout,
    allowH2: options.http2 ?? false,
    ...(ca !== undefined && { ca }),
    ...(tls.cert !== undefined && { cert: asText(tls.cert) }),
    ...(tls.key !== undefined && { key: asText(tls.key) }),
    ...(tls.servername !== undefined && { servername: tls.servername }),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    rejectUnauthorized: tls.insecureSkipVerify !== true,
  });
  return createConnectionPool({
    Client,
    origin: url.origin,
    maxConnections: options.maxConnections,
    http2: options.http2 ?? false,
    clock: options.clock ?? systemClock,
    headersTimeoutMs: options.headersTimeoutMs ?? 120_000,
    keepAliveTimeoutMs: options.keepAliveTimeoutMs ?? 50_000,
    connector: options.proxy
      ? createProxyConnector({ proxy: options.proxy, ca, timeoutMs: timeout }, connector)
      : connector,
  });
}

function asText(pem: string | Uint8Array): string {
  return typeof pem === "string" ? pem : new TextDecoder().decode(pem);
}
