import { encodeJson } from "../../codec/json/encode.js";
import { ClosedError, ConfigError, ProtocolError } from "../../errors/errors.js";
import { StatusError } from "../../errors/status-error.js";
import { linkAbort } from "../../internal/abort.js";
import { utf8Decode, utf8Encode } from "../../internal/bytes.js";
import type { RequestOptions } from "../../meta/options.js";
import { type Redacting, redactSecrets } from "../../transport/redacting.js";
import type { Transport, TransportResponse, TransportSocket } from "../../transport/transport.js";
import { checkHeader } from "./check-header.js";
import { formatQuery, type Query } from "./query.js";
import { readBody } from "./read-body.js";
import { type Redact, redactError, redactInfo } from "./redact-error.js";
import type { Requester } from "./requester.js";
import { getResponseInfo, noteResponse, type ResponseInfo } from "./response-info.js";
import { withAction } from "./with-action.js";

/** Request for `client.request`. */
export interface RawRequest extends RequestOptions {
  /** HTTP method. Default `GET`. */
  readonly method?: string | undefined;
  /** Path that begins with `/` and has no query. Its segments must already be percent-encoded. */
  readonly path: string;
  /** Query parameters. */
  readonly query?: Query | undefined;
  /** `Accept` header. Default `application/json`. */
  readonly accept?: string | undefined;
  /** Body: bytes, text, or an object that is sent as JSON. */
  readonly body?: Uint8Array | string | object | undefined;
  /** Media type of the body. Default `application/json`. */
  readonly contentType?: string | undefined;
  /** Description of the call for error messages. Default: method and path. */
  readonly action?: string | undefined;
  /**
   * True if the response is open-ended, such as a followed log: `timeoutMs` then limits only the wait for its headers.
   */
  readonly stream?: boolean | undefined;
  /** True if the request is safe to retry. Default: true for `GET`, otherwise false. */
  readonly repeatable?: boolean | undefined;
  /** Statuses outside 2xx that count as success, such as 304. */
  readonly allow?: readonly number[] | undefined;
}

/** A successful response. Read its body once with one of the methods, or discard it with `close`. */
export interface RawResponse extends ResponseInfo {
  /** The body as it arrives. It can be read only once, here or by one of the methods; after that they throw a `TypeError`. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads the whole body. */
  bytes(): Promise<Uint8Array>;
  /** Reads the whole body as text. */
  text(): Promise<string>;
  /** Reads the whole body as JSON. Rejects with a `SyntaxError` if it isn't valid JSON. */
  json(): Promise<unknown>;
  /** Ends the response and discards the unread body. */
  close(): void;
}

/** Request for `client.openWebSocket`. */
export interface WebSocketRequest extends Pick<RawRequest, "path" | "query" | "action" | "signal" | "headers"> {
  /** Subprotocols in order of preference. */
  readonly protocols: readonly string[];
}

/** Sends a request. Rejects with a `StatusError` for an error response. */
export async function sendRaw(requester: Requester, request: RawRequest): Promise<RawResponse> {
  const {
    method = "GET",
    path,
    query,
    accept = "application/json",
    body,
    contentType = "application/json",
    action = `${method} ${path}`,
    stream = false,
    repeatable = false,
    allow,
    ...options
  } = request;
  checkPath(path);
  if (!/^[A-Z]+$/.test(method)) throw new TypeError(`invalid HTTP method ${JSON.stringify(method)}`);
  checkHeader("accept", accept);
  checkHeader("content-type", contentType);
  const bytes =
    body === undefined || body instanceof Uint8Array
      ? body
      : typeof body === "string"
        ? utf8Encode(body)
        : encodeJson(body);
  const response = await requester.open({
    action,
    method,
    path,
    ...(query && { query }),
    accept,
    ...(bytes && { body: { bytes, contentType } }),
    repeat: method === "GET" ? "read" : repeatable ? "write" : "once",
    stream,
    ...(allow && { allow }),
    options,
  });
  const chunks = withCleanup(response.body, () => response.close(), requester.shared.redact);
  let isRead = false;
  const once: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]() {
      if (isRead) throw new TypeError(`${action}: the body can be read only once`);
      isRead = true;
      return chunks[Symbol.asyncIterator]();
    },
  };
  const whole = (): Promise<Uint8Array> => readBody(once);
  return {
    ...response.info,
    body: once,
    bytes: whole,
    text: async () => utf8Decode(await whole()),
    json: async () => {
      const text = utf8Decode(await whole());
      try {
        return JSON.parse(text) as unknown;
      } catch {
        // The parser's message quotes the text, which may contain secrets.
        throw new SyntaxError(`${action}: the response is not valid JSON`);
      }
    },
    close: () => response.close(),
  };
}

/** Opens a WebSocket over the client's transport. An error of the transport or the server names the action. */
export async function openRawWebSocket(requester: Requester, request: WebSocketRequest): Promise<TransportSocket> {
  const { transport, inFlight, closed, wrap, redact, addSecrets } = requester.shared;
  const { path, query = {}, protocols, signal, headers: own, action = `connect ${path}` } = request;
  if (!transport.connect) throw new ConfigError(`${action}: the transport doesn't support WebSockets`);
  if (closed) throw new ClosedError(`${action}: the client is closed`);
  checkPath(path);
  const { headers, multiHeaders } = requester.headersOf({ ...(own && { headers: own }) });
  const link = linkAbort(signal);
  inFlight.add(link);
  const release = (): void => {
    inFlight.delete(link);
    link.release();
  };
  const upgrade = upgradeOver(transport.connect.bind(transport), protocols);
  try {
    const send: Transport["send"] = async (request) => {
      await addSecrets(request.headers);
      return upgrade.send(request);
    };
    const response = await wrap(send)({
      method: "GET",
      path: path + formatQuery(query),
      headers,
      ...(multiHeaders && { multiHeaders }),
      upgrade: protocols,
      signal: link.signal,
    });
    const socket = upgrade.socket(response);
    const opened: TransportSocket & Redacting = {
      [redactSecrets]: redact,
      protocol: socket.protocol,
      messages: withCleanup(response.body, release, redact),
      send: (message) => socket.send(message),
      async close() {
        release();
        await socket.close();
        // Ends the iteration over the messages.
        link.abort(new ClosedError(`${action}: closed`));
      },
    };
    return opened;
  } catch (error) {
    release();
    throw link.aborted ? error : redactError(nameAction(error, action, redact), redact);
  }
}

/** Returns the error of a WebSocket that didn't open, described by its action, such as `exec in pod "web-0" in "apps"`. */
function nameAction(error: unknown, action: string, redact: Redact): unknown {
  if (!(error instanceof StatusError)) return withAction(error, action);
  const named = new StatusError(error.status, { ...error, action });
  const info = getResponseInfo(error);
  if (info !== undefined) noteResponse(named, redactInfo(info, redact));
  return named;
}

/**
 * Presents an upgrade as a request so that interceptors see it: success is a response with status 101, a refusal is an
 * error response.
 */
function upgradeOver(
  connect: NonNullable<Transport["connect"]>,
  protocols: readonly string[],
): { send: Transport["send"]; socket(response: TransportResponse): TransportSocket } {
  let outcome: { readonly socket: TransportSocket } | { readonly refusal: StatusError } | undefined;
  return {
    async send({ upgrade: _, ...request }) {
      try {
        const socket = await connect(request, protocols);
        outcome = { socket };
        return {
          status: 101,
          headers: new Headers(socket.protocol === "" ? {} : { "sec-websocket-protocol": socket.protocol }),
          body: socket.messages,
        };
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        outcome = { refusal: error };
        return { status: error.code, headers: getResponseInfo(error)?.headers ?? new Headers(), body: emptyBody };
      }
    },
    socket(response) {
      if (outcome === undefined || "refusal" in outcome)
        throw (
          outcome?.refusal ??
          new ProtocolError(`an interceptor returned status ${response.status} without opening the WebSocket`)
        );
      return outcome.socket;
    },
  };
}

const emptyBody: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

function checkPath(path: string): void {
  if (!path.startsWith("/") || /[^!-~]|[?#\\]|\/\/|(?:^|\/)\.\.?(?:\/|$)/.test(path)) {
    throw new TypeError(
      `invalid path ${JSON.stringify(path)}: it must begin with "/", be encoded and have no query, fragment, "//" or "." segments`,
    );
  }
}

/**
 * Calls `done` once when the iteration ends: normally, by an error, or by `return`. Removes credentials from an error: a
 * server may repeat them, such as in the reason for which it closes a WebSocket.
 */
function withCleanup<T>(source: AsyncIterable<T>, done: () => void, redact: Redact): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const inner = source[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await inner.next();
            if (result.done === true) done();
            return result;
          } catch (error) {
            done();
            throw redactError(error, redact);
          }
        },
        async return() {
          done();
          // `done` aborts the source. Its own return() could block on a pending read, so it isn't awaited.
          void inner.return?.().then(undefined, () => undefined);
          return { done: true, value: undefined };
        },
      };
    },
  };
}
