import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { Client } from "../../client/client.js";
import { ConfigError } from "../../errors/errors.js";
import { onAbort, whenAborted } from "../../internal/abort.js";
import { sleep, systemClock } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import type { PodTarget } from "../../streams/pod-target.js";
import type { PortConnection } from "../../streams/port-forward.js";
import { checkPort, connectPort } from "../../streams/port-forward.js";
import { portProtocols } from "../../streams/port-wires.js";
import type { ServiceTarget } from "../../streams/service-target.js";
import { resolveService } from "../../streams/service-target.js";

/** Port to forward. */
export interface ForwardedPort {
  /** Port of the pod (a number), or of the service (number or name). */
  readonly remote: number | string;
  /** Local port. Default: any free port. */
  readonly local?: number | undefined;
}

/** Options for `forwardPorts`. */
export interface ForwardPortsOptions {
  /** Ports to forward. A number or name instead of an object uses any free local port. */
  readonly ports: readonly (number | string | ForwardedPort)[];
  /** Local address to listen on. Default `127.0.0.1`. */
  readonly address?: string | undefined;
  /** Called when a connection fails; the listener keeps running. Default: errors are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Stops listening and closes all connections. */
  readonly signal?: AbortSignal | undefined;
}

/** Local ports that forward to a pod or a service. */
export interface PortForward extends AsyncDisposable {
  /** Local and remote port of each listener, in the order of `ForwardPortsOptions.ports`. */
  readonly ports: readonly { readonly local: number; readonly remote: number | string }[];
  /** Stops listening and closes every connection. */
  close(): Promise<void>;
}

/**
 * Forwards local TCP ports to a pod, or to a pod behind a service. A service is resolved again for each connection, so
 * the forward survives the replacement of the pod. Rejects with a `ConfigError` if a local port is unavailable or
 * the port of a pod isn't a number, with a `RangeError` for an invalid port, and with `signal.reason` if the signal
 * aborts.
 *
 * @example
 * ```ts
 * import { connect, forwardPorts } from "kubestream/node";
 *
 * const client = await connect();
 * const forward = await forwardPorts(client, { namespace: "web", service: "web" }, { ports: ["http"] });
 * const [port] = forward.ports;
 * console.log(await (await fetch(`http://127.0.0.1:${port?.local}/healthz`)).text());
 * await forward.close();
 * await client.close();
 * ```
 */
export async function forwardPorts(
  client: Pick<Client, "openWebSocket" | "request">,
  target: PodTarget | ServiceTarget,
  options: ForwardPortsOptions,
): Promise<PortForward> {
  const { ports, address = "127.0.0.1", signal } = options;
  const onError = quietly(options.onError);
  signal?.throwIfAborted();
  const wanted = ports.map((port) => (typeof port === "object" ? port : { remote: port }));
  for (const { remote } of wanted) checkRemote(target, remote);
  const life = new AbortController();
  const running = new Set<Promise<void>>();
  const servers: Server[] = [];

  async function forwardConnection(local: Socket, remote: number | string): Promise<void> {
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
    unfollow?.();
    life.abort();
    await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
    await Promise.all(running);
  }
  let unfollow: (() => void) | undefined;

  const listening: { local: number; remote: number | string }[] = [];
  try {
    for (const { remote, local = 0 } of wanted) {
      const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
        const done = forwardConnection(socket, remote).finally(() => running.delete(done));
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
  unfollow = signal && onAbort(signal, () => void close());
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
  return connectPort(client, target, Number(remote), { signal });
}

/** Throws if no connection could reach the port. Whether a service has it is known only when a connection resolves it. */
function checkRemote(target: PodTarget | ServiceTarget, remote: number | string): void {
  if (typeof remote === "number") checkPort(remote);
  else if (!("service" in target))
    throw new ConfigError(`the port of a pod must be a number, not ${JSON.stringify(remote)}`);
}

/**
 * Wait for the rest of the answer if the protocol can't half-close the connection. Container runtimes wait equally long
 * after a half-close.
 */
const lingerMs = 1_000;

/**
 * Copies bytes in both directions until the pod closes, or shortly after the local side does. Back-pressure applies to
 * both.
 */
async function splice(local: Socket, connection: PortConnection, signal: AbortSignal): Promise<void> {
  async function upward(): Promise<void> {
    // By default, the iterator destroys the socket, and the pod's answer with it.
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

/** Resolves on the event, or when the socket closes. */
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
