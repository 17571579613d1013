import { concatBytes, utf8Decode, utf8Encode } from "../../internal/bytes.js";
import { createByteChannel } from "../../internal/streams/byte-channel.js";
import { badRequest } from "../errors/status.js";
import type { ServerResponse, SocketHandler, SocketPeer } from "../http/http.js";
import { acceptConversation, isWebSocketRequest } from "../wire/websocket.js";
import type { ContainerSession, KubeletConnection, KubeletRefusal, PortStream, TerminalSize } from "./kubelet.js";
import type { HandlerContext } from "./services.js";

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };
/** Bytes of input that wait until the connection isn't read any further. */
const channelBytes = 1024 * 1024;
const sessionProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const portProtocols = ["v4.channel.k8s.io"];

/** Container that a request is for. */
interface Place {
  readonly node: string;
  readonly pod: string;
  readonly container: string;
}

/**
 * Serves exec, attach or port forwarding over a WebSocket; `undefined` if the node can't be reached. A refusal of the
 * kubelet is sent over the WebSocket, like by a kube-apiserver.
 */
export function podConversation(
  context: HandlerContext,
  kubelets: KubeletConnection,
  place: Place,
): Promise<ServerResponse> | undefined {
  return context.info.subresource === "portforward"
    ? forwardPorts(context, kubelets, place)
    : openSession(context, kubelets, place);
}

function openSession(
  context: HandlerContext,
  kubelets: KubeletConnection,
  { node, pod, container }: Place,
): Promise<ServerResponse> | undefined {
  const { query, info } = context;
  const [stdin, stdout, stderr, tty] = ["stdin", "stdout", "stderr", "tty"].map((name) => isTrue(query, name));
  const command = info.subresource === "exec" ? query.getAll("command") : undefined;
  const request = { node, pod, container, command, namespace: info.namespace ?? "", tty: tty!, stdin: stdin! };
  const serve = kubelets.session?.(request);
  if (serve === undefined) return undefined;
  if (!stdin && !stdout && !stderr) throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  requireUpgrade(context);
  const wanted = { stdin: stdin!, stdout: stdout!, stderr: stderr! && !tty };
  return acceptConversation(context, sessionProtocols, (peer) => converse(context, peer, serve, wanted));
}

function requireUpgrade({ request }: HandlerContext): void {
  if (!isWebSocketRequest(request)) throw badRequest("Upgrade request required");
}

function isTrue(query: URLSearchParams, name: string): boolean {
  return query.has(name) && query.get(name) !== "false" && query.get(name) !== "0";
}

/** Speaks the channel protocol: the first byte of each message is the number of its channel. */
function converse(
  { signal }: HandlerContext,
  peer: SocketPeer,
  serve: ((session: ContainerSession) => Promise<number>) | KubeletRefusal,
  wanted: Readonly<Record<"stdin" | "stdout" | "stderr", boolean>>,
): SocketHandler {
  const stdin = createByteChannel(channelBytes);
  if (!wanted.stdin) stdin.end();
  const gone = new AbortController();
  let resized: ((size: TerminalSize) => void) | undefined;
  let lastSize: TerminalSize | undefined;
  const session: ContainerSession = {
    stdin: stdin.bytes,
    write: (stream, data) =>
      wanted[stream] && data.length > 0 ? peer.send(onChannel(channels[stream], data)) : Promise.resolve(),
    onResize(callback) {
      resized = callback;
      if (lastSize !== undefined) callback(lastSize);
    },
    signal: AbortSignal.any([gone.signal, signal]),
  };
  void (async () => {
    // Lets the caller have the handler first.
    await Promise.resolve();
    const status = await runSession(serve, session);
    await peer.send(onChannel(channels.error, utf8Encode(JSON.stringify(status))));
    peer.close();
  })();
  return {
    message(payload) {
      const [channel] = payload;
      if (channel === channels.close && payload[1] === channels.stdin) stdin.end();
      if (channel === channels.resize) {
        lastSize = readSize(payload.subarray(1)) ?? lastSize;
        if (lastSize !== undefined) resized?.(lastSize);
      }
      if (channel !== channels.stdin || !wanted.stdin) return undefined;
      stdin.push(payload.slice(1));
      return stdin.room();
    },
    closed() {
      gone.abort(new Error("the client is gone"));
      stdin.end();
    },
  };
}

async function runSession(
  serve: ((session: ContainerSession) => Promise<number>) | KubeletRefusal,
  session: ContainerSession,
): Promise<object> {
  if (typeof serve !== "function") return failure(serve.refused);
  try {
    return exitStatus(await serve(session));
  } catch (error) {
    return failure(messageOf(error));
  }
}

function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

function failure(message: string): object {
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: ${message}`,
    reason: "InternalError",
    details: { causes: [{ message }] },
    code: 500,
  };
}

function readSize(bytes: Uint8Array): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(utf8Decode(bytes)) as { Width?: unknown; Height?: unknown };
    return typeof Width === "number" && typeof Height === "number" ? { width: Width, height: Height } : undefined;
  } catch {
    return undefined;
  }
}

function onChannel(channel: number, data: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(channel), data]);
}

function forwardPorts(
  context: HandlerContext,
  kubelets: KubeletConnection,
  { node, pod }: Place,
): Promise<ServerResponse> | undefined {
  const namespace = context.info.namespace ?? "";
  const ports = context.query.getAll("ports").flatMap((text) => text.split(",").map(Number));
  const serves = ports.map((port) => kubelets.connect?.({ node, namespace, pod, port }));
  if (kubelets.connect === undefined || serves.some((serve) => serve === undefined)) return undefined;
  requireUpgrade(context);
  if (ports.length === 0) throw badRequest('query parameter "ports" is required');
  const wrong = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535);
  if (wrong !== undefined) throw badRequest(`invalid port ${wrong}: must be between 1 and 65535`);
  return acceptConversation(context, portProtocols, (peer) => {
    let open = serves.length;
    const done = (): void => {
      if (--open === 0) peer.close();
    };
    const lanes = serves.map((serve, index) =>
      openLane(
        context,
        { send: (message) => peer.send(message), close: done },
        { serve: serve!, port: ports[index]!, channel: 2 * index },
      ),
    );
    return {
      message: (payload) => (payload[0]! % 2 === 0 ? lanes[payload[0]! / 2]?.message(payload.slice(1)) : undefined),
      closed: () => lanes.forEach((lane) => lane.closed()),
    };
  });
}

/** Port of a request, with the channel for its data. */
interface Lane {
  readonly serve: ((stream: PortStream) => Promise<void>) | KubeletRefusal;
  readonly port: number;
  readonly channel: number;
}

/** Serves one port over a channel for data and one for errors. Both begin with the number of the port. */
function openLane({ signal }: HandlerContext, peer: SocketPeer, { serve, port, channel }: Lane): SocketHandler {
  const input = createByteChannel(channelBytes);
  const gone = new AbortController();
  const stream: PortStream = {
    input: input.bytes,
    write: (data) => (data.length > 0 ? peer.send(onChannel(channel, data)) : Promise.resolve()),
    signal: AbortSignal.any([gone.signal, signal]),
  };
  void (async () => {
    // Lets the caller have the handler first.
    await Promise.resolve();
    const greeting = Uint8Array.of(port & 255, port >> 8);
    await peer.send(onChannel(channel, greeting));
    await peer.send(onChannel(channel + 1, greeting));
    const problem = await runPort(serve, stream);
    if (problem !== undefined) await peer.send(onChannel(channel + 1, utf8Encode(problem)));
    peer.close();
  })();
  return {
    message(payload) {
      input.push(payload);
      return input.room();
    },
    closed() {
      gone.abort(new Error("the client is gone"));
      input.end();
    },
  };
}

/** Serves a port until the end. Resolves with the message for the client if that fails. */
async function runPort(serve: Lane["serve"], stream: PortStream): Promise<string | undefined> {
  if (typeof serve !== "function") return serve.refused;
  try {
    await serve(stream);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
