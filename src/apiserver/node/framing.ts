import type { IncomingMessage } from "node:http";
import { ServerResponse as NodeResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Longest head of a request in bytes, as Go's server has it: a mebibyte and some room. */
export const maxHeadBytes: number = 1024 * 1024 + 4096;

/** What is said of a request that is no HTTP. */
interface Refusal {
  readonly status: number;
  readonly text: string;
}

const badRequest = (why = ""): Refusal => ({ status: 400, text: `400 Bad Request${why}` });
const versionNotSupported: Refusal = {
  status: 505,
  text: "505 HTTP Version Not Supported: unsupported protocol version",
};

/** An answer that ends the connection, as Go's server words it. */
function refusalText({ status, text }: Refusal): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]!}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
}

/** What to say of a head that the parser could not read; nothing where the client is only slow or gone. */
function refusalOf({
  code = "",
  reason = "",
}: {
  readonly code?: string;
  readonly reason?: string;
}): Refusal | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return { status: 431, text: "431 Request Header Fields Too Large" };
  if (code === "HPE_INVALID_VERSION") return versionNotSupported;
  if (code === "HPE_INVALID_HEADER_TOKEN" && !/value/i.test(reason)) return badRequest(": invalid header name");
  return code.startsWith("HPE_") ? badRequest() : undefined;
}

/** Answers what is no HTTP, and closes the connection. */
export function refuseConnection(
  error: Error & { readonly code?: string; readonly reason?: string },
  socket: Duplex,
): void {
  const refusal = refusalOf(error);
  if (refusal !== undefined && socket.writable) socket.end(refusalText(refusal));
  else socket.destroy();
}

function valuesOf(request: IncomingMessage, name: string): string[] {
  return request.rawHeaders.filter((_, at) => at % 2 === 1 && request.rawHeaders[at - 1]!.toLowerCase() === name);
}

/** What is wrong with the head of a request of HTTP/1, though the parser could read it. */
function refusalOfHead(request: IncomingMessage): Refusal | undefined {
  if (request.httpVersionMajor < 1) return versionNotSupported;
  const hosts = valuesOf(request, "host");
  if (hosts.length > 1) return badRequest();
  if (hosts.length === 0 && request.httpVersionMinor > 0) return badRequest(": missing required Host header");
  if (hosts.some((host) => !/^[A-Za-z0-9!$%&'()*+,;=:@[\]\-._~]*$/.test(host)))
    return badRequest(": malformed Host header");
  const encodings = valuesOf(request, "transfer-encoding");
  if (encodings.length > 0 && (encodings.length > 1 || encodings[0]!.toLowerCase() !== "chunked"))
    return { status: 501, text: "Unsupported transfer encoding" };
  return undefined;
}

/** Whether a request of HTTP/1 was answered here already: it is malformed, or about no resource at all. */
export function answeredByFraming(request: IncomingMessage, response: NodeResponse): boolean {
  if (request.httpVersionMajor > 1) return false;
  const refusal = refusalOfHead(request);
  if (refusal !== undefined) {
    request.socket.end(refusalText(refusal));
    return true;
  }
  const { expect = "" } = request.headers;
  const status =
    expect !== "" && expect.toLowerCase() !== "100-continue"
      ? 417
      : request.method === "OPTIONS" && request.url === "*"
        ? 200
        : undefined;
  if (status === undefined) return false;
  if (status === 417) response.shouldKeepAlive = false;
  nameConnection(request, response);
  response.writeHead(status, { "Content-Length": "0" }).end();
  return true;
}

/** Go's server says nothing of a connection where it goes on as its version of HTTP has it. */
export function nameConnection(request: IncomingMessage, response: NodeResponse): void {
  if (request.httpVersionMajor > 1) return;
  const old = request.httpVersionMinor === 0;
  if (response.shouldKeepAlive === old) response.setHeader("Connection", old ? "keep-alive" : "close");
  else response.removeHeader("connection");
}

/** A response to a request that Node hands over with its bare socket, as that of the method CONNECT; `finished` is told when the socket is free for another one, else it ends. */
export function responseOver(request: IncomingMessage, socket: Duplex, finished?: () => void): NodeResponse {
  const response = new NodeResponse(request);
  response.shouldKeepAlive =
    finished !== undefined && request.httpVersionMinor > 0 && !/\bclose\b/i.test(request.headers.connection ?? "");
  response.assignSocket(socket as never);
  response.once("finish", () => {
    response.detachSocket(socket as never);
    if (response.shouldKeepAlive) finished?.();
    else socket.end();
  });
  return response;
}
