import type { Client } from "../client/client.js";
import { ClosedError, TransportError } from "../errors/errors.js";
import { concatBytes, utf8Encode } from "../internal/bytes.js";
import type { TransportSocket } from "../transport/transport.js";
import { createByteChannel } from "./byte-channel.js";
import type { ExitStatus } from "./exit-status.js";
import { readExitStatus } from "./exit-status.js";
import type { PodTarget } from "./pod-target.js";
import { podAction, podPath } from "./pod-target.js";

/** Options of `attach`. */
export interface AttachOptions {
  /** Container; needed where the pod has several. */
  readonly container?: string;
  /** Whether there is something to be written to standard input. Default false. */
  readonly stdin?: boolean;
  /** Whether standard output is wanted. Default true. */
  readonly stdout?: boolean;
  /** Whether standard error is wanted. Default true without `tty`; a terminal has one output only. */
  readonly stderr?: boolean;
  /** Whether it runs in a terminal. Default false. */
  readonly tty?: boolean;
  /** Ends the session at once. */
  readonly signal?: AbortSignal;
}

/** Options of `exec`. */
export interface ExecOptions extends AttachOptions {
  /** The command and its arguments; no shell is involved. */
  readonly command: readonly string[];
}

/** A running command, or a container that one is attached to. */
export interface RemoteCommand extends AsyncDisposable {
  /** Subprotocol in use: `v5.channel.k8s.io` or `v4.channel.k8s.io`. */
  readonly protocol: string;
  /** Standard output. Of what nobody reads 1 MiB is kept; then the whole session stands still until somebody reads, or leaves by `return()`. */
  readonly stdout: AsyncIterableIterator<Uint8Array>;
  /** Standard error; the same holds for it. */
  readonly stderr: AsyncIterableIterator<Uint8Array>;
  /** How it ended. Rejects with a `StatusError` if it could not be run, with a `TransportError` if the connection broke before. */
  readonly exited: Promise<ExitStatus>;
  /** Writes to standard input; resolves when more may be written. */
  write(data: Uint8Array | string): Promise<void>;
  /** Ends standard input. Rejects with a `TransportError` if the server only speaks v4, which cannot. */
  end(): Promise<void>;
  /** Tells the size of the terminal, in characters. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Ends the session; the command gets no signal. */
  close(): Promise<void>;
}

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };
const channelBytes = 1024 * 1024;
const maxStatusBytes = 1024 * 1024;
const writeBytes = 32 * 1024;

/** Runs a command in a container. Rejects with a `StatusError` if the server refuses, with a `TypeError` for options that exclude each other or no command. */
export async function exec(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  options: ExecOptions,
): Promise<RemoteCommand> {
  if (options.command.length === 0) throw new TypeError("command must not be empty");
  return openCommand(client, pod, "exec", options);
}

/** Attaches to the main process of a container. Rejects with a `StatusError` if the server refuses, with a `TypeError` for options that exclude each other. */
export function attach(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  options: AttachOptions = {},
): Promise<RemoteCommand> {
  return openCommand(client, pod, "attach", options);
}

async function openCommand(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  subresource: "exec" | "attach",
  options: AttachOptions & Partial<Pick<ExecOptions, "command">>,
): Promise<RemoteCommand> {
  const { command, container, stdin = false, stdout = true, tty = false, stderr = !tty, signal } = options;
  if (tty && stderr) throw new TypeError("a terminal has one output only: stderr and tty exclude each other");
  if (!stdin && !stdout && !stderr) throw new TypeError("at least one of stdin, stdout and stderr is needed");
  const action = podAction(subresource === "exec" ? "exec in" : "attach to", pod);
  const socket = await client.openWebSocket({
    action,
    path: podPath(pod, subresource),
    query: { ...(subresource === "exec" && { command }), container, stdin, stdout, stderr, tty },
    protocols,
    ...(signal && { signal }),
  });
  return createRemoteCommand(socket, action, signal);
}

/** Runs the channel protocol over an open WebSocket. */
export function createRemoteCommand(socket: TransportSocket, action: string, signal?: AbortSignal): RemoteCommand {
  const stdout = createByteChannel(channelBytes);
  const stderr = createByteChannel(channelBytes);
  const statusParts: Uint8Array[] = [];
  let statusBytes = 0;
  let closedByUs = false;

  async function pump(): Promise<ExitStatus> {
    let failure: unknown;
    try {
      for await (const message of socket.messages) {
        const payload = message.subarray(1);
        if (message[0] === channels.stdout) stdout.push(payload);
        else if (message[0] === channels.stderr) stderr.push(payload);
        else if (message[0] === channels.error && (statusBytes += payload.length) <= maxStatusBytes)
          statusParts.push(payload);
        await stdout.room();
        await stderr.room();
      }
    } catch (error) {
      failure = error;
    }
    // A connection may break right after the status: then all was said.
    const whole = concatBytes(statusParts);
    const lost =
      whole.length > 0
        ? undefined
        : (failure ??
          (closedByUs
            ? new ClosedError(`${action}: the session was closed`)
            : new TransportError(`${action}: the connection ended before the exit status`)));
    stdout.end(lost);
    stderr.end(lost);
    if (lost !== undefined) throw lost as Error;
    return readExitStatus(whole, action);
  }

  /** The pump may stand still because nobody reads: an abort has to get past it. */
  const onAbort = (): void => {
    stdout.end(signal!.reason);
    stderr.end(signal!.reason);
  };
  signal?.addEventListener("abort", onAbort);
  const exited = pump().finally(() => signal?.removeEventListener("abort", onAbort));
  // Whoever asks sees the failure; nobody has to.
  exited.catch(() => undefined);

  async function sendOn(channel: number, data: Uint8Array): Promise<void> {
    for (let offset = 0; offset === 0 || offset < data.length; offset += writeBytes) {
      const part = data.subarray(offset, offset + writeBytes);
      const message = new Uint8Array(part.length + 1);
      message[0] = channel;
      message.set(part, 1);
      await socket.send(message);
    }
  }

  async function close(): Promise<void> {
    closedByUs = true;
    void stdout.bytes.return?.();
    void stderr.bytes.return?.();
    await socket.close();
    await exited.catch(() => undefined);
  }

  return {
    protocol: socket.protocol,
    stdout: stdout.bytes,
    stderr: stderr.bytes,
    exited,
    async write(data) {
      const bytes = typeof data === "string" ? utf8Encode(data) : data;
      // An empty message on this channel would be nothing but noise.
      if (bytes.length > 0) await sendOn(channels.stdin, bytes);
    },
    async end() {
      if (socket.protocol !== protocols[0])
        throw new TransportError(
          `${action}: the server speaks ${socket.protocol}, which cannot end standard input without ending the session`,
        );
      await socket.send(Uint8Array.from([channels.close, channels.stdin]));
    },
    async resize({ width, height }) {
      if (![width, height].every((size) => Number.isInteger(size) && size > 0 && size < 65_536))
        throw new RangeError("width and height must be whole numbers from 1 to 65535");
      await sendOn(channels.resize, utf8Encode(JSON.stringify({ Width: width, Height: height })));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
