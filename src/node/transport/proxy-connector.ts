import type { Socket } from "node:net";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, rootCertificates } from "node:tls";
import type { buildConnector } from "undici";
import { TransportError } from "../../errors/errors.js";
import { systemClock } from "../../internal/clock.js";
import { transportFailure } from "../websocket/transport-failure.js";
import { hostOf, portOf } from "./proxy-environment.js";
import { readHead } from "./read-exactly.js";
import { connectSocks5 } from "./socks5.js";

/** Options for `createProxyConnector`. */
export interface ProxyConnectorOptions {
  /** URL of the proxy. */
  readonly proxy: URL;
  /** Authorities to trust in addition to the platform's if the proxy uses TLS. kubectl trusts the cluster's. */
  readonly ca?: string | undefined;
  /** Timeout for opening the tunnel, in milliseconds. */
  readonly timeoutMs: number;
}

/** Creates a connector that tunnels through a proxy. `inner` adds TLS to the server if the URL needs it. */
export function createProxyConnector(
  options: ProxyConnectorOptions,
  inner: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    tunnel(options, host, Number(target.port) || (target.protocol === "https:" ? 443 : 80)).then(
      (socket) => {
        if (target.protocol === "https:") inner({ ...target, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

function dial({ proxy, ca }: ProxyConnectorOptions): Socket {
  const host = hostOf(proxy);
  const port = portOf(proxy);
  if (proxy.protocol !== "https:") return connectTcp({ host, port });
  return connectTls({
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  });
}

async function tunnel(options: ProxyConnectorOptions, host: string, port: number): Promise<Socket> {
  const { proxy, timeoutMs } = options;
  const socket = dial(options);
  const name = `proxy ${proxy.protocol}//${proxy.host}`;
  const timer = systemClock.setTimer(
    () =>
      socket.destroy(
        new TransportError(`${name}: timed out while opening the tunnel`, { code: "UND_ERR_CONNECT_TIMEOUT" }),
      ),
    timeoutMs,
  );
  try {
    await connected(socket, proxy.protocol === "https:" ? "secureConnect" : "connect");
    socket.setNoDelay(true);
    if (proxy.protocol.startsWith("socks5")) await connectSocks5(socket, host, port, credentialsOf(proxy));
    else await connectHttp(socket, host, port, proxyAuthorization(proxy));
    return socket;
  } catch (error) {
    // Errors of the abandoned socket arrive later and must not crash the process.
    socket.on("error", () => undefined);
    socket.destroy();
    if (error instanceof TransportError)
      throw new TransportError(error.message.startsWith(name) ? error.message : `${name}: ${error.message}`, {
        code: error.code,
      });
    throw transportFailure(name, error);
  } finally {
    timer.cancel();
  }
}

function connected(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once(event, () => {
      socket.off("error", reject);
      resolve();
    });
  });
}

async function connectHttp(
  socket: Socket,
  host: string,
  port: number,
  authorization: string | undefined,
): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization === undefined ? "" : `proxy-authorization: ${authorization}\r\n`}\r\n`,
  );
  const head = await readHead(socket);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined) throw new TransportError("the proxy does not speak HTTP", { code: "ERR_PROXY" });
  if (status === "407")
    throw new TransportError("the proxy requires a valid user name and password (407)", {
      code: "ERR_PROXY_AUTH",
    });
  if (!status.startsWith("2"))
    throw new TransportError(`the proxy could not connect to ${target} (${status})`, { code: "ERR_PROXY_CONNECT" });
}

function credentialsOf(proxy: URL): { username: string; password: string } | undefined {
  if (proxy.username === "" && proxy.password === "") return undefined;
  return { username: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
}

/** Returns the `proxy-authorization` header for the user name and password in a proxy's URL. */
export function proxyAuthorization(proxy: URL): string | undefined {
  const credentials = credentialsOf(proxy);
  return (
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`, "utf8").toString("base64")}`
  );
}
