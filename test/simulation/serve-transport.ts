import type { ServerRequest, ServerResponse } from "../../src/apiserver/http/http.js";
import type { TransportRequest, TransportResponse } from "../../src/transport/transport.js";

/** Passes a request to a server in the same process, without the Fetch API's classes. */
export async function sendTo(
  server: { serve(request: ServerRequest): Promise<ServerResponse> },
  request: TransportRequest,
): Promise<TransportResponse> {
  const response = await server.serve(toServerRequest(request));
  const headers = new Map(response.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const { body } = response;
  return {
    status: response.status,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
    body: { [Symbol.asyncIterator]: () => (body !== undefined && "next" in body ? body : oncePiece(body)) },
  };
}

function oncePiece(piece: Uint8Array | undefined): AsyncIterator<Uint8Array> {
  let rest = piece;
  return {
    async next() {
      const value = rest;
      rest = undefined;
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
  };
}

function toServerRequest({ method, path, headers, body, signal }: TransportRequest): ServerRequest {
  const mark = path.indexOf("?");
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? "" : path.slice(mark + 1),
    header: (name) => headers[name],
    headerValues: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    headerNames: () => Object.keys(headers),
    readBody: async () => body ?? new Uint8Array(),
    signal,
  };
}
