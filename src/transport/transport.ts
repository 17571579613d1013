import type { SyncPull } from "../internal/streams/sync-pull.js";

/** An HTTP request as plain data. */
export interface TransportRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path and query relative to the server's URL, beginning with `/`. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Headers that are sent as one line per value instead of joined with commas, such as `impersonate-group`. Names in
   * lower case.
   */
  readonly multiHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Request body, if any. */
  readonly body?: Uint8Array | undefined;
  /**
   * Subprotocols of a WebSocket request. Interceptors see such a request too; its response has status 101 and the
   * received messages as its body.
   */
  readonly upgrade?: readonly string[] | undefined;
  /** Signal that aborts the request and its response body. */
  readonly signal: AbortSignal;
}

/** Read access to response headers. The platform's `Headers` implements it. */
export interface ResponseHeaders {
  /** Returns the value of a header, multiple values joined by `, `; `null` if absent. Names are case-insensitive. */
  get(name: string): string | null;
}

/** An HTTP response. The receiver must read `body` to its end or abort the request's signal. */
export interface TransportResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Headers. */
  readonly headers: ResponseHeaders;
  /**
   * The body as it arrives, with the content encoding already decoded. Reading it rejects with a `TransportError` if
   * the connection breaks. Its iterator may be a {@link BodyIterator}.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Iterator over a body's chunks. If it has `take`, chunks that have already arrived can be read synchronously. */
export interface BodyIterator extends AsyncIterator<Uint8Array, undefined>, SyncPull<Uint8Array> {}

/** A bidirectional message stream opened by an HTTP upgrade: exec, attach, port-forward. */
export interface TransportSocket {
  /** Subprotocol that the server selected; `""` for none. */
  readonly protocol: string;
  /**
   * Received messages. The iteration ends when the peer closes, and rejects with a `TransportError` if the connection
   * breaks.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Sends one binary message. Resolves when the next one can be sent (back-pressure). */
  send(message: Uint8Array): Promise<void>;
  /** Closes the connection. Resolves when it is closed. */
  close(): Promise<void>;
}

/** Sends requests to one server. It doesn't retry and doesn't follow redirects. */
export interface Transport {
  /**
   * Sends a request. Resolves when the response headers have arrived. Rejects with a `TransportError` or the signal's
   * reason.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a WebSocket; absent if the platform doesn't support it. Rejects with a `StatusError` if the server refuses
   * the upgrade.
   */
  connect?(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
  /** Closes every connection. Resolves when they are closed. */
  close(): Promise<void>;
}

/**
 * Wraps the function that sends a request, to change requests, inspect responses or measure both. The first interceptor
 * in a list is the outermost.
 *
 * @example
 * ```ts
 * import type { Interceptor } from "kubestream";
 * import { connect } from "kubestream/node";
 *
 * const requestId: Interceptor = (next) => (request) =>
 *   next({ ...request, headers: { ...request.headers, "x-request-id": crypto.randomUUID() } });
 * const client = await connect({ interceptors: [requestId] });
 * await client.close();
 * ```
 */
export type Interceptor = (next: Transport["send"]) => Transport["send"];
