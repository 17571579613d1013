import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { Client } from "../../client/client.js";
import { ConfigError } from "../../errors/errors.js";
import { whenAborted } from "../../internal/abort.js";
import { sleep, systemClock } from "../../internal/clock.js";
import type { PodTarget } from "../../streams/pod-target.js";
import type { PortConnection } from "../../streams/port-forward.js";
import { connectPort } from "../../streams/port-forward.js";
import { portProtocols } from "../../streams/port-wires.js";
import type { ServiceTarget } from "../../streams/service-target.js";
import { resolveService } from "../../streams/service-target.js";

/** One port to forward. */
export interface ForwardedPort {
  /** Port of the pod by number, or of the service by number or name. */
  readonly remote: number | string;
  /** Local port. Default: a free one. */
  readonly local?: number;
}

/** Options of `forwardPorts`. */
export interface ForwardPortsOptions {
  /** The ports, one or several; just the remote one for a free local one. */
  readonly ports: readonly (number | string | ForwardedPort)[];
  /** Local address to listen on. Default `127.0.0.1`. */
  readonly address?: string;
  /** Told of connections that failed; the listener goes on. Default: nothing is told. */
  readonly onError?: (error: unknown) => void;
  /** Ends the listener and its connections. */
  readonly signal?: AbortSignal;
}

/** Local ports that lead to a pod or a service. */
export interface PortForward extends AsyncDisposable {
  /** Where each port listens, in the order they were asked for. */
  readonly ports: readonly { readonly local: number; readonly remote: number | string }[];
  /** Stops listening and closes every connection. */
  close(): Promise<void>;
}

/**
 * Listens on local ports and carries each connection to a pod, or to a pod behind a service. The service is looked up for
 * each connection anew, so that the forward outlives the pod. Rejects with a `ConfigError` if a port cannot be listened on, and
 * with the signal's reason.
 */
export async function forwardPorts(
  client: Pick<Client, "openWebSocket" | "request">,
  target: PodTarget | ServiceTarget,
  options: ForwardPortsOptions,
): Promise<PortForward> {
  const { ports, address = "127.0.0.1", onError = () => undefined, signal } = options;
  signal?.throwIfAborted();
  const life = new AbortController();
  const running = new Set<Promise<void>>();
  const servers: Server[] = [];

  async function carry(local: Socket, remote: number | string): Promise<void> {
    const gone = new AbortController();
    const end = (): void => gone.abort(life.signal.reason);
    local.once("close", end);
    local.on("error", () => undefined);
    const release = whenAborted(life.signal, end);
    try {
      const connection = await dial(client, target, remote, gone.signal);
      await splice(local, connection, gone.signal);
    } catch (error) {
      if (error !== gone.signal.reason) onError(error);
    } finally {
      local.off("close", end);
      release();
      end();
      local.destroy();
    }
  }

  async function close(): Promise<void> {
    signal?.removeEventListener("abort", onAbort);
    life.abort();
    await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
    await Promise.all(running);
  }
  const onAbort = (): void => void close();

  const wanted = ports.map((port) => (typeof port === "object" ? port : { remote: port }));
  const listening: { local: number; remote: number | string }[] = [];
  try {
    for (const { remote, local = 0 } of wanted) {
      const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
        const done = carry(socket, remote).finally(() => running.delete(done));
        running.add(done);
      });
      listening.push({ local: await listen(server, local, address), remote });
      servers.push(server);
      signal?.throwIfAborted();
    }
  } catch (error) {
    await close();
    throw error;
  }
  signal?.addEventListener("abort", onAbort, { once: true });
  return { ports: listening, close, [Symbol.asyncDispose]: close };
}

async function dial(
  client: Pick<Client, "openWebSocket" | "request">,
  target: PodTarget | ServiceTarget,
  remote: number | string,
  signal: AbortSignal,
): Promise<PortConnection> {
  if ("service" in target) {
    const { pod, port } = await resolveService(client, target, remote, signal);
    return connectPort(client, pod, port, { signal });
  }
  if (typeof remote !== "number")
    throw new ConfigError(`a pod's port must be given by number, not ${JSON.stringify(remote)}`);
  return connectPort(client, target, remote, { signal });
}

/** How long an answer is waited for where the pod cannot be told that nothing more comes: as long as runtimes wait that were told. */
const lingerMs = 1_000;

/** Carries bytes both ways until the pod ends, or a little longer than the local side; neither side runs ahead of the other. */
async function splice(local: Socket, connection: PortConnection, signal: AbortSignal): Promise<void> {
  async function upward(): Promise<void> {
    // Left to itself, the iterator takes the socket down with it, and the pod's answer.
    for await (const chunk of local.iterator({ destroyOnReturn: false })) await connection.write(chunk as Uint8Array);
    if (connection.protocol === portProtocols[0]) return connection.end();
    await sleep(lingerMs, systemClock, signal);
    return connection.close();
  }
  async function downward(): Promise<void> {
    for await (const chunk of connection.data) if (!local.write(chunk)) await until(local, "drain");
    local.end();
    if (!local.writableFinished) await until(local, "finish");
  }
  const up = upward();
  up.catch(() => undefined);
  try {
    await downward();
  } finally {
    await connection.close();
  }
}

/** Resolves when it happens, or the socket is closed. */
function until(socket: Socket, event: "drain" | "finish"): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      socket.off(event, settle).off("close", settle);
      resolve();
    };
    socket.on(event, settle).on("close", settle);
    if (socket.destroyed) settle();
  });
}

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ConfigError(`cannot listen on ${address}:${port} (${error.code ?? "unknown"})`, { cause: error })),
    );
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}
