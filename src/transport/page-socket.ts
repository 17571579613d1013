import { ClosedError, ConfigError, TransportError } from "../errors/errors.js";
import { StatusError } from "../errors/status-error.js";
import { whenAborted } from "../internal/abort.js";
import { base64UrlEncode } from "../internal/base64.js";
import type { Clock } from "../internal/clock.js";
import { sleep } from "../internal/clock.js";
import { createMessageQueue } from "../internal/streams/message-queue.js";
import type { Status } from "../meta/status.js";
import { closeFailure, iterateMessages } from "./socket-messages.js";
import { streamBody } from "./stream-body.js";
import type { TransportRequest, TransportSocket } from "./transport.js";

/** Options for `openPageSocket`. */
export interface PageSocketOptions {
  /** URL with the scheme `http:` or `https:`. */
  readonly url: string;
  /** Request, whose headers may hold a bearer token. */
  readonly request: TransportRequest;
  /** Subprotocols in order of preference. */
  readonly protocols: readonly string[];
  /** The platform's class. */
  readonly WebSocket: typeof WebSocket;
  /** Sends a GET request with the same URL. */
  readonly get: (headers: Record<string, string>) => Promise<Response>;
  /** Clock for the waits of `send` and `close`. */
  readonly clock: Clock;
}

/** Prefix of the subprotocol in which kube-apiserver reads a bearer token, because a page can't set headers. */
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";
/** Headers that a WebSocket does without. */
const dispensable = new Set(["accept", "authorization", "traceparent", "tracestate", "user-agent"]);

/** Bytes that may wait for the reader. The platform's WebSocket can't slow the peer down. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Bytes that may wait to be sent before `send` holds the caller back. */
const maxUnsentBytes = 1024 * 1024;
const closeWithinMs = 1_000;
const pollMs = 10;

/**
 * Opens a WebSocket of the platform. Rejects with a `ConfigError` for a header that a page can't send with it, and
 * with a `StatusError` or a `TransportError` if it doesn't open.
 */
export async function openPageSocket(options: PageSocketOptions): Promise<TransportSocket> {
  const { request, WebSocket } = options;
  const action = `${request.method} ${request.path.replace(/\?.*/, "")}`;
  const socket = new WebSocket(options.url.replace(/^http/, "ws"), offeredProtocols(options));
  socket.binaryType = "arraybuffer";
  // The close event follows, and says more.
  socket.onerror = () => undefined;
  // Messages can arrive right behind the handshake.
  const adapted = adaptSocket(socket, action, options);
  const ready = await opened(socket, request.signal);
  if (ready) return adapted;
  const reason = await explain(options);
  throw reason ?? new TransportError(`${action}: the WebSocket did not open`, { code: "ECONNREFUSED" });
}

/**
 * Returns the error of a refused WebSocket; `undefined` if it can't be found out. The platform hides it, but a plain
 * request gets the same refusal.
 */
async function explain({ request: { path, headers }, get }: PageSocketOptions): Promise<Error | undefined> {
  const { authorization } = headers;
  const response = await get(authorization === undefined ? {} : { authorization }).catch(() => undefined);
  if (response === undefined) return undefined;
  const status = response.status < 400 ? undefined : await readStatus(response);
  await response.body?.cancel().catch(() => undefined);
  // A server that would open the WebSocket answers a plain request so, too.
  if (status === undefined || (status.code === 400 && /^(?:Upgrade request required)?$/.test(status.message ?? "")))
    return undefined;
  return new StatusError(status, { action: `GET ${path.replace(/\?.*/, "")}` });
}

/** Reads a Status of at most 64 KiB. */
async function readStatus({ status, body }: Response): Promise<Status> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of streamBody(body, new AbortController().signal, () => undefined)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > 65_536) break;
  }
  try {
    const parsed = JSON.parse(text) as Status;
    if (parsed.kind === "Status") return { ...parsed, code: status };
  } catch {
    // Not from the API server.
  }
  return { kind: "Status", apiVersion: "v1", status: "Failure", code: status };
}

/** Returns the subprotocols; the last one carries the bearer token of the request. */
function offeredProtocols({ request: { headers, multiHeaders = {} }, protocols }: PageSocketOptions): string[] {
  for (const name of [...Object.keys(headers), ...Object.keys(multiHeaders)])
    if (!dispensable.has(name))
      throw new ConfigError(`header ${name}: a page can't send headers with a WebSocket; use a proxy that adds it`);
  // Browsers refuse subprotocols that aren't tokens of HTTP, such as the SPDY tunnel's, which has a slash.
  const possible = protocols.filter((protocol) => /^[\w!#$%&'*+.^`|~-]+$/.test(protocol));
  if (possible.length < Math.min(protocols.length, 1))
    throw new ConfigError(`subprotocol ${protocols.join(", ")}: browsers can't open a WebSocket with it`);
  const { authorization } = headers;
  if (authorization === undefined) return possible;
  const [, token] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization) ?? [];
  if (token === undefined)
    throw new ConfigError("header authorization: a page can only send a bearer token with a WebSocket");
  return [...possible, tokenProtocol + base64UrlEncode(new TextEncoder().encode(token))];
}

/** Resolves with true when the WebSocket opens, with false if it's refused. Rejects when the signal aborts. */
function opened(socket: WebSocket, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = whenAborted(signal, () => reject(signal.reason as Error));
    socket.onopen = () => {
      stop();
      resolve(true);
    };
    socket.addEventListener("close", () => {
      stop();
      resolve(false);
    });
  });
}

function adaptSocket(socket: WebSocket, action: string, { request, clock }: PageSocketOptions): TransportSocket {
  const queue = createMessageQueue(() => undefined);
  const encoder = new TextEncoder();
  const stop = whenAborted(request.signal, () => {
    queue.clear();
    finish({ error: request.signal.reason });
    socket.close();
  });
  const gone = new Promise<void>((resolve) => {
    socket.addEventListener("close", ({ code, reason }) => {
      finish(closeFailure(action, code, reason));
      resolve();
    });
  });
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (queue.ended) return;
    queue.push(typeof data === "string" ? encoder.encode(data) : new Uint8Array(data));
    if (queue.bytes <= maxWaitingBytes) return;
    const message = `${action}: closed the WebSocket, because over ${maxWaitingBytes} bytes waited for the reader`;
    finish({ error: new TransportError(message) });
    socket.close();
  };

  function finish(error?: { readonly error: unknown }): void {
    stop();
    queue.end(error);
  }

  async function close(): Promise<void> {
    finish();
    socket.close();
    const limit = new AbortController();
    await Promise.race([gone, sleep(closeWithinMs, clock, limit.signal).catch(() => undefined)]);
    limit.abort();
  }

  return {
    get protocol() {
      return socket.protocol;
    },
    messages: iterateMessages(queue, close),
    close,
    async send(message) {
      if (queue.ended) throw queue.failure ?? new ClosedError(`${action}: the WebSocket is closed`);
      socket.send(message as Uint8Array<ArrayBuffer>);
      // The platform has no event for this.
      while (socket.bufferedAmount > maxUnsentBytes && !queue.ended) await sleep(pollMs, clock);
    },
  };
}
