import type { Codec, CodecTarget } from "../../codec/codec.js";
import { ClosedError } from "../../errors/errors.js";
import { type AbortGroup, type LinkedAbort, linkAbort } from "../../internal/abort.js";
import { type Clock, sleep } from "../../internal/clock.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import type { RequestOptions, Warning } from "../../meta/options.js";
import type { DirectRequest, directOf } from "../../transport/direct.js";
import type { Transport, TransportRequest } from "../../transport/transport.js";
import { checkHeader } from "./check-header.js";
import type { Credentials } from "./credentials.js";
import { failureOf } from "./failure.js";
import { CallAttempt, type OpenResponse, type TimeLimit } from "./open-response.js";
import { formatQuery, type Query } from "./query.js";
import { type Redact, redactError, redactInfo } from "./redact-error.js";
import { noteResponse, type ResponseInfo, readResponseInfo } from "./response-info.js";
import { type Repeatability, type RetryOptions, retryDelayMs } from "./retry.js";

/** One API call, before retries turn it into requests. */
export interface Call extends Repeatability {
  /** Description for messages: `list pods in "apps"`. */
  readonly action: string;
  /** HTTP method. */
  readonly method: string;
  /** Path without a query. */
  readonly path: string;
  /** Query parameters. */
  readonly query?: Query;
  /** `Accept` header. */
  readonly accept: string;
  /** Body and its media type. */
  readonly body?: { readonly bytes: Uint8Array; readonly contentType: string };
  /** Statuses outside 2xx that count as success. */
  readonly allow?: readonly number[];
  /** True if the response is open-ended: its body has no time limit. */
  readonly stream?: boolean;
  /** Options of the caller. */
  readonly options: RequestOptions;
}

/** Defaults of a client for all of its calls. */
export interface CallDefaults {
  /** `All`: the server processes writes in full but stores nothing. */
  readonly dryRun?: "All" | undefined;
  /** Field manager that owns the written fields. */
  readonly fieldManager?: string | undefined;
  /** Server-side handling of unknown and duplicate fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers for every request that are sent as one line per value, such as `Impersonate-Group`. */
  readonly multiHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Time limit for each call in milliseconds, including retries and the waits between them. Default: none. */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum pause within a response body in milliseconds; 0 disables the limit. Doesn't apply to watches and other
   * open-ended responses. Default 60,000.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Retry policy for requests that the server rejected; `false` disables retries. */
  readonly retry?: RetryOptions | false | undefined;
  /** Callback for every warning the server sends. Default: logs each text once. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/** State shared by all clients derived from one `createClient` call. */
export interface Shared {
  readonly transport: Transport;
  readonly send: Transport["send"];
  /** Wraps another send function, such as a WebSocket upgrade, in the interceptors. */
  readonly wrap: (send: Transport["send"]) => Transport["send"];
  /** Faster send function without an AbortSignal; absent if there are interceptors or the transport has none. */
  readonly sendDirect: ReturnType<typeof directOf>;
  /** Replaces the client's credentials in a text, in any encoding. */
  readonly redact: Redact;
  /** Remembers the credentials in request headers for `redact`; see `Credentials`. */
  readonly addSecrets: Credentials["add"];
  /** Codecs to request, in order of preference. */
  readonly codecs: readonly Codec[];
  /** Codecs for responses: those above, and the bulk codec once it's loaded. */
  readonly readable: Codec[];
  /** Loads the codec for large collections; absent if the client has none. */
  readonly bulkCodec: ((kind: CodecTarget) => Promise<Codec>) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly inFlight: AbortGroup;
  /** Encodings that the server refused, per resource. */
  readonly refused: Set<string>;
  closed: boolean;
  /** Aborts with a `ClosedError` when the client is closed. */
  readonly closing: AbortController;
}

/** Options for one attempt of a call. */
interface AttemptOptions extends Pick<TransportRequest, "path" | "headers"> {
  readonly link: LinkedAbort;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** Sends calls. Resource handles use this part of a client. */
export class Requester {
  readonly shared: Shared;
  readonly defaults: CallDefaults;
  readonly #headers = new Map<string, Readonly<Record<string, string>>>();

  constructor(shared: Shared, defaults: CallDefaults) {
    this.shared = shared;
    this.defaults = defaults;
  }

  /**
   * Sends a call, retries it as the policy allows, and passes the successful response to `read`. An error in `read`
   * counts as a failure of the attempt.
   */
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
      const callAttempt = this.#begin(call, link, limit);
      let failure: unknown;
      try {
        await this.#send(call, callAttempt, { path, headers, link, attempt });
        const reading = read(callAttempt);
        const result = reading instanceof Promise ? await reading : reading;
        if ((result as unknown) !== callAttempt) callAttempt.release();
        return result;
      } catch (error) {
        failure = callAttempt.fail(error);
      }
      if (signal?.aborted || shared.closed) throw failure;
      await shared.addSecrets(headers);
      redactError(failure, shared.redact);
      if (retry === false) throw failure;
      const delay = retryDelayMs(
        failure,
        { repeat: call.repeat, failures: attempt, waitedMs, random: shared.random() },
        retry,
      );
      if (delay === undefined || (limit !== undefined && shared.clock.monotonic() + delay >= limit.deadlineAt))
        throw failure;
      if (limit !== undefined) limit = { ...limit, before: failure };
      waitedMs += delay;
      handleRejection(retry.onRetry?.({ action: call.action, error: failure, failures: attempt, delayMs: delay }));
      await this.#wait(delay, call);
    }
  }

  /** Sends a call and returns its unread response. The caller must close it. */
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

  /** Sends one attempt. Resolves once the response's status is known to be a success. */
  async #send(call: Call, callAttempt: CallAttempt, { path, headers, link, attempt }: AttemptOptions): Promise<void> {
    const { shared } = this;
    const { multiHeaders } = this.defaults;
    const { method } = call;
    const { send, sendDirect } = shared;
    // Spreads come last: V8 gives each object of a literal that begins with one a shape of its own.
    const request = {
      method,
      path,
      headers,
      ...(sendDirect === undefined ? { signal: link.signal } : { abort: link }),
      ...(multiHeaders && { multiHeaders }),
      ...(call.body && { body: call.body.bytes }),
    };
    const response = await (sendDirect === undefined
      ? send(request as TransportRequest)
      : sendDirect(request as DirectRequest));
    const received = readResponseInfo(response, attempt);
    const failed = (response.status < 200 || response.status > 299) && call.allow?.includes(response.status) !== true;
    const untrusted = failed || received.warnings.length > 0;
    if (untrusted) await shared.addSecrets(headers);
    const info = untrusted ? redactInfo(received, shared.redact) : received;
    callAttempt.answered(response, info, call.stream === true);
    if (info.warnings.length > 0) this.#warn(info, call);
    if (failed) {
      const failure = await failureOf(
        { status: response.status, headers: response.headers, body: callAttempt.body },
        info,
        call,
        shared,
      );
      noteResponse(failure, info);
      throw failure;
    }
  }

  #warn(info: ResponseInfo, call: Call): void {
    const handler: ((warning: Warning) => unknown) | undefined = call.options.onWarning ?? this.defaults.onWarning;
    if (handler) for (const warning of info.warnings) handleRejection(handler(warning));
  }

  /** Merges a call's headers over the client's. */
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

  /**
   * Returns one frozen headers object for all calls without headers of their own, so that transports can cache what
   * they derive from it.
   */
  #sharedHeaders(call: Call): Readonly<Record<string, string>> {
    if (call.options.headers !== undefined) return this.headersOf(call.options, call).headers;
    const key = call.body === undefined ? call.accept : `${call.accept} ${call.body.contentType}`;
    const known = this.#headers.get(key);
    if (known !== undefined) return known;
    const headers = Object.freeze(this.headersOf(call.options, call).headers);
    // Raw requests may use any number of media types.
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

/**
 * Default idle timeout. A server that is sending a list never pauses this long: 60 s is also its own limit for a whole
 * response.
 */
const defaultIdleMs = 60_000;
const maxSharedHeaders = 100;
