import type { IncomingMessage, ServerResponse as NodeResponse } from "node:http";
import type { BodyStream, ServerRequest } from "../http.js";
import type { ApiServer } from "../server.js";

function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2) if (request.rawHeaders[i]!.toLowerCase() === name) values.push(request.rawHeaders[i + 1]!);
  return values;
}

async function readLimited(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function adapt(request: IncomingMessage, signal: AbortSignal): ServerRequest {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    headerValues: (name) => headerValues(request, name),
    headerNames: () => Object.keys(request.headers).filter((name) => !name.startsWith(":")),
    readBody: (limit) => readLimited(request, limit),
    signal,
    remoteAddress: request.socket.remoteAddress,
  };
}

/** Writes a stream piece by piece: the next one is asked for when the connection has room. */
async function pump(response: NodeResponse, body: BodyStream, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { done, value } = await body.next();
    if (done === true || signal.aborted) break;
    if (!response.write(value)) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off("drain", go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        response.on("drain", go);
        signal.addEventListener("abort", go);
        if (signal.aborted) go();
      });
    }
  }
  if (!signal.aborted) response.end();
}

/** Repeated names become lists. */
function headerObject(headers: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const before = object[name];
    object[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return object;
}

/** Lets the API server answer a request of Node's HTTP servers. */
export async function answer(server: ApiServer, request: IncomingMessage, response: NodeResponse): Promise<void> {
  const controller = new AbortController();
  let streaming: BodyStream | undefined;
  let closed = false;
  // In HTTP/2 the stream alone tells reliably that the client has left.
  const { stream } = request as IncomingMessage & { readonly stream?: NodeJS.EventEmitter };
  (stream ?? response).once("close", () => {
    closed = true;
    controller.abort(new DOMException("the client is gone", "AbortError"));
    void streaming?.return();
  });
  const { status, headers, body, dropped } = await server.serve(adapt(request, controller.signal));
  if (closed) {
    if (body !== undefined && !(body instanceof Uint8Array)) await body.return();
    return;
  }
  if (dropped === true) {
    request.socket.destroy();
    return;
  }
  // Go's server does not say that it keeps connections alive: in HTTP/1.1 that is understood.
  if (request.httpVersionMajor < 2) response.removeHeader("connection");
  const bodyless = body === undefined || request.method === "HEAD" || status === 304 || status === 204;
  if (bodyless) {
    response.writeHead(status, headerObject(headers));
    response.end();
    if (body !== undefined && !(body instanceof Uint8Array)) await body.return();
  } else if (body instanceof Uint8Array) {
    response.writeHead(status, headerObject([...headers, ["Content-Length", String(body.length)]]));
    response.end(body);
  } else {
    streaming = body;
    response.writeHead(status, headerObject(headers));
    response.flushHeaders();
    await pump(response, body, controller.signal);
  }
  // What the handler did not read is thrown away, so that the connection can be used again.
  if (!request.complete) request.resume();
}
