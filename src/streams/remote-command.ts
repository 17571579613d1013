import { redactError } from "../client/call/redact-error.js";
import type { Client } from "../client/client.js";
import { ClosedError, ProtocolError, TransportError } from "../errors/errors.js";
import { onAbort } from "../internal/abort.js";
import { concatBytes, utf8Encode } from "../internal/bytes.js";
import { createByteChannel } from "../internal/streams/byte-channel.js";
import { redactorOf } from "../transport/redacting.js";
import type { TransportSocket } from "../transport/transport.js";
import type { ExitStatus } from "./exit-status.js";
import { readExitStatus } from "./exit-status.js";
import { createOrderedWriter } from "./ordered-writer.js";
import type { PodTarget } from "./pod-target.js";
import { podAction, podPath } from "./pod-target.js";

/** Options for `attach`. */
export interface AttachOptions {
  /** Name of the container. Required if the pod has several. */
  readonly container?: string | undefined;
  /** True to open standard input. Default false. */
  readonly stdin?: boolean | undefined;
  /** True to receive standard output. Default true. */
  readonly stdout?: boolean | undefined;
  /** True to receive standard error. Default: true without `tty`, because a terminal has a single output. */
  readonly stderr?: boolean | undefined;
  /** True to use a terminal. Default false. */
  readonly tty?: boolean | undefined;
  /** Closes the session immediately. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for `exec`. */
export interface ExecOptions extends AttachOptions {
  /** Command and its arguments. It isn't run in a shell. */
  readonly command: readonly string[];
}

/** Session with a running command or an attached container. */
export interface RemoteCommand extends AsyncDisposable {
  /** Negotiated subprotocol: `v5.channel.k8s.io` or `v4.channel.k8s.io`. */
  readonly protocol: string;
  /**
   * Standard output. If you don't read it, the whole session pauses after 1 MiB: read it, disable it with
   * `stdout: false`, or leave it with `return()`.
   */
  readonly stdout: AsyncIterableIterator<Uint8Array>;
  /** Standard error. It pauses the session in the same way. */
  readonly stderr: AsyncIterableIterator<Uint8Array>;
  /**
   * Exit status of the command. Rejects with a `StatusError` if the command couldn't run, and with a `TransportError`
   * if the connection was lost before the end.
   */
  readonly exited: Promise<ExitStatus>;
  /**
   * Writes to standard input, after the data of earlier calls. Resolves when more can be written. Rejects with a
   * `ClosedError` after `end`, and with a `TypeError` if the session was opened without `stdin: true`.
   */
  write(data: Uint8Array | string): Promise<void>;
  /**
   * Closes standard input, after the data of earlier `write` calls. Rejects with a `TransportError` if the server only
   * supports v4, which can't, and with a `TypeError` if the session was opened without `stdin: true`.
   */
  end(): Promise<void>;
  /** Sets the size of the terminal, in characters. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Closes the session. The command receives no signal. */
  close(): Promise<void>;
}

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };
const channelBytes = 1024 * 1024;
const maxStatusBytes = 1024 * 1024;

/**
 * Runs a command in a container and returns a session with its streams. To collect the output of a command, use
 * `runCommand`. Rejects with a `StatusError` if the server refuses, and with a `TypeError` for an empty command or
 * contradictory options.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { exec } from "kubestream/streams";
 *
 * const client = await connect();
 * const shell = await exec(client, { namespace: "web", name: "web-0" }, { command: ["sh"], stdin: true, tty: true });
 * await shell.resize({ width: 80, height: 24 });
 * await shell.write("ls -l\nexit 3\n");
 * for await (const chunk of shell.stdout) process.stdout.write(chunk);
 * console.log((await shell.exited).code); // 3
 * await client.close();
 * ```
 */
export async function exec(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  options: ExecOptions,
): Promise<RemoteCommand> {
  if (options.command.length === 0) throw new TypeError("command must not be empty");
  return openCommand(client, pod, "exec", options);
}

/**
 * Attaches to the main process of a container. Rejects with a `StatusError` if the server refuses, and with a
 * `TypeError` for contradictory options.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { attach } from "kubestream/streams";
 *
 * const client = await connect();
 * const session = await attach(client, { namespace: "web", name: "web-0" }, { stderr: false });
 * for await (const chunk of session.stdout) process.stdout.write(chunk);
 * await client.close();
 * ```
 */
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
  if (tty && stderr) throw new TypeError("stderr and tty cannot be combined: a terminal has a single output");
  if (!stdin && !stdout && !stderr) throw new TypeError("at least one of stdin, stdout and stderr is required");
  const action = podAction(subresource === "exec" ? "exec in" : "attach to", pod);
  const socket = await client.openWebSocket({
    action,
    path: podPath(pod, subresource),
    query: { ...(subresource === "exec" && { command }), container, stdin, stdout, stderr, tty },
    protocols,
    ...(signal && { signal }),
  });
  return createRemoteCommand(socket, action, { stdin, signal });
}

/** Speaks the channel protocol over an open WebSocket. */
function createRemoteCommand(
  socket: TransportSocket,
  action: string,
  { stdin, signal }: { readonly stdin: boolean; readonly signal: AbortSignal | undefined },
): RemoteCommand {
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
        else if (message[0] === channels.error) {
          statusParts.push(payload);
          statusBytes += payload.length;
          if (statusBytes > maxStatusBytes)
            throw new ProtocolError(`${action}: the exit status is longer than ${maxStatusBytes} bytes`);
        }
        await stdout.room();
        await stderr.room();
      }
    } catch (error) {
      failure = error;
    }
    // If the connection fails after the status arrived, the session is complete anyway.
    const whole = concatBytes(statusParts);
    const lost =
      whole.length > 0 && statusBytes <= maxStatusBytes
        ? undefined
        : (failure ??
          (closedByUs
            ? new ClosedError(`${action}: the session was closed`)
            : new TransportError(`${action}: the connection closed before the exit status arrived`)));
    stdout.end(lost);
    stderr.end(lost);
    if (lost !== undefined) throw lost as Error;
    try {
      return readExitStatus(whole, action);
    } catch (error) {
      const redact = redactorOf(socket);
      throw redact === undefined ? error : redactError(error, redact);
    }
  }

  /** The pump may be blocked because no one reads, so an abort must bypass it. */
  const unfollow =
    signal &&
    onAbort(signal, () => {
      stdout.end(signal.reason);
      stderr.end(signal.reason);
    });
  const exited = pump().finally(() => unfollow?.());
  // Avoid an unhandled rejection if the caller never reads `exited`.
  exited.catch(() => undefined);

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
    ...createInput(socket, action, stdin),
    async resize({ width, height }) {
      if (![width, height].every((size) => Number.isInteger(size) && size > 0 && size < 65_536))
        throw new RangeError("width and height must be integers from 1 to 65535");
      await sendOn(socket, channels.resize, utf8Encode(JSON.stringify({ Width: width, Height: height })));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the methods for standard input. `isOpen`: false if the server would drop what is written. */
function createInput(socket: TransportSocket, action: string, isOpen: boolean): Pick<RemoteCommand, "write" | "end"> {
  const input = createOrderedWriter({
    sendPart: (part) => sendOn(socket, channels.stdin, part),
    sendEnd: () => sendOn(socket, channels.close, Uint8Array.of(channels.stdin)),
    endedMessage: `${action}: standard input was closed by end()`,
  });
  const requireOpen = (): void => {
    if (!isOpen) throw new TypeError(`${action}: standard input isn't open; set stdin: true`);
  };
  return {
    async write(data) {
      requireOpen();
      await input.write(typeof data === "string" ? utf8Encode(data) : data);
    },
    async end() {
      requireOpen();
      if (socket.protocol !== protocols[0])
        throw new TransportError(
          `${action}: the server only supports ${socket.protocol}, which cannot close standard input without closing the session`,
        );
      await input.end();
    },
  };
}

function sendOn(socket: TransportSocket, channel: number, data: Uint8Array): Promise<void> {
  return socket.send(concatBytes([Uint8Array.of(channel), data]));
}
