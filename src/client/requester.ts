import type { Codec } from "../codec/codec.js";
import { ClosedError, ProtocolError, TransportError } from "../errors/errors.js";
import { linkAbort, type LinkedAbort } from "../internal/abort.js";
import { sleep, type Clock, type Timer } from "../internal/clock.js";
import type { RequestOptions, Warning } from "../meta/options.js";
import type { BodyIterator, Transport, TransportRequest } from "../transport/transport.js";
import { failureOf } from "./failure.js";
import { formatQuery, type Query } from "./query.js";
import { noteResponse, responseInfo, type ResponseInfo } from "./response-info.js";
import { retryDelayMs, type Repeatability, type RetryOptions } from "./retry.js";

/** One call of the API, not yet a request. */
export interface Call extends Repeatability {
  /** What is attempted, for messages: `list pods in "apps"`. */
  readonly action: string;
  /** HTTP method. */
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  /** Query parameters. */
  readonly query?: Query;
  /** Value of `Accept`. */
  readonly accept: string;
  /** Body and its media type. */
  readonly body?: { readonly bytes: Uint8Array; readonly contentType: string };
  /** Statuses other than 2xx that count as success. */
  readonly allow?: readonly number[];
  /** True where the response has no end of its own: its body has no time limit. */
  readonly stream?: boolean;
  /** What the caller asked for. */
  readonly options: RequestOptions;
}

/** A successful response whose body is still to be read. */
export interface OpenResponse {
  /** What came with it. */
  readonly info: ResponseInfo;
  /** The body; breaks with an error that names the action. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the response: no timer and no listener stays, and what of the body was not read is given up. */
  close(): void;
}

/** What of a client applies to each of its calls. */
export interface CallDefaults {
  /** `All`: nothing that is written is stored. */
  readonly dryRun?: "All";
  /** Name under which written fields are owned. */
  readonly fieldManager?: string;
  /** What the server does about unknown and duplicate fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of every request that appear once for each value, as `Impersonate-Group` must. */
  readonly multiHeaders?: Readonly<Record<string, readonly string[]>>;
  /** Time limit of each call in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /** How requests are repeated that the server turned away; `false` for not at all. */
  readonly retry?: RetryOptions | false;
  /** Called with every warning of the server. Default: logs each text once. */
  readonly onWarning?: (warning: Warning) => void;
}

/** What all clients made from one `createClient` share. */
export interface Shared {
  readonly transport: Transport;
  readonly send: Transport["send"];
  readonly codecs: readonly Codec[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly inFlight: Set<LinkedAbort>;
  /** Encodings that the server refused, each for a resource. */
  readonly refused: Set<string>;
  closed: boolean;
}

/** Sends calls: the part of a client that handles see. */
export class Requester {
  readonly shared: Shared;
  readonly defaults: CallDefaults;

  constructor(shared: Shared, defaults: CallDefaults) {
    this.shared = shared;
    this.defaults = defaults;
  }

  /** Sends a call until a response is there that is a success, and hands it to `read`, whose failure counts as the call's. */
  async run<R>(call: Call, read: (response: OpenResponse) => Promise<R>): Promise<R> {
    const { signal } = call.options;
    const retry = call.options.retry ?? this.defaults.retry ?? {};
    const path = call.path + formatQuery(this.timed(call));
    const { headers } = this.headersOf(call.options, call);
    let waitedMs = 0;
    for (let attempt = 1; ; attempt++) {
      if (this.shared.closed) throw new ClosedError(`${call.action}: the client is closed`);
      if (signal?.aborted) throw signal.reason;
      try {
        return await this.attempt(call, path, headers, attempt, read);
      } catch (error) {
        if (retry === false || signal?.aborted || this.shared.closed) throw error;
        const delay = retryDelayMs(error, { repeat: call.repeat, failures: attempt, waitedMs, random: this.shared.random() }, retry);
        if (delay === undefined) throw error;
        waitedMs += delay;
        retry.onRetry?.({ action: call.action, error, failures: attempt, delayMs: delay });
        await this.wait(delay, call);
      }
    }
  }

  /** Sends a call and hands its response over unread, to be closed by the caller. */
  open(call: Call): Promise<OpenResponse> {
    return this.run(call, (response) => Promise.resolve(response));
  }

  private async attempt<R>(call: Call, path: string, headers: Record<string, string>, attempt: number, read: (response: OpenResponse) => Promise<R>): Promise<R> {
    const { shared } = this;
    const link = linkAbort(call.options.signal);
    shared.inFlight.add(link);
    const timeoutMs = call.options.timeoutMs ?? this.defaults.timeoutMs;
    let timer: Timer | undefined;
    if (timeoutMs !== undefined) {
      timer = shared.clock.setTimer(() => link.abort(new TransportError(`${call.action}: no answer within ${timeoutMs} ms`, { code: "ETIMEDOUT" })), timeoutMs);
    }
    let handedOver = false;
    const release = (): void => {
      timer?.cancel();
      shared.inFlight.delete(link);
      link.release();
    };
    try {
      const request: TransportRequest = {
        method: call.method,
        path,
        headers,
        ...(this.defaults.multiHeaders && { multiHeaders: this.defaults.multiHeaders }),
        ...(call.body && { body: call.body.bytes }),
        signal: link.signal,
      };
      const response = await shared.send(request);
      if (call.stream) timer?.cancel();
      const info = responseInfo(response, attempt);
      if (info.warnings.length > 0) this.warn(info, call);
      if ((response.status < 200 || response.status > 299) && call.allow?.includes(response.status) !== true) {
        const failure = await failureOf(response, info, call, shared.codecs, shared.clock.now());
        noteResponse(failure, info);
        throw failure;
      }
      const opened: OpenResponse = {
        info,
        body: named(response.body, call.action, link.signal),
        close() {
          release();
          link.abort(left);
        },
      };
      const result = await read(opened);
      handedOver = (result as unknown) === opened;
      return result;
    } catch (error) {
      if (link.signal.aborted) throw link.signal.reason;
      // Gives up what of the body was not read.
      link.abort(left);
      throw withAction(error, call.action);
    } finally {
      if (!handedOver) release();
    }
  }

  private warn(info: ResponseInfo, call: Call): void {
    const handler = call.options.onWarning ?? this.defaults.onWarning;
    if (handler) for (const warning of info.warnings) handler(warning);
  }

  /** The headers of a request: the call's own over the client's. */
  headersOf(options: RequestOptions, call?: Pick<Call, "accept" | "body">): Pick<TransportRequest, "headers" | "multiHeaders"> {
    const headers: Record<string, string> = { ...(call && { accept: call.accept }), ...this.defaults.headers };
    if (call?.body) headers["content-type"] = call.body.contentType;
    const own = options.headers;
    if (own) {
      for (const name of Object.keys(own)) {
        const lower = name.toLowerCase();
        checkHeader(lower, own[name]!);
        headers[lower] = own[name]!;
      }
    }
    return { headers, ...(this.defaults.multiHeaders && { multiHeaders: this.defaults.multiHeaders }) };
  }

  private timed(call: Call): Query {
    const timeoutMs = call.options.timeoutMs ?? this.defaults.timeoutMs;
    if (timeoutMs === undefined) return call.query ?? {};
    if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be greater than 0, not ${timeoutMs}`);
    return call.stream ? (call.query ?? {}) : { ...call.query, timeout: `${Math.ceil(timeoutMs)}ms` };
  }

  private async wait(delayMs: number, call: Call): Promise<void> {
    const link = linkAbort(call.options.signal);
    this.shared.inFlight.add(link);
    try {
      await sleep(delayMs, this.shared.clock, link.signal);
    } finally {
      this.shared.inFlight.delete(link);
      link.release();
    }
  }
}

const left = new ClosedError("the response was left");
const tokenPattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Refuses what would break out of a header, and credentials, which belong to the client. Throws a `TypeError`. */
export function checkHeader(name: string, value: string): void {
  if (!tokenPattern.test(name)) throw new TypeError(`${JSON.stringify(name)} is no header name`);
  if (name === "authorization") throw new TypeError("headers must not carry Authorization: credentials belong to the client");
   
  if (typeof value !== "string" || /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value)) {
    throw new TypeError(`the value of header ${name} must be text without control characters or characters beyond Latin-1`);
  }
}

/** Lets a body break with an error that says what was attempted, and with the signal's reason after an abort. */
function named(body: AsyncIterable<Uint8Array>, action: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator](): BodyIterator {
      const inner: BodyIterator = body[Symbol.asyncIterator]();
      return {
        take: () => inner.take?.(),
        async next() {
          try {
            return await inner.next();
          } catch (error) {
            throw signal.aborted && signal.reason !== left ? signal.reason : withAction(error, action);
          }
        },
        return: () => inner.return?.() ?? Promise.resolve({ done: true, value: undefined }),
      };
    },
  };
}

/** The same error, saying what was attempted; errors that are not about one request stay as they are. */
export function withAction(error: unknown, action: string): unknown {
  const prefix = `${action}: `;
  if (error instanceof TransportError && !error.message.startsWith(prefix)) {
    return new TransportError(prefix + error.message, { cause: error, code: error.code });
  }
  if (error instanceof ProtocolError && !error.message.startsWith(prefix)) {
    return new ProtocolError(prefix + error.message, { cause: error, offset: error.offset });
  }
  return error;
}
