import { base64Encode, base64UrlDecode } from "../../internal/base64.js";
import { utf8Encode } from "../../internal/bytes.js";
import { utf8SliceStrict } from "../../internal/text.js";
import type { Encoding } from "../http/encoding.js";
import type { FrameWriter, ServerRequest, ServerResponse } from "../http/http.js";
import type { WireContext } from "./services.js";

/** What every server joins to the client's key, by RFC 6455. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TOKEN_PROTOCOL = "base64url.bearer.authorization.k8s.io.";
const opcodes = { text: 1, binary: 2, close: 8 };

/** Whether a client asks to go on over a WebSocket. */
export function isWebSocketRequest(request: ServerRequest): boolean {
  return (
    request.header("upgrade")?.toLowerCase() === "websocket" &&
    (request.header("connection") ?? "").toLowerCase().includes("upgrade")
  );
}

function protocolsOf(request: ServerRequest): string[] {
  return request
    .headerValues("sec-websocket-protocol")
    .flatMap((value) => value.split(","))
    .map((protocol) => protocol.trim());
}

/** The credential that a page's WebSocket, which cannot set headers, carries as one of its subprotocols. */
export interface ProtocolToken {
  readonly token: string;
  /** The subprotocols that are left for the handshake. */
  readonly others: readonly string[];
}

/** The token among the subprotocols of a WebSocket; "malformed" where it is none or stands alone, `undefined` where there is none. */
export function protocolToken(request: ServerRequest): ProtocolToken | "malformed" | undefined {
  if (!isWebSocketRequest(request)) return undefined;
  const protocols = protocolsOf(request);
  const others = protocols.filter((protocol) => !protocol.startsWith(TOKEN_PROTOCOL));
  const tokens = protocols
    .filter((protocol) => protocol.startsWith(TOKEN_PROTOCOL))
    .map((protocol) => protocol.slice(TOKEN_PROTOCOL.length));
  if (tokens.length > 1) return "malformed";
  const token = tokens[0] === undefined ? "" : decodeToken(tokens[0]);
  if (token === undefined || (token !== "" && others.length === 0)) return "malformed";
  return token === "" ? undefined : { token, others };
}

function decodeToken(encoded: string): string | undefined {
  const bytes = base64UrlDecode(encoded);
  return bytes === undefined ? undefined : utf8SliceStrict(bytes, 0, bytes.length);
}

/** Returns the frame that ends a WebSocket. */
export function closeFrame(write: FrameWriter, code: number): Uint8Array {
  return write(opcodes.close, Uint8Array.of(code >> 8, code & 255));
}

/** Returns the frame of a watch as one message: text for JSON. What marks a message's length is left to the WebSocket. */
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
 * Answers the handshake of a WebSocket, whose messages come afterwards: with `body` undefined where it fails. A watch takes any subprotocol, but
 * one at most, and only clients that tell their origin.
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
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", utf8Encode(key + GUID) as BufferSource));
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${base64Encode(digest)}`,
    ...wanted.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}`),
  ];
  return {
    status: 101,
    headers: [],
    body: undefined,
    takeover: utf8Encode(`${lines.join("\r\n")}\r\n\r\n`),
    accepted: true,
  };
}
