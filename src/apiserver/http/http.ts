import { utf8Encode } from "../../internal/bytes.js";
import { headerText } from "../../internal/header-text.js";
import { readLimited } from "../../internal/read-limited.js";

/** A request as the server sees it, whichever way it came in. */
export interface ServerRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path as sent, still percent-encoded. */
  readonly path: string;
  /** Query as sent, without the question mark. */
  readonly query: string;
  /** Value of a header, or the values joined by `, `. Names in lower case. */
  header(name: string): string | undefined;
  /** All values of a header. */
  headerValues(name: string): readonly string[];
  /** Names of all headers, in lower case. */
  headerNames(): readonly string[];
  /** Reads the body; `undefined` if it is longer than `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array | undefined>;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
  /** Address of the client; absent in the same process. */
  readonly remoteAddress?: string | undefined;
  /** Loads what writes a WebSocket's frames; absent where the connection cannot change to another protocol. */
  loadFrames?(): Promise<FrameWriter>;
  /** Compresses an answer, where the adapter can do it faster than the platform's streams. */
  gzip?(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Returns one whole frame of a WebSocket, not masked, as servers send them. */
export type FrameWriter = (opcode: number, payload: Uint8Array) => Uint8Array;

/** A body that comes piece by piece: `next` is called when there is room for more, `return` when the client is gone. */
export type BodyStream = AsyncIterator<Uint8Array, undefined> & {
  /** Nobody reads on: what makes the body ends. */
  return(): Promise<IteratorResult<Uint8Array, undefined>>;
};

/** A response on its way out. */
export interface ServerResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Headers in order; names may repeat. */
  readonly headers: [string, string][];
  /** Whole body, stream, or nothing. */
  body: Uint8Array | BodyStream | undefined;
  /** The connection is to be cut off instead of an answer: what a client sees of a server that crashed. */
  readonly dropped?: boolean;
  /** Head of an answer that takes the connection over: it is sent as it stands instead of status and headers, and then the bytes of the body. */
  readonly takeover?: Uint8Array;
}

/** Value of a response header. */
export function responseHeader(response: ServerResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** A response in plain text. */
export function textResponse(status: number, text: string, headers: [string, string][] = []): ServerResponse {
  return {
    status,
    headers: [["Content-Type", "text/plain; charset=utf-8"], ["X-Content-Type-Options", "nosniff"], ...headers],
    body: utf8Encode(text),
  };
}

/** Takes a platform request apart. */
export function fromRequest(request: Request): ServerRequest {
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
  };
}

/** Makes a platform response. */
export function toResponse(response: ServerResponse): Response {
  if (response.dropped === true) throw new TypeError("connection reset");
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.append(name, value);
  const bodyless = response.status === 204 || response.status === 304 || response.status === 101;
  const { body } = response;
  if (bodyless || body === undefined) return new Response(null, { status: response.status, headers });
  if (body instanceof Uint8Array) return new Response(body as BodyInit, { status: response.status, headers });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await body.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await body.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { status: response.status, headers });
}
