import type { SyncPull } from "../internal/sync-pull.js";

/** One HTTP request, as plain data. */
export interface TransportRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path and query, relative to the server's URL, beginning with `/`. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that are sent once for each value instead of joined by commas, as `impersonate-group`. Names in lower case. */
  readonly multiHeaders?: Readonly<Record<string, readonly string[]>>;
  /** Body; absent for none. */
  readonly body?: Uint8Array;
  /** Subprotocols, where the request opens a WebSocket; the answer then has status 101 and the messages that arrive as its body. For interceptors. */
  readonly upgrade?: readonly string[];
  /** Ends the request and its response body. */
  readonly signal: AbortSignal;
}

/** Read access to the headers of a response; the platform's `Headers` is one. */
export interface ResponseHeaders {
  /** Value of a header, several values joined by `, `; `null` if absent. Names are not case-sensitive. */
  get(name: string): string | null;
}

/** One HTTP response. Whoever gets it reads `body` to its end or aborts the request's signal. */
export interface TransportResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Headers. */
  readonly headers: ResponseHeaders;
  /**
   * The body as it arrives, content-encoding already undone. Reading it rejects with a `TransportError` if it breaks. Its
   * iterator may be a {@link BodyIterator}.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads a body chunk by chunk; with `take`, chunks that have already arrived are read without waiting. */
export interface BodyIterator extends AsyncIterator<Uint8Array, undefined>, SyncPull<Uint8Array> {}

/** A two-way stream of messages, opened by an HTTP upgrade: exec, attach, port-forward. */
export interface TransportSocket {
  /** The subprotocol that the server chose; `""` for none. */
  readonly protocol: string;
  /** The messages as they arrive; ends when the peer closes, rejects with a `TransportError` if the connection breaks. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Sends one binary message; resolves when it may be followed by another. */
  send(message: Uint8Array): Promise<void>;
  /** Closes the connection and resolves when it is closed. */
  close(): Promise<void>;
}

/** Carries requests to one server. It retries nothing and follows no redirect. */
export interface Transport {
  /** Sends a request and resolves when the headers are there. Rejects with a `TransportError`, or with the signal's reason. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Opens a WebSocket; absent where the platform has none. Rejects with a `StatusError` if the server refuses the upgrade. */
  connect?(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
  /** Closes every connection; resolves when they are closed. */
  close(): Promise<void>;
}

/** Wraps the sending of requests; the first of a list sees the request first. */
export type Interceptor = (next: Transport["send"]) => Transport["send"];
