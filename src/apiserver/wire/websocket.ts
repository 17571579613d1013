import { base64Encode, base64UrlDecode } from "../../internal/base64.js";
import { utf8Encode } from "../../internal/bytes.js";
import { utf8SliceStrict } from "../../internal/text.js";
import type { Encoding } from "../http/encoding.js";
import type { FrameWriter, ServerRequest, ServerResponse, SocketHandler, SocketPeer } from "../http/http.js";
import type { WireContext } from "./services.js";

/** Constant of the WebSocket handshake, from RFC 6455. */
const handshakeGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";
const opcodes = { text: 1, binary: 2, close: 8 };

/** True if the client requests an upgrade to WebSocket. */
export function isWebSocketRequest(request: ServerRequest): boolean {
  return (
    request.header("upgrade")?.toLowerCase() === "websocket" &&
    (request.header("connection") ?? "").toLowerCase().includes("upgrade")
  );
}

/** Returns the subprotocols that the client of a WebSocket offers. */
export function offeredProtocols(request: ServerRequest): string[] {
  return request
    .headerValues("sec-websocket-protocol")
    .flatMap((value) => value.split(","))
    .map((protocol) => protocol.trim());
}

/** A bearer token sent as a WebSocket subprotocol, for browsers, which can't set headers. */
export interface ProtocolToken {
  readonly token: string;
  /** Remaining subprotocols for the handshake. */
  readonly others: readonly string[];
}

/**
 * Returns the token among the subprotocols: `undefined` without one, "malformed" if it is invalid or the only
 * subprotocol.
 */
export function protocolToken(request: ServerRequest): ProtocolToken | "malformed" | undefined {
  if (!isWebSocketRequest(request)) return undefined;
  const protocols = offeredProtocols(request);
  const others = protocols.filter((protocol) => !protocol.startsWith(tokenProtocol));
  const tokens = protocols
    .filter((protocol) => protocol.startsWith(tokenProtocol))
    .map((protocol) => protocol.slice(tokenProtocol.length));
  if (tokens.length > 1) return "malformed";
  const token = tokens[0] === undefined ? "" : decodeToken(tokens[0]);
  if (token === undefined || (token !== "" && others.length === 0)) return "malformed";
  return token === "" ? undefined : { token, others };
}

function decodeToken(encoded: string): string | undefined {
  const bytes = base64UrlDecode(encoded);
  return bytes === undefined ? undefined : utf8SliceStrict(bytes, 0, bytes.length);
}

/** Returns a close frame. */
export function closeFrame(write: FrameWriter, code: number): Uint8Array {
  return write(opcodes.close, Uint8Array.of(code >> 8, code & 255));
}

/** Returns a watch event as one message, text for JSON. The WebSocket's framing replaces length prefixes. */
export function watchMessage(write: FrameWriter, encoding: Encoding, frame: Uint8Array): Uint8Array {
  const prefix = encoding === "protobuf" ? 4 : 0;
  return write(encoding === "json" ? opcodes.text : opcodes.binary, frame.subarray(prefix));
}

function refusal(code: string, headers: string, text: string): ServerResponse {
  return {
    status: 101,
    headers: [],
    body: undefined,
    takeover: utf8Encode(`HTTP/1.1 ${code}\r\n${headers}\r\n${text}`),
  };
}

function isAbsoluteUri(text: string): boolean {
  return text.startsWith("/") || (/^[A-Za-z][A-Za-z0-9+.-]*:./.test(text) && !/[\s\u0000-\u001f\u007f]/.test(text));
}

/**
 * Answers a WebSocket handshake; `body` is `undefined` if it fails. Watches accept at most one subprotocol, with any
 * name, and require an Origin header.
 */
export async function acceptWebSocket({
  request,
  subprotocols,
}: WireContext): Promise<ServerResponse & { readonly accepted: boolean }> {
  const refused = (code: string, text = "", headers = ""): ServerResponse & { readonly accepted: false } => ({
    ...refusal(code, headers, text),
    accepted: false,
  });
  const key = request.header("sec-websocket-key") ?? "";
  if (key === "") return refused("400 Bad Request", "mismatch challenge/response");
  if (request.header("sec-websocket-version") !== "13")
    return refused("400 Bad Request", "missing or bad WebSocket Version", "Sec-WebSocket-Version: 13\r\n");
  if (!isAbsoluteUri(request.header("origin") ?? "")) return refused("403 Forbidden");
  const protocols =
    subprotocols ??
    (request.headerValues("sec-websocket-protocol")[0] ?? "").split(",").map((protocol) => protocol.trim());
  const wanted = protocols.length === 1 && protocols[0] === "" ? [] : protocols;
  if (wanted.length > 1) return refused("400 Bad Request");
  return { status: 101, headers: [], body: undefined, takeover: await handshake(key, wanted), accepted: true };
}

/**
 * Answers the handshake of a conversation: selects the client's first subprotocol that is supported. Without one the
 * handshake fails.
 */
export async function acceptConversation(
  { request, subprotocols }: Pick<WireContext, "request" | "subprotocols">,
  supported: readonly string[],
  open: (peer: SocketPeer, protocol: string) => SocketHandler,
): Promise<ServerResponse> {
  const protocol = (subprotocols ?? offeredProtocols(request)).find((each) => supported.includes(each));
  const key = request.header("sec-websocket-key") ?? "";
  if (key === "") return refusal("400 Bad Request", "", "mismatch challenge/response");
  if (protocol === undefined) return refusal("403 Forbidden", "", "");
  const takeover = await handshake(key, [protocol]);
  const socket = { protocol, open: (peer: SocketPeer) => open(peer, protocol) };
  return { status: 101, headers: [], body: undefined, takeover, socket };
}

/** Returns the head of the response that completes a handshake. */
async function handshake(key: string, protocols: readonly string[]): Promise<Uint8Array> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", utf8Encode(key + handshakeGuid) as BufferSource));
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${base64Encode(digest)}`,
    ...protocols.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}`),
  ];
  return utf8Encode(`${lines.join("\r\n")}\r\n\r\n`);
}
