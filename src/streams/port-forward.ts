import { ProtocolError, TransportError } from "../errors/errors.js";
import { utf8Decode } from "../internal/bytes.js";
import type { TransportSocket } from "../transport/transport.js";
import type { Client } from "../client/client.js";
import { createByteChannel } from "./byte-channel.js";
import { podAction, podPath } from "./pod-target.js";
import type { PodTarget } from "./pod-target.js";

/** One connection to a port of a pod. */
export interface PortConnection extends AsyncDisposable {
  /** What the pod sends; single-use. Rejects with a `TransportError` that holds the kubelet's words if the pod cannot be reached. */
  readonly data: AsyncIterableIterator<Uint8Array>;
  /** Sends to the pod; resolves when more may be sent. */
  write(data: Uint8Array): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Options of `connectPort`. */
export interface ConnectPortOptions {
  /** Ends the connection at once. */
  readonly signal?: AbortSignal;
}

const protocol = "v4.channel.k8s.io";
const channelBytes = 1024 * 1024;
const writeBytes = 32 * 1024;
const maxErrorBytes = 64 * 1024;

/** Opens one connection to a port of a pod. Rejects with a `StatusError` if the server refuses, with a `RangeError` for what is no port. */
export async function connectPort(client: Pick<Client, "connect">, pod: PodTarget, port: number, { signal }: ConnectPortOptions = {}): Promise<PortConnection> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`the port must be a whole number from 1 to 65535, not ${port}`);
  const action = podAction(`forward port ${port} of`, pod);
  const socket = await client.connect({ action, path: podPath(pod, "portforward"), query: { ports: port }, protocols: [protocol], ...(signal && { signal }) });
  return createPortConnection(socket, port, action, signal);
}

/**
 * Runs the channel protocol over an open WebSocket: of each port a channel of data and one of errors, each beginning with
 * the port's number in two bytes.
 */
function createPortConnection(socket: TransportSocket, port: number, action: string, signal: AbortSignal | undefined): PortConnection {
  const data = createByteChannel(channelBytes);
  const greeted = [false, false];
  let errorText = "";
  let closedByUs = false;

  function greet(channel: number, payload: Uint8Array): void {
    if (payload.length !== 2 || (payload[0]! | (payload[1]! << 8)) !== port) throw new ProtocolError(`${action}: channel ${channel} does not begin with the number of the port`);
    greeted[channel] = true;
  }

  async function pump(): Promise<void> {
    let failure: unknown;
    try {
      for await (const message of socket.messages) {
        const channel = message[0]!;
        if (channel > 1) throw new ProtocolError(`${action}: data on channel ${channel}, which was not asked for`);
        const payload = message.subarray(1);
        if (!greeted[channel]) greet(channel, payload);
        else if (channel === 0) data.push(payload);
        else if (errorText.length < maxErrorBytes) errorText += utf8Decode(payload);
        await data.room();
      }
    } catch (error) {
      failure = error;
    }
    if (errorText !== "") failure = new TransportError(`${action}: ${errorText.replace(/\s+/g, " ").trim()}`, { code: "ERR_PORT_FORWARD" });
    data.end(closedByUs ? undefined : failure);
    if (failure instanceof ProtocolError) await socket.close();
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
      for (let offset = 0; offset < bytes.length; offset += writeBytes) {
        const part = bytes.subarray(offset, offset + writeBytes);
        const message = new Uint8Array(part.length + 1);
        message.set(part, 1);
        await socket.send(message);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
