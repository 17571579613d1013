import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { systemClock } from "../../internal/clock.js";

/** Address to listen on, and the name of the server in errors. */
export interface ListenTarget {
  readonly name: string;
  readonly scheme: "http" | "https";
  readonly port: number;
  /** Default: all interfaces. */
  readonly host?: string | undefined;
}

/** Address of a listening server. */
export interface ListenAddress {
  /** Base URL that is reachable from this machine. */
  readonly url: string;
  readonly port: number;
}

/** Throws a `RangeError` if a server can't listen on a port. 0 stands for any free port. */
export function checkListenPort(port: number): void {
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535)
    throw new RangeError(`options.port must be an integer from 0 to 65535, not ${String(port)}`);
}

/** Starts a server. Rejects with a `KubestreamError` if the port can't be opened. */
export async function startListening(
  server: Server,
  { name, scheme, port, host }: ListenTarget,
): Promise<ListenAddress> {
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(
        new KubestreamError(`${name}: cannot listen on ${host ?? "all interfaces"}, port ${port}: ${cause.message}`, {
          cause,
        }),
      );
    server.once("error", fail);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off("error", fail);
      resolve();
    });
  });
  const { port: opened } = server.address() as AddressInfo;
  return { url: `${scheme}://${localHost(host)}:${opened}`, port: opened };
}

/** Returns the host of a URL that reaches an address from this machine. */
function localHost(host: string | undefined): string {
  if (host === undefined || host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Closes a server, and after `graceMs` also the connections whose response hasn't ended. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = systemClock.setTimer(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      timer.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
