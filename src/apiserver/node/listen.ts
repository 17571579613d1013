import { constants } from "node:crypto";
import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse as NodeResponse } from "node:http";
import type { Http2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createNetServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { TlsOptions } from "node:tls";
import { createServer as createTlsServer } from "node:tls";
import { textResponse } from "../http/http.js";
import type { ApiServer } from "../server.js";
import { answer } from "./answer.js";
import { createBrowserGuard } from "./browser-guard.js";
import type { ClientAuthorities } from "./client-certificate.js";
import { clientIdentifier } from "./client-certificate.js";
import type { Exchange } from "./exchange.js";
import { createHttp1 } from "./http1.js";
import { createHttp2 } from "./http2.js";
import type { ListenTimeouts, Openings } from "./time-limits.js";
import { createOpenings, timeLimits } from "./time-limits.js";

/** Options for `listen`. */
export interface ListenOptions {
  /** Port to listen on. Default: 0, which picks a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Certificate and key in PEM. When set, the port accepts TLS in addition to plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /**
   * Host names that requests may name, in addition to loopback names and `host`. `*` accepts every name. Requests for
   * another name get 403, because a web page could have rebound it to this port. A server on all interfaces accepts
   * every IP address.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Time limits for clients that stall. */
  readonly timeouts?: ListenTimeouts | undefined;
  /** Called with each request first; return `true` if you handle the request yourself. */
  readonly intercept?: ((request: IncomingMessage, response: NodeResponse) => boolean) | undefined;
}

/** A port that an API server listens on. */
export interface Listener {
  /** Base URL for plain HTTP, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Base URL for TLS; `undefined` without a certificate. */
  readonly secureUrl: string | undefined;
  /** Port that the server listens on. */
  readonly port: number;
  /** Closes the port and all its connections. The API server itself keeps running. */
  close(): Promise<void>;
  /** Same as `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const tlsHandshake = 0x16;
const http2Preface = "PRI ";

/** Servers by protocol. None of them listens; they receive connections from `routeByProtocol`. */
interface ProtocolServers {
  readonly http: EventEmitter;
  readonly http2: EventEmitter;
  readonly secure: EventEmitter | undefined;
  readonly openings: Openings;
}

/** Hands a connection to the server of its protocol, which its first bytes identify. */
function routeByProtocol(socket: Socket, { http, http2, secure, openings }: ProtocolServers): void {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  openings.start(socket);
  socket.once("readable", () => {
    const first = socket.read() as Buffer | null;
    if (first === null) return;
    socket.unshift(first);
    const target =
      first[0] === tlsHandshake && secure !== undefined
        ? secure
        : first.subarray(0, 4).toString("latin1") === http2Preface
          ? http2
          : http;
    if (target !== secure) openings.done(socket);
    target.emit("connection", socket);
  });
}

/**
 * Opens a port for an API server: HTTP/1.1 and HTTP/2, plus TLS if a certificate is given. Rejects if the port can't be
 * opened. To keep foreign web pages out, it answers 403 to requests for unknown host names, and to writes and WebSockets
 * of other origins, unless `corsAllowedOrigins` of the server allows them.
 *
 * @example
 * ```ts
 * import { createApiServer, type UserInfo } from "kubestream/apiserver";
 * import { createServerCertificate, listen } from "kubestream/apiserver/node";
 * import { connect } from "kubestream/node";
 *
 * const admin: UserInfo = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };
 * const server = createApiServer({ tokens: new Map([["secret", admin]]), authorizationMode: "RBAC" });
 * const { ca, cert, key } = createServerCertificate(["127.0.0.1"], Date.now());
 * const listener = await listen(server, { tls: { cert, key } });
 * const client = await connect({ server: listener.secureUrl!, ca, token: "secret" });
 * await client.close();
 * await listener.close();
 * await server.close();
 * ```
 */
export async function listen(server: ApiServer, options: ListenOptions = {}): Promise<Listener> {
  await server.ready();
  const host = options.host ?? "127.0.0.1";
  const sockets = new Set<Socket>();
  const identify = clientIdentifier(server.clientAuthorities);
  const limits = timeLimits(options.timeouts ?? {});
  const openings = createOpenings(limits.headMs);
  const refusal = createBrowserGuard({
    listenHost: host,
    allowedHosts: options.allowedHosts ?? [],
    allowsOrigin: (origin) => server.allowsOrigin(origin),
  });
  const onExchange = (exchange: Exchange): void => {
    const reason = refusal(exchange);
    if (reason !== undefined) {
      refuse(exchange, reason);
      return;
    }
    if (options.intercept?.(...exchange.native()) === true) return;
    answer(server, exchange).catch(() => {
      // The client left or the response failed; either way the connection can't be used again.
      exchange.cut();
    });
  };
  const http = createHttp1(onExchange, limits);
  const http2 = createHttp2(onExchange, limits);
  const secure =
    options.tls === undefined
      ? undefined
      : createTlsServer(tlsOptions(options.tls, server.clientAuthorities), (socket) => {
          openings.done(socket);
          identify(socket);
          (socket.alpnProtocol === "h2" ? http2 : http).emit("connection", socket);
        });
  const sessions = new Set<Http2Session>();
  http2.on("session", (session: Http2Session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  secure?.on("tlsClientError", () => undefined);

  const net = createNetServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    routeByProtocol(socket, { http, http2, secure, openings });
  });
  await new Promise<void>((resolve, reject) => {
    net.once("error", reject);
    net.listen(options.port ?? 0, host, () => {
      net.off("error", reject);
      resolve();
    });
  });
  const { port, address } = net.address() as AddressInfo;
  await server.advertise(reachable(address), port);
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= new Promise<void>((resolve) => {
      net.close(() => resolve());
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      // These servers don't listen, but closing them clears their timers.
      http.close();
      http2.close();
      secure?.close();
    });
    return closed;
  };
  return {
    url: `http://${authority}`,
    secureUrl: secure === undefined ? undefined : `https://${authority}`,
    port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Requests client certificates if the server has authorities for them. Invalid ones are refused with 401, later. */
export function tlsOptions(tls: { cert: string; key: string }, authorities: ClientAuthorities): TlsOptions {
  const ca = Object.values(authorities);
  return {
    ...tls,
    ALPNProtocols: ["h2", "http/1.1"],
    ...(ca.length === 0
      ? {}
      : {
          ca,
          requestCert: true,
          rejectUnauthorized: false,
          // Like Go, trust any certificate of the bundle. A resumed session wouldn't know the client's chain.
          allowPartialTrustChain: true,
          secureOptions: constants.SSL_OP_NO_TICKET,
        }),
  };
}

/** Answers 403 to a request that a web page of another site may have sent. */
function refuse(exchange: Exchange, reason: string): void {
  const { status, headers, body } = textResponse(403, `Forbidden: ${reason}\n`);
  exchange.closeAfter();
  exchange.send(status, headers, body as Uint8Array);
  exchange.discard();
}

/** Returns an address that clients can reach: one of this machine's own if the server listens on all interfaces. */
export function reachable(address: string): string {
  if (address !== "0.0.0.0" && address !== "::") return address;
  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  return outside?.address ?? "127.0.0.1";
}
