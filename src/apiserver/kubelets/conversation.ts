import { utf8Encode } from "../../internal/bytes.js";
import { encodePing } from "../../internal/streams/spdy-frames.js";
import { badRequest } from "../errors/status.js";
import {
  type ServerRequest,
  type ServerResponse,
  type SocketHandler,
  type SocketPeer,
  textResponse,
} from "../http/http.js";
import { acceptConversation, isWebSocketRequest, offeredProtocols } from "../wire/websocket.js";
import { portsOverChannels, type ServedPort, sessionOverChannels } from "./channels.js";
import type { ServePort, ServeSession, SessionStreams } from "./session.js";
import { isPort, portsOverSpdy, sessionOverSpdy } from "./spdy-streams.js";

const sessionProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const spdySessionProtocol = "v4.channel.k8s.io";
const portProtocol = "v4.channel.k8s.io";
const spdyPortProtocol = "portforward.k8s.io";
/** Maximum number of ports of a WebSocket. Each has two channels, whose numbers are a byte. */
const maxPorts = 128;
const tunnelProtocol = "SPDY/3.1+portforward.k8s.io";

/** Request for a conversation with a container or a pod. */
export interface ConversationRequest {
  readonly request: ServerRequest;
  /** WebSocket subprotocols, if not those of the request. */
  readonly subprotocols?: readonly string[] | undefined;
  /** Aborts when the request ends. */
  readonly signal: AbortSignal;
}

/** Serves exec or attach over a WebSocket or over SPDY. A refusal is sent over the connection, like by a kube-apiserver. */
export function converseWithContainer(
  call: ConversationRequest,
  serve: ServeSession,
  streams: SessionStreams,
): Promise<ServerResponse> {
  if (!streams.stdin && !streams.stdout && !streams.stderr)
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  const { request, signal } = call;
  const wanted = { ...streams, stderr: streams.stderr && !streams.tty };
  if (isSpdyRequest(request))
    return acceptSpdy(request, spdySessionProtocol, (peer) =>
      sessionOverSpdy({ peer, inflate: request.inflate!, signal }, serve, wanted),
    );
  return acceptChannels(call, sessionProtocols, (peer) => sessionOverChannels(signal, peer, serve, wanted));
}

/** Serves connections to the ports of a pod. `ports` are those of the query, which only WebSocket channels need. */
export function converseWithPorts(
  call: ConversationRequest,
  ports: readonly string[],
  findPort: (port: number) => ServePort,
): Promise<ServerResponse> {
  const { request, signal } = call;
  const overSpdy = (peer: SocketPeer): SocketHandler =>
    portsOverSpdy({ peer, inflate: request.inflate!, signal }, findPort);
  if (isSpdyRequest(request)) return acceptSpdy(request, spdyPortProtocol, overSpdy);
  requireUpgrade(request);
  const offered = call.subprotocols ?? offeredProtocols(request);
  if (request.inflate !== undefined && offered.includes(tunnelProtocol))
    return acceptChannels(call, [tunnelProtocol], overSpdy);
  if (ports.length === 0) throw badRequest('query parameter "ports" is required');
  const wrong = ports.find((port) => !isPort(port));
  if (ports.length > maxPorts) throw badRequest(`too many ports: at most ${maxPorts} are possible over a WebSocket`);
  if (wrong !== undefined) throw badRequest(`invalid port ${wrong}: must be between 1 and 65535`);
  const served = ports.map((port): ServedPort => ({ port: Number(port), serve: findPort(Number(port)) }));
  return acceptChannels(call, [portProtocol], (peer) => portsOverChannels(signal, peer, served));
}

function acceptChannels(
  { request, subprotocols }: ConversationRequest,
  supported: readonly string[],
  open: (peer: SocketPeer) => SocketHandler,
): Promise<ServerResponse> {
  requireUpgrade(request);
  return acceptConversation({ request, ...(subprotocols && { subprotocols }) }, supported, open);
}

function requireUpgrade(request: ServerRequest): void {
  if (!isWebSocketRequest(request)) throw badRequest("Upgrade request required");
}

/** True if the client requests an upgrade to SPDY, and the connection allows it. */
function isSpdyRequest(request: ServerRequest): boolean {
  return request.header("upgrade")?.toLowerCase() === "spdy/3.1" && request.inflate !== undefined;
}

const versionHeader = "X-Stream-Protocol-Version";

/** Answers the handshake of SPDY: selects the protocol of its streams. */
async function acceptSpdy(
  request: ServerRequest,
  protocol: string,
  open: (peer: SocketPeer) => SocketHandler,
): Promise<ServerResponse> {
  const offered = request.headerValues(versionHeader.toLowerCase()).flatMap((value) => value.split(","));
  if (!offered.some((each) => each.trim() === protocol))
    return textResponse(403, `unable to upgrade: unable to negotiate protocol: server accepts [${protocol}]\n`, [
      ["X-Accepted-Stream-Protocol-Versions", protocol],
    ]);
  const head = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: SPDY/3.1"];
  const takeover = utf8Encode(`${[...head, `${versionHeader}: ${protocol}`].join("\r\n")}\r\n\r\n`);
  return { status: 101, headers: [], body: undefined, takeover, socket: { protocol, rawPing: encodePing(2), open } };
}
