import type { Dispatcher } from "undici";
import { ClosedError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { systemClock } from "../../internal/clock.js";
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

/** How a server is reached over TLS; all of it as PEM text or bytes. */
export interface TlsOptions {
  /** Certificate authorities that are trusted instead of the platform's. */
  readonly ca?: string | Uint8Array;
  /** Client certificate. */
  readonly cert?: string | Uint8Array;
  /** Key of the client certificate. */
  readonly key?: string | Uint8Array;
  /** Name that the server's certificate must be for, and that is sent as SNI; default the URL's host. */
  readonly servername?: string;
  /** Accepts any certificate. Default false. */
  readonly insecureSkipVerify?: boolean;
}

/** Options of `createUndiciTransport`. */
export interface UndiciTransportOptions {
  /** URL of the server, `http:` or `https:`; a path is put before every request's. */
  readonly server: string;
  /** TLS to the server. */
  readonly tls?: TlsOptions;
  /**
   * Carries the requests instead of a pool of the transport's own: any object with a `Dispatcher`'s methods, of any
   * undici. `tls` and the time-outs are then its own affair, and `close()` leaves it open.
   */
  readonly dispatcher?: Pick<Dispatcher, "dispatch">;
  /** Proxy to the server, by its URL: `http:`, `https:` or `socks5:`, with user name and password if it wants them. */
  readonly proxy?: URL;
  /** Offers HTTP/2 to the server. Default false: see the decision record on HTTP/2. */
  readonly http2?: boolean;
  /** Asks for gzip. Default: true unless the server is on this machine, where it costs more than it saves. */
  readonly compression?: boolean;
  /** Most connections at a time. Default unlimited: every watch holds one. */
  readonly maxConnections?: number;
  /** Longest wait for a connection, in milliseconds. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Longest wait for an answer's headers, in milliseconds; 0 for ever. Default 120,000, twice the server's own limit. */
  readonly headersTimeoutMs?: number;
  /** How long an idle connection is kept, in milliseconds. Default 50,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** Options of the connection pool that a kubeconfig cannot hold. */
export type PoolOptions = Omit<UndiciTransportOptions, "server" | "tls" | "proxy" | "clock">;

/** A transport whose pool can be left to end by itself. */
export interface UndiciTransport extends Transport {
  /** Opens a WebSocket. Rejects with a `StatusError` if the server refuses the upgrade. */
  connect(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
  /** Takes no more requests and resolves when those under way have ended and the connections are closed. */
  drain(): Promise<void>;
}

/**
 * Carries requests over one pool of kept-alive connections. Follows no redirect, retries nothing, puts no limit on how
 * long a body may take, and undoes gzip. Throws a `TypeError` for a URL that is none.
 */
export function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport {
  return createPooledTransport(options);
}

/** Such a transport as the rest of this folder sees it. */
export interface PooledTransport extends UndiciTransport, DirectTransport {
  /** Opens a WebSocket. Rejects with a `StatusError` if the server refuses the upgrade. */
  connect(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
}

/** The same as `createUndiciTransport`. */
export function createPooledTransport(options: UndiciTransportOptions): PooledTransport {
  const url = parseServerUrl(options.server);
  const prefix = url.pathname.replace(/\/+$/, "");
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

  /** HTTP/2 has no upgrade: WebSockets then get connections of their own. */
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

/** Parses the URL of a server. Throws a `TypeError` saying what is wrong with it, without any password in it. */
export function parseServerUrl(server: string): URL {
  let url: URL;
  try {
    url = new URL(server);
  } catch {
    throw new TypeError("the server's URL cannot be parsed: it must look like https://host:port");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError(`the server's URL must be http: or https:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new TypeError("the server's URL must not hold a user name or password");
  return url;
}

/** Whether a host name or address is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** A pool that is made when the first request needs it: undici is not loaded before. */
function createPool(url: URL, options: UndiciTransportOptions): ConnectionPool {
  let pool: ConnectionPool | undefined;
  let making: Promise<ConnectionPool> | undefined;
  const make = (): Promise<ConnectionPool> =>
    (making ??= loadUndici().then((parts) => (pool = makePool(url, options, parts))));
  /** The pool, if one was made. */
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
    ...(tls.insecureSkipVerify === true && { rejectUnauthorized: false }),
  });
  return createConnectionPool({
    Client,
    origin: url.origin,
    maxConnections: options.maxConnections,
    http2: options.http2 ?? false,
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
