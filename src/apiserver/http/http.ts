import { utf8Encode } from "../../internal/bytes.js";
import { headerText } from "../../internal/header-text.js";
import { readLimited } from "../../internal/streams/read-limited.js";
import type { ClientIdentity } from "./client-identity.js";

/** An HTTP request, independent of the adapter that received it. */
export interface ServerRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path as sent, still percent-encoded. */
  readonly path: string;
  /** Query as sent, without the question mark. */
  readonly query: string;
  /** Returns the value of a header, with repeated values joined by `, `. Pass the name in lower case. */
  header(name: string): string | undefined;
  /** Returns all values of a header. Pass the name in lower case. */
  headerValues(name: string): readonly string[];
  /** Returns the names of all headers in lower case. */
  headerNames(): readonly string[];
  /** Reads the body; resolves with `undefined` if it is longer than `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array | undefined>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * True for a program that is part of the server: its requests are neither authorized nor limited, and they carry
   * `ObjectBytes` in both directions.
   */
  readonly internal?: boolean | undefined;
  /** Client of the connection, as established by the adapter; missing if it is unknown. */
  readonly client?: ClientIdentity | undefined;
  /** Address of the client; missing for requests from the same process. */
  readonly remoteAddress?: string | undefined;
  /** Loads the WebSocket frame writer; missing if the connection can't be upgraded. */
  loadFrames?(): Promise<FrameWriter>;
  /** Inflates the headers of SPDY streams; missing if the adapter doesn't support SPDY. */
  readonly inflate?: Inflate | undefined;
  /**
   * Registers a callback for the moment at which the response is written or the connection has closed. Without it, a
   * response counts as written when it is returned.
   */
  onWritten?(callback: () => void): void;
  /** Compresses a response; set by adapters that are faster than `CompressionStream`. */
  readonly gzip?: ((body: BodyStream) => BodyStream) | undefined;
}

/**
 * Function that returns the data of complete blocks of raw DEFLATE (RFC 1951), which may refer to the dictionary. Throws if
 * they are invalid or longer than `limit` bytes.
 */
export type Inflate = (blocks: Uint8Array, dictionary: Uint8Array, limit: number) => Uint8Array;

/** Function that returns one complete, unmasked WebSocket frame, as servers send them. */
export type FrameWriter = (opcode: number, payload: Uint8Array) => Uint8Array;

/** A response body in chunks. `next` is called when the connection has room for more, `return` when the client left. */
export type BodyStream = AsyncIterator<Uint8Array, undefined> & {
  /** Stops the producer, because the client no longer reads. */
  return(): Promise<IteratorResult<Uint8Array, undefined>>;
};

/** The client of a conversation. */
export interface SocketPeer {
  /** Sends a binary message, or bytes. Resolves when there is room for the next one. */
  send(message: Uint8Array): Promise<void>;
  /** Closes the connection after the messages sent so far. */
  close(): void;
}

/** Receiver of the messages or bytes that the client of a conversation sends. */
export interface SocketHandler {
  /** Handles a message, or bytes. The connection is read on when the promise resolves. */
  message(payload: Uint8Array): Promise<void> | undefined;
  /** Called once when the connection has closed. */
  closed(): void;
}

/** Conversation over a connection that was upgraded. */
export interface ServerSocket {
  /** Selected subprotocol. */
  readonly protocol: string;
  /** Ping of the protocol whose bytes the connection carries instead of WebSocket messages. */
  readonly rawPing?: Uint8Array | undefined;
  /** Starts the conversation. */
  open(peer: SocketPeer): SocketHandler;
}

/** An HTTP response, independent of the adapter that sends it. */
export interface ServerResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Headers in order; names may repeat. */
  readonly headers: [string, string][];
  /** Complete body, stream, or `undefined` for an empty one. */
  body: Uint8Array | BodyStream | undefined;
  /** True if the connection is to be cut without a response, as by a server that crashes. */
  readonly dropped?: boolean | undefined;
  /**
   * Raw response head that takes the connection over. It is sent instead of status and headers, followed by the body.
   */
  readonly takeover?: Uint8Array | undefined;
  /** Conversation that follows `takeover`, in place of a body. */
  readonly socket?: ServerSocket | undefined;
}

/** Returns the value of a response header. `name` is in lower case. */
export function responseHeader(response: ServerResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Creates a plain-text response. */
export function textResponse(status: number, text: string, headers: [string, string][] = []): ServerResponse {
  return {
    status,
    headers: [["Content-Type", "text/plain; charset=utf-8"], ["X-Content-Type-Options", "nosniff"], ...headers],
    body: utf8Encode(text),
  };
}

/** Converts a platform `Request`. */
export function fromRequest(request: Request, client?: ClientIdentity): ServerRequest {
  const start = request.url.indexOf("/", request.url.indexOf("://") + 3);
  const target = start < 0 ? "/" : request.url.slice(start);
  const mark = target.indexOf("?");
  const hash = target.indexOf("#");
  const end = hash < 0 ? target.length : hash;
  return {
    method: request.method.toUpperCase(),
    path: mark < 0 ? target.slice(0, end) : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1, end),
    header(name) {
      const value = request.headers.get(name);
      return value === null ? undefined : headerText(value);
    },
    headerValues: (name) =>
      headerText(request.headers.get(name) ?? "")
        .split(", ")
        .filter((value) => value !== ""),
    headerNames: () => [...request.headers.keys()],
    readBody: (limit) => readLimited(request, limit),
    signal: request.signal,
    client,
  };
}

/** Converts to a platform `Response`. Throws a `TypeError` if the response is `dropped`. */
export function toResponse(response: ServerResponse): Response {
  if (response.dropped === true) throw new TypeError("connection reset");
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.append(name, value);
  const bodyless = response.status === 204 || response.status === 304 || response.status === 101;
  const { body } = response;
  if (bodyless || body === undefined) return new Response(null, { status: response.status, headers });
  if (body instanceof Uint8Array) return new Response(body as BodyInit, { status: response.status, headers });
  return new Response(readableOf(body), { status: response.status, headers });
}

/** Converts a stream to one of the platform. */
export function readableOf(body: BodyStream): ReadableStream<BufferSource> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await body.next();
        if (done === true) controller.close();
        else controller.enqueue(value as BufferSource);
      },
      async cancel() {
        await body.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Converts a stream of the platform, and cancels it when the client leaves. */
export function chunksOf(body: ReadableStream<Uint8Array>): BodyStream {
  const reader = body.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? { done: true, value: undefined } : { done: false, value };
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
