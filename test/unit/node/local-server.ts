import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { fileURLToPath } from "node:url";

/**
 * Returns the path of a test certificate: `ca`, `other-ca`, `server` (127.0.0.1, localhost, cluster.test), `elsewhere`,
 * `expired`, `client` (jane) or `client2` (joan).
 */
export const pkiFile = (name: string): string => fileURLToPath(new URL(`pki/${name}`, import.meta.url));

/** Returns the content of a test certificate. */
export const pki = (name: string): string => readFileSync(pkiFile(name), "utf8");

/** Returns a test certificate in base64, as in a kubeconfig. */
export const pkiData = (name: string): string => Buffer.from(pki(name)).toString("base64");

/** Local test server. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Number of connections accepted so far. */
  connections(): number;
  /** Number of open connections. */
  open(): number;
}

/** Serves on a free port, over TLS with the named certificate. `mutual` requires a client certificate. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: { certificate?: string; mutual?: boolean },
): Promise<LocalServer> {
  const name = tls?.certificate ?? "server";
  const server: Server = tls
    ? (createHttps(
        {
          cert: pki(`${name}.crt`),
          key: pki(`${name}.key`),
          ...(tls.mutual && { requestCert: true, ca: pki("ca.crt") }),
        },
        handle,
      ) as unknown as Server)
    : createHttp(handle);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${String(port)}`,
    port,
    server,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Resolves when the condition holds. Checks it in each turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
