import type { WebSocketRequest } from "../client/call/raw.js";
import type { Client } from "../client/client.js";
import { ProtocolError, TransportError } from "../errors/errors.js";
import { isBadRequest, isInternalError } from "../errors/predicates.js";
import { utf8Decode } from "../internal/bytes.js";
import type { TransportSocket } from "../transport/transport.js";
import { createByteChannel } from "./byte-channel.js";
import type { PodTarget } from "./pod-target.js";
import { podAction, podPath } from "./pod-target.js";
import { createPortWire, portProtocols } from "./port-wires.js";

/** One connection to a port of a pod. */
export interface PortConnection extends AsyncDisposable {
  /** Subprotocol in use: `SPDY/3.1+portforward.k8s.io`, or `v4.channel.k8s.io` with servers before 1.30. */
  readonly protocol: string;
  /** What the pod sends; single-use. Rejects with a `TransportError` that holds the kubelet's words if the pod cannot be reached. */
  readonly data: AsyncIterableIterator<Uint8Array>;
  /** Sends to the pod; resolves when more may be sent. */
  write(data: Uint8Array): Promise<void>;
  /**
   * Tells the pod's runtime that nothing more comes. It goes on to carry the answer for a time of its own choice, a second with
   * containerd, and ends the connection then. Rejects with a `TransportError` if the server only speaks v4, which cannot.
   */
  end(): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Options of `connectPort`. */
export interface ConnectPortOptions {
  /** Ends the connection at once. */
  readonly signal?: AbortSignal;
}

const channelBytes = 1024 * 1024;
const writeBytes = 32 * 1024;
const maxErrorBytes = 64 * 1024;

/** Opens one connection to a port of a pod. Rejects with a `StatusError` if the server refuses, with a `RangeError` for what is no port. */
export async function connectPort(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  port: number,
  { signal }: ConnectPortOptions = {},
): Promise<PortConnection> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new RangeError(`the port must be a whole number from 1 to 65535, not ${port}`);
  const action = podAction(`forward port ${port} of`, pod);
  const socket = await openSocket(client, {
    action,
    path: podPath(pod, "portforward"),
    query: { ports: port },
    ...(signal && { signal }),
  });
  return createPortConnection(socket, port, action, signal);
}

/** Clients between which and their server something refuses even to hear of tunnels. */
const withoutTunnel = new WeakSet<Pick<Client, "openWebSocket">>();

/** Offers both protocols, of which servers take what they know. The name of the tunnel is none by RFC 6455, so some proxies refuse the whole. */
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
  let words = "";
  let over = false;
  let closedByUs = false;
  const wire = createPortWire(socket.protocol, port, action, {
    data: data.push,
    words(payload) {
      if (words.length < maxErrorBytes) words += utf8Decode(payload);
    },
    opened: () => open(),
    over: finish,
    // What cannot be sent is on a connection whose end is told anyway.
    send: (message) => void socket.send(message).catch(() => undefined),
  });

  function finish(failure: unknown): void {
    over = true;
    const said =
      words === ""
        ? failure
        : new TransportError(`${action}: ${words.replace(/\s+/g, " ").trim()}`, { code: "ERR_PORT_FORWARD" });
    data.end(closedByUs ? undefined : said);
    open();
  }

  async function pump(): Promise<void> {
    try {
      if (wire.hello) await socket.send(wire.hello);
      for await (const message of socket.messages) {
        wire.receive(message);
        if (over) break;
        await data.room();
      }
      if (!over)
        finish(
          wire.end &&
            new TransportError(`${action}: the connection ended before the pod ended it`, { code: "ECONNRESET" }),
        );
    } catch (error) {
      finish(error);
      if (error instanceof ProtocolError) await socket.close();
    }
  }

  const onAbort = (): void => data.end(signal!.reason);
  signal?.addEventListener("abort", onAbort);
  const pumping = pump().finally(() => signal?.removeEventListener("abort", onAbort));

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
    async write(bytes) {
      await opened;
      for (let offset = 0; offset < bytes.length; offset += writeBytes)
        await socket.send(wire.encode(bytes.subarray(offset, offset + writeBytes)));
    },
    async end() {
      if (wire.end === undefined)
        throw new TransportError(
          `${action}: the server speaks ${socket.protocol}, which cannot end one direction without the other`,
        );
      await opened;
      await socket.send(wire.end);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
