import type { Codec } from "../../codec/codec.js";
import { ClosedError } from "../../errors/errors.js";
import { type AbortGroup, type LinkedAbort, linkAbort } from "../../internal/abort.js";
import { type Clock, sleep } from "../../internal/clock.js";
import type { RequestOptions, Warning } from "../../meta/options.js";
import type { directOf } from "../../transport/direct.js";
import type { Transport, TransportRequest } from "../../transport/transport.js";
import { checkHeader } from "./check-header.js";
import { failureOf } from "./failure.js";
import { CallAttempt, type OpenResponse, type TimeLimit } from "./open-response.js";
import { formatQuery, type Query } from "./query.js";
import { noteResponse, type ResponseInfo, readResponseInfo } from "./response-info.js";
import { type Repeatability, type RetryOptions, retryDelayMs } from "./retry.js";

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
  /** Time limit of each call in milliseconds, retries and the waits between them included. Default: none. */
  readonly timeoutMs?: number;
  /** Longest pause in the middle of an answer in milliseconds, 0 for no limit; not for what has no end of its own. Default 60,000. */
  readonly idleTimeoutMs?: number;
  /** How requests are repeated that the server turned away; `false` for not at all. */
  readonly retry?: RetryOptions | false;
  /** Called with every warning of the server. Default: logs each text once. */
  readonly onWarning?: (warning: Warning) => void;
}

/** What all clients made from one `createClient` share. */
export interface Shared {
  readonly transport: Transport;
  readonly send: Transport["send"];
  /** Puts the interceptors around another way to send, as an upgrade is. */
  readonly wrap: (send: Transport["send"]) => Transport["send"];
  /** The cheaper way to send, where the transport has one and nobody is to see the requests. */
  readonly sendDirect: ReturnType<typeof directOf>;
  readonly codecs: readonly Codec[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly inFlight: AbortGroup;
  /** Encodings that the server refused, each for a resource. */
  readonly refused: Set<string>;
  closed: boolean;
}

/** One attempt of a call. */
interface AttemptOptions extends Pick<TransportRequest, "path" | "headers"> {
  readonly link: LinkedAbort;
  /** Its number, from 1. */
  readonly attempt: number;
}

/** Sends calls: the part of a client that handles see. */
export class Requester {
  readonly shared: Shared;
  readonly defaults: CallDefaults;
  readonly #headers = new Map<string, Readonly<Record<string, string>>>();

  constructor(shared: Shared, defaults: CallDefaults) {
    this.shared = shared;
    this.defaults = defaults;
  }

  /** Sends a call until a response is there that is a success, and hands it to `read`, whose failure counts as the call's. */
  async run<R>(call: Call, read: (response: OpenResponse) => R | Promise<R>): Promise<R> {
    const { shared } = this;
    const { signal } = call.options;
    const retry = call.options.retry ?? this.defaults.retry ?? {};
    const path = call.path + formatQuery(this.#queryOf(call));
    const headers = this.#sharedHeaders(call);
    const { idleTimeoutMs = 0, timeoutMs = this.defaults.timeoutMs } = call.options;
    if (!(idleTimeoutMs >= 0)) throw new RangeError(`idleTimeoutMs must be at least 0, not ${idleTimeoutMs}`);
    let limit: TimeLimit | undefined =
      timeoutMs === undefined ? undefined : { timeoutMs, deadlineAt: shared.clock.monotonic() + timeoutMs };
    let waitedMs = 0;
    for (let attempt = 1; ; attempt++) {
      if (shared.closed) throw new ClosedError(`${call.action}: the client is closed`);
      if (signal?.aborted) throw signal.reason;
      const link = linkAbort(signal);
      const exchange = this.#begin(call, link, limit);
      let failure: unknown;
      try {
        await this.#send(call, exchange, { path, headers, link, attempt });
        const reading = read(exchange);
        const result = reading instanceof Promise ? await reading : reading;
        if ((result as unknown) !== exchange) exchange.release();
        return result;
      } catch (error) {
        failure = exchange.fail(error);
      }
      if (retry === false || signal?.aborted || shared.closed) throw failure;
      const delay = retryDelayMs(
        failure,
        { repeat: call.repeat, failures: attempt, waitedMs, random: shared.random() },
        retry,
      );
      if (delay === undefined || (limit !== undefined && shared.clock.monotonic() + delay >= limit.deadlineAt))
        throw failure;
      if (limit !== undefined) limit = { ...limit, before: failure };
      waitedMs += delay;
      retry.onRetry?.({ action: call.action, error: failure, failures: attempt, delayMs: delay });
      await this.#wait(delay, call);
    }
  }

  /** Sends a call and hands its response over unread, to be closed by the caller. */
  open(call: Call): Promise<OpenResponse> {
    return this.run(call, (response) => response);
  }

  #begin(call: Call, link: LinkedAbort, limit: TimeLimit | undefined): CallAttempt {
    const { shared, defaults } = this;
    const { options } = call;
    const idleTimeoutMs =
      options.idleTimeoutMs ?? (call.stream === true ? 0 : (defaults.idleTimeoutMs ?? defaultIdleMs));
    return new CallAttempt({
      action: call.action,
      link,
      group: shared.inFlight,
      clock: shared.clock,
      limit,
      idleTimeoutMs,
    });
  }

  /** Sends one attempt. Resolves when its answer is a success. */
  async #send(call: Call, exchange: CallAttempt, { path, headers, link, attempt }: AttemptOptions): Promise<void> {
    const { shared } = this;
    const { multiHeaders } = this.defaults;
    const { method } = call;
    const request = {
      method,
      path,
      headers,
      ...(multiHeaders && { multiHeaders }),
      ...(call.body && { body: call.body.bytes }),
    };
    const response = await (shared.sendDirect === undefined
      ? shared.send({ ...request, signal: link.signal })
      : shared.sendDirect({ ...request, abort: link }));
    const info = readResponseInfo(response, attempt);
    exchange.answered(response, info, call.stream === true);
    if (info.warnings.length > 0) this.#warn(info, call);
    if ((response.status < 200 || response.status > 299) && call.allow?.includes(response.status) !== true) {
      const failure = await failureOf(
        { status: response.status, headers: response.headers, body: exchange.body },
        info,
        call,
        shared,
      );
      noteResponse(failure, info);
      throw failure;
    }
  }

  #warn(info: ResponseInfo, call: Call): void {
    const handler = call.options.onWarning ?? this.defaults.onWarning;
    if (handler) for (const warning of info.warnings) handler(warning);
  }

  /** The headers of a request: the call's own over the client's. */
  headersOf(
    options: RequestOptions,
    call?: Pick<Call, "accept" | "body">,
  ): Pick<TransportRequest, "headers" | "multiHeaders"> {
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

  /** The same, as one object for all calls that have none of their own: what transports make of it is made once. */
  #sharedHeaders(call: Call): Readonly<Record<string, string>> {
    if (call.options.headers !== undefined) return this.headersOf(call.options, call).headers;
    const key = call.body === undefined ? call.accept : `${call.accept} ${call.body.contentType}`;
    const known = this.#headers.get(key);
    if (known !== undefined) return known;
    const headers = Object.freeze(this.headersOf(call.options, call).headers);
    // Raw requests may ask for anything.
    if (this.#headers.size >= maxSharedHeaders) this.#headers.clear();
    this.#headers.set(key, headers);
    return headers;
  }

  #queryOf(call: Call): Query | undefined {
    const { pretty, timeoutMs = this.defaults.timeoutMs } = call.options;
    const query = pretty === undefined ? call.query : { ...call.query, pretty };
    if (timeoutMs === undefined) return query;
    if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be greater than 0, not ${timeoutMs}`);
    return call.stream ? query : { ...query, timeout: `${Math.ceil(timeoutMs)}ms` };
  }

  async #wait(delayMs: number, call: Call): Promise<void> {
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

/** A server that sends a list does not pause for so long; its own limit for a whole answer is as much. */
const defaultIdleMs = 60_000;
const maxSharedHeaders = 100;
