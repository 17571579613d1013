import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { isPlainPath } from "../../proxy/target.js";

/**
 * Converts a request of Node's HTTP server into one of the Fetch API. Returns `undefined` for a path or a host that
 * parsers read in several ways: a URL would hide dot segments from the checks of the path.
 */
export function toFetchRequest(request: IncomingMessage, signal: AbortSignal): Request | undefined {
  // Express and Connect cut the path of a mounted handler off.
  const { originalUrl } = request as { readonly originalUrl?: unknown };
  const path = typeof originalUrl === "string" ? originalUrl : (request.url ?? "");
  const { host } = request.headers;
  if (host === undefined || !/^[\w.:[\]-]+$/.test(host)) return undefined;
  if (!isPlainPath(path)) return undefined;
  const headers = new Headers();
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    headers.append(request.rawHeaders[index]!, request.rawHeaders[index + 1]!);
  const method = request.method ?? "GET";
  const scheme = (request.socket as { readonly encrypted?: boolean }).encrypted === true ? "https" : "http";
  const body = method === "GET" || method === "HEAD" ? undefined : (Readable.toWeb(request) as ReadableStream);
  const init = { method, headers, signal, ...(body && { body, duplex: "half" }) };
  try {
    return new Request(`${scheme}://${host}${path}`, init);
  } catch {
    return undefined;
  }
}

/** Sends a response of the Fetch API with Node's HTTP server. Resolves when it's sent or the client has left. */
export async function sendFetchResponse(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    to.end();
    return;
  }
  // A watch may have no event for minutes.
  to.flushHeaders();
  // The client left, or the cluster's response broke off; either way, the connection was closed.
  await pipeline(Readable.fromWeb(response.body as NodeStream), to).catch(() => undefined);
}
