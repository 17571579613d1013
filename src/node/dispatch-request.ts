import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import { ClosedError, TransportError } from "../errors/errors.js";
import type { ResponseHeaders, TransportRequest, TransportResponse } from "../transport/transport.js";
import { gunzip } from "./gunzip.js";
import { createResponseBody } from "./response-body.js";
import type { ResponseBody } from "./response-body.js";
import { transportFailure } from "./transport-failure.js";

/** Where requests go. */
export interface DispatchTarget {
  /** What carries them. */
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  /** Scheme, host and port. */
  readonly origin: string;
  /** What is put before each path. */
  readonly prefix: string;
  /** Whether to ask for gzip. */
  readonly compression: boolean;
}

/** A connection that the server has agreed to use for another protocol. */
export interface Upgraded {
  /** Headers of the answer. */
  readonly headers: ResponseHeaders;
  /** The connection. */
  readonly socket: Duplex;
}

/** What undici is told on an abort; the caller sees the reason of their own signal. */
const aborted = new TransportError("the request was aborted");

/** A request in messages: without its query, which may be long and hold anything. */
export function describeRequest({ origin, prefix }: DispatchTarget, { method, path }: TransportRequest): string {
  const end = path.indexOf("?");
  return `${method} ${end < 0 ? path : path.slice(0, end)} at ${origin}${prefix}`;
}

/** Sends a request; resolves with the headers of the answer. Rejects with a `TransportError`, or with the signal's reason. */
export function dispatchRequest(target: DispatchTarget, request: TransportRequest): Promise<TransportResponse> {
  return dispatch(target, request, undefined) as Promise<TransportResponse>;
}

/** Asks for another protocol; resolves with the connection, or with the answer of a server that will not. */
export function dispatchUpgrade(target: DispatchTarget, request: TransportRequest, protocol: string): Promise<TransportResponse | Upgraded> {
  return dispatch(target, request, protocol);
}

function dispatch(target: DispatchTarget, request: TransportRequest, upgrade: string | undefined): Promise<TransportResponse | Upgraded> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    let controller: Dispatcher.DispatchController | undefined;
    let body: ResponseBody | undefined;
    let settled = false;

    const settle = (): void => {
      settled = true;
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = (): void => {
      settle();
      if (body) body.abort(signal.reason);
      else reject(signal.reason as Error);
      controller?.abort(aborted);
    };
    signal.addEventListener("abort", onAbort);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given;
        if (settled) given.abort(aborted);
      },
      onRequestUpgrade(_given, _status, headers, socket) {
        if (settled) {
          socket.destroy();
          return;
        }
        settle();
        resolve({ headers: readHeaders(headers, false), socket });
      },
      onResponseStart(given, status, headers) {
        if (status < 200 || settled) return;
        body = createResponseBody(given, () => {
          settle();
          given.abort(aborted);
        });
        const encoding = String(headers["content-encoding"] ?? "").toLowerCase();
        const zipped = encoding === "gzip" || encoding === "x-gzip";
        resolve({ status, headers: readHeaders(headers, zipped), body: zipped ? gunzip(body.chunks) : body.chunks });
      },
      onResponseData(_given, chunk) {
        body?.push(chunk);
      },
      onResponseEnd() {
        settle();
        body?.end();
      },
      onResponseError(_given, error) {
        if (settled) return;
        settle();
        const failure = error instanceof ClosedError ? error : transportFailure(describeRequest(target, request), error);
        if (body) body.fail(failure);
        else reject(failure);
      },
    };

    try {
      target.dispatcher.dispatch(
        { origin: target.origin, path: target.prefix + request.path, method: request.method, headers: headersOf(target, request), body: request.body ?? null, ...(upgrade !== undefined && { upgrade }) },
        handler,
      );
    } catch (error) {
      settle();
      reject(error instanceof ClosedError ? error : transportFailure(describeRequest(target, request), error));
    }
  });
}

function headersOf({ compression }: DispatchTarget, request: TransportRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...request.headers };
  for (const [name, values] of Object.entries(request.multiHeaders ?? {})) headers[name] = [...values];
  // Events of a watch are not to wait in a compressor, be it a proxy's.
  const asks = compression && request.method === "GET" && !/[?&]watch=(?:1|true)\b/.test(request.path);
  if (asks && headers["accept-encoding"] === undefined) headers["accept-encoding"] = "gzip";
  return headers;
}

function readHeaders(headers: Readonly<Record<string, string | string[] | undefined>>, unzipped: boolean): ResponseHeaders {
  return {
    get(name) {
      const key = name.toLowerCase();
      if (unzipped && (key === "content-encoding" || key === "content-length")) return null;
      const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
      if (value === undefined) return null;
      return typeof value === "string" ? value : value.join(", ");
    },
  };
}
