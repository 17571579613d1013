import type { WebSocketRequest } from "../client/call/raw.js";
import { redactTokens } from "../client/call/redact-error.js";
import type { Client } from "../client/client.js";
import { ProtocolError, TransportError } from "../errors/errors.js";
import { isBadRequest, isInternalError } from "../errors/predicates.js";
import { onAbort } from "../internal/abort.js";
import { utf8Decode } from "../internal/bytes.js";
import { createByteChannel } from "../internal/streams/byte-channel.js";
import { redactorOf } from "../transport/redacting.js";
import type { TransportSocket } from "../transport/transport.js";
import { createOrderedWriter } from "./ordered-writer.js";
import type { PodTarget } from "./pod-target.js";
import { podAction, podPath } from "./pod-target.js";
import { createPortWire, portProtocols } from "./port-wires.js";

/** Connection to a port of a pod. */
export interface PortConnection extends AsyncDisposable {
  /** Negotiated subprotocol: `SPDY/3.1+portforward.k8s.io`, or `v4.channel.k8s.io` with servers before 1.30. */
  readonly protocol: string;
  /**
   * Bytes from the pod; single-use. Rejects with a `TransportError` that contains the kubelet's message if the pod
   * can't be reached.
   */
  readonly data: AsyncIterableIterator<Uint8Array>;
  /** Sends bytes to the pod, after those of earlier calls. Resolves when more can be sent. Rejects with a `ClosedError` after `end`. */
  write(data: Uint8Array): Promise<void>;
  /**
   * Half-closes the connection: the pod receives the end of the stream and can still answer. The pod's runtime keeps
   * the connection open for a while, one second with containerd. Rejects with a `TransportError` if the server only
   * supports v4, which can't half-close.
   */
  end(): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Options for `connectPort`. */
export interface ConnectPortOptions {
  /** Closes the connection immediately. */
  readonly signal?: AbortSignal | undefined;
}

const channelBytes = 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/**
 * Opens one connection to a port of a pod, without a local port. Rejects with a `StatusError` if the server refuses,
 * and with a `RangeError` for an invalid port. For local TCP ports, use `forwardPorts` of `kubestream/node`.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { connectPort } from "kubestream/streams";
 *
 * const client = await connect();
 * const connection = await connectPort(client, { namespace: "web", name: "redis-0" }, 6379);
 * await connection.write(new TextEncoder().encode("PING\r\n"));
 * const { value } = await connection.data.next();
 * console.log(new TextDecoder().decode(value)); // +PONG
 * await connection.close();
 * await client.close();
 * ```
 */
export async function connectPort(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  port: number,
  { signal }: ConnectPortOptions = {},
): Promise<PortConnection> {
  checkPort(port);
  const action = podAction(`forward port ${port} of`, pod);
  const socket = await openSocket(client, {
    action,
    path: podPath(pod, "portforward"),
    query: { ports: port },
    ...(signal && { signal }),
  });
  return createPortConnection(socket, port, action, signal);
}

/** Throws a `RangeError` for an invalid port of a pod or a service. */
export function checkPort(port: number): void {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new RangeError(`port must be an integer from 1 to 65535, not ${port}`);
}

/** Clients whose connection to the server rejects tunnels, for example because of a proxy. */
const withoutTunnel = new WeakSet<Pick<Client, "openWebSocket">>();

/**
 * Offers both protocols, and the server takes one it knows. The tunnel's name isn't a valid token in RFC 6455, so some
 * proxies reject the whole request. Then only v4 is offered.
 */
async function openSocket(
  client: Pick<Client, "openWebSocket">,
  request: Omit<WebSocketRequest, "protocols">,
): Promise<TransportSocket> {
  try {
    if (!withoutTunnel.has(client)) return await client.openWebSocket({ ...request, protocols: portProtocols });
  } catch (error) {
    if (!isBadRequest(error) && !isInternalError(error) && !(error instanceof ProtocolError)) throw error;
  }
  const socket = await client.openWebSocket({ ...request, protocols: portProtocols.slice(1) });
  withoutTunnel.add(client);
  return socket;
}

/** Runs one forwarded connection over an open WebSocket. */
function createPortConnection(
  socket: TransportSocket,
  port: number,
  action: string,
  signal: AbortSignal | undefined,
): PortConnection {
  const data = createByteChannel(channelBytes);
  let open: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let errorText = "";
  const redact = redactorOf(socket) ?? redactTokens;
  let over = false;
  let closedByUs = false;
  let sent = Promise.resolve();
  const wire = createPortWire(socket.protocol, port, action, {
    data: data.push,
    error(payload) {
      errorText += utf8Decode(payload.subarray(0, maxErrorBytes - errorText.length));
      if (errorText.length >= maxErrorBytes) finish(undefined);
    },
    opened: () => open(),
    ended: finish,
    // If sending fails, the end of the connection reports it.
    send: (message) => void (sent = socket.send(message).catch(() => undefined)),
  });

  function finish(failure: unknown): void {
    over = true;
    const outcome =
      errorText === ""
        ? failure
        : new TransportError(`${action}: ${redact(errorText.replace(/\s+/g, " ").trim())}`, {
            code: "ERR_PORT_FORWARD",
          });
    data.end(closedByUs ? undefined : outcome);
    open();
  }

  async function pump(): Promise<void> {
    try {
      if (wire.openingMessage) await socket.send(wire.openingMessage);
      for await (const message of socket.messages) {
        wire.receive(message);
        if (over) break;
        await data.room();
        await sent;
      }
      if (!over)
        finish(
          wire.end &&
            new TransportError(`${action}: the connection closed before the pod ended it`, { code: "ECONNRESET" }),
        );
    } catch (error) {
      finish(error);
      if (error instanceof ProtocolError) await socket.close();
    }
  }

  const unfollow = signal && onAbort(signal, () => data.end(signal.reason));
  const pumping = pump().finally(() => unfollow?.());
  const output = createOrderedWriter({
    ready: opened,
    sendPart: (part) => socket.send(wire.encode(part)),
    sendEnd: () => socket.send(wire.end!),
    endedMessage: `${action}: the connection was half-closed by end()`,
  });

  async function close(): Promise<void> {
    closedByUs = true;
    void data.bytes.return?.();
    await socket.close();
    await pumping;
  }

  return {
    protocol: socket.protocol,
    data: {
      next: () => data.bytes.next(),
      async return() {
        await close();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
    write: output.write,
    async end() {
      if (wire.end === undefined)
        throw new TransportError(
          `${action}: the server only supports ${socket.protocol}, which cannot half-close a connection`,
        );
      await output.end();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
