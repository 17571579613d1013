import type { MessagePort } from "node:worker_threads";
import { ClosedError, ConfigError, TransportError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import type { DirectRequest } from "../../transport/direct.js";
import type { TransportResponse } from "../../transport/transport.js";
import { ResponseBody } from "../transport/response-body.js";
import { ReceivedBases, receiveChunk } from "./delta-reader.js";
import {
  type FromWorker,
  type ToWorker,
  type WorkerFailure,
  type WorkerPoolOptions,
  windowBytes,
  workerMark,
} from "./messages.js";

/** State of the worker that reads and decodes large lists and busy watches. */
export interface DecodingWorkerStatus {
  /**
   * Current state.
   *
   * - `idle`: no list or watch needed the worker yet.
   * - `running`: the worker was started.
   * - `waiting`: it ended unexpectedly and starts again after a back-off. The main thread does its work until then.
   * - `closed`: the client was closed.
   */
  readonly state: "idle" | "running" | "waiting" | "closed";
  /** Responses that the worker reads now. */
  readonly responses: number;
  /** Bytes of response bodies that the worker has sent. */
  readonly bytes: number;
  /** Number of times that the worker ended unexpectedly. */
  readonly failures: number;
  /** Reason of the last unexpected end. */
  readonly error: Error | undefined;
}

/** A started worker. */
export interface StartedWorker extends Pick<MessagePort, "ref" | "unref"> {
  postMessage(message: ToWorker): void;
  onMessage(callback: (message: FromWorker) => void): void;
  /** `error` is the reason, if it's known. */
  onEnd(callback: (error: Error | undefined) => void): void;
  end(): Promise<unknown>;
}

/** A request whose response is read in the worker. */
type LinkedRequest = Pick<DirectRequest, "method" | "path" | "headers" | "multiHeaders" | "abort">;

interface Stream {
  readonly request: LinkedRequest;
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly unfollow: () => void;
  body: ResponseBody | undefined;
  /** Bytes that were received and not reported as read. */
  unread: number;
  paused: boolean;
}

/** A connection pool in the worker. */
interface LinkedPool {
  readonly number: number;
  readonly options: WorkerPoolOptions;
}

const firstBackoffMs = 1_000;
const longestBackoffMs = 60_000;

/**
 * The main thread's end of the connection to a worker. It starts the worker with the first request, and again after it
 * ended unexpectedly.
 */
export class WorkerLink {
  readonly #start: () => StartedWorker;
  readonly #clock: Clock;
  readonly #streams = new Map<number, Stream>();
  readonly #pools = new Map<number, LinkedPool>();
  /** Callers that wait until a pool is drained or closed. */
  readonly #closing: { readonly pool: number; readonly resolve: () => void }[] = [];
  /** Bases of the current worker. Another one numbers its bases again. */
  #bases = new ReceivedBases(() => undefined);
  #worker: StartedWorker | undefined;
  #lastStream = 0;
  #lastPool = 0;
  #bytes = 0;
  #failures = 0;
  #inARow = 0;
  #error: Error | undefined;
  #notBefore = -Infinity;
  #closed: Promise<unknown> | undefined;

  /** `start` starts a worker. It may throw a `ConfigError`. */
  constructor(start: () => StartedWorker, clock: Clock) {
    this.#start = start;
    this.#clock = clock;
  }

  get status(): DecodingWorkerStatus {
    const waiting = this.#clock.monotonic() < this.#notBefore;
    return {
      state: this.#closed ? "closed" : this.#worker ? "running" : waiting ? "waiting" : "idle",
      responses: this.#streams.size,
      bytes: this.#bytes,
      failures: this.#failures,
      error: this.#error,
    };
  }

  /** True if the worker runs or can be started. */
  get isAvailable(): boolean {
    return !this.#closed && (this.#worker !== undefined || this.#clock.monotonic() >= this.#notBefore);
  }

  /** Adds a pool of connections in the worker. */
  openPool(options: WorkerPoolOptions): LinkedPool {
    const pool = { number: ++this.#lastPool, options };
    this.#pools.set(pool.number, pool);
    this.#worker?.postMessage({ type: "open", pool: pool.number, options });
    return pool;
  }

  /** Sends a request. Resolves with the response as soon as its headers have arrived. */
  send(pool: LinkedPool, request: LinkedRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      if (request.abort.aborted) {
        reject(request.abort.reason);
        return;
      }
      const worker = this.#running();
      const number = ++this.#lastStream;
      const unfollow = request.abort.onAbort(() => this.#abort(number));
      this.#streams.set(number, { request, resolve, reject, unfollow, body: undefined, unread: 0, paused: false });
      this.#holdProcess();
      const { method, path, headers, multiHeaders } = request;
      worker.postMessage({
        type: "send",
        pool: pool.number,
        stream: number,
        request: { method, path, headers, ...(multiHeaders && { multiHeaders }) },
      });
    });
  }

  /** Drains a pool, or closes it at once. Resolves when its connections are closed. */
  async endPool(pool: LinkedPool, how: "drain" | "close"): Promise<void> {
    if (this.#worker !== undefined)
      await new Promise<void>((resolve) => {
        this.#closing.push({ pool: pool.number, resolve });
        this.#holdProcess();
        this.#worker!.postMessage({ type: how, pool: pool.number });
      });
    this.#pools.delete(pool.number);
  }

  /** Fails the requests and ends the worker. */
  close(): Promise<unknown> {
    this.#closed ??= this.#end(new ClosedError("the client was closed"));
    return this.#closed;
  }

  #end(reason: Error): Promise<unknown> {
    const worker = this.#worker;
    this.#worker = undefined;
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) this.#fail(stream, reason);
    for (const { resolve } of this.#closing.splice(0)) resolve();
    this.#bases.clear();
    return worker?.end() ?? Promise.resolve();
  }

  #running(): StartedWorker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#started();
    worker.unref();
    worker.onMessage((message) => {
      if (worker === this.#worker) this.#receive(message);
    });
    worker.onEnd((error) => {
      if (worker === this.#worker) this.#onUnexpectedEnd(error);
    });
    this.#worker = worker;
    this.#bases = new ReceivedBases((bases) => {
      if (worker === this.#worker) worker.postMessage({ type: "unused", bases });
    });
    for (const { number, options } of this.#pools.values()) worker.postMessage({ type: "open", pool: number, options });
    return worker;
  }

  #started(): StartedWorker {
    try {
      return this.#start();
    } catch (error) {
      this.#onUnexpectedEnd(error instanceof Error ? error : undefined);
      throw this.#error!;
    }
  }

  #onUnexpectedEnd(cause: Error | undefined): void {
    const reason = cause === undefined ? "" : `: ${cause.message}`;
    const error = new TransportError(`the decoding worker ended unexpectedly${reason}`, { cause });
    this.#failures++;
    this.#error = error;
    this.#notBefore = this.#clock.monotonic() + Math.min(longestBackoffMs, firstBackoffMs * 2 ** this.#inARow++);
    void this.#end(error);
  }

  #receive(message: FromWorker): void {
    if (message.type === "dropped") {
      this.#bases.drop(message.bases);
      return;
    }
    if (message.type === "closed") {
      const at = this.#closing.findIndex(({ pool }) => pool === message.pool);
      if (at >= 0) this.#closing.splice(at, 1)[0]!.resolve();
      this.#holdProcess();
      return;
    }
    if (message.type === "chunk") {
      this.#bytes += message.length;
      // Even if the response was aborted: other responses may refer to the bases in it.
      const chunk = receiveChunk(message.buffer, message.length, this.#bases);
      this.#push(message.stream, chunk);
      return;
    }
    const stream = this.#streams.get(message.stream);
    if (stream === undefined) return;
    if (message.type === "head") {
      this.#inARow = 0;
      const body = this.#createBody(message.stream, stream);
      stream.body = body;
      const { status, headers } = message;
      stream.resolve({ status, headers: { get: (name) => ownHeader(headers, name) }, body });
      return;
    }
    this.#forget(message.stream, stream);
    if (message.type === "end") stream.body?.end();
    else this.#fail(stream, toError(message.error));
  }

  #push(number: number, chunk: Uint8Array): void {
    const stream = this.#streams.get(number);
    if (stream?.body === undefined) return;
    stream.unread += chunk.length;
    stream.body.push(chunk);
    this.#report(number, stream);
  }

  /** Lets the worker send more, once the reader has taken enough. */
  #report(number: number, stream: Stream): void {
    if (stream.paused || stream.unread < windowBytes / 4) return;
    const bytes = stream.unread;
    stream.unread = 0;
    this.#worker?.postMessage({ type: "credit", stream: number, bytes });
  }

  #createBody(number: number, stream: Stream): ResponseBody {
    return new ResponseBody(
      {
        get paused() {
          return stream.paused;
        },
        pause: () => {
          stream.paused = true;
        },
        resume: () => {
          stream.paused = false;
          this.#report(number, stream);
        },
      },
      () => this.#leave(number),
    );
  }

  #abort(number: number): void {
    const stream = this.#streams.get(number);
    if (stream === undefined) return;
    const { reason } = stream.request.abort;
    this.#leave(number);
    if (stream.body) stream.body.abort(reason);
    else stream.reject(reason);
  }

  #leave(number: number): void {
    const stream = this.#streams.get(number);
    if (stream === undefined) return;
    this.#worker?.postMessage({ type: "abort", stream: number });
    this.#forget(number, stream);
  }

  #forget(number: number, stream: Stream): void {
    stream.unfollow();
    this.#streams.delete(number);
    this.#holdProcess();
  }

  /** Keeps the process alive as long as a response is read or a pool is being closed. */
  #holdProcess(): void {
    if (this.#streams.size > 0 || this.#closing.length > 0) this.#worker?.ref();
    else this.#worker?.unref();
  }

  #fail(stream: Stream, error: unknown): void {
    stream.unfollow();
    if (stream.body) stream.body.fail(error);
    else stream.reject(error);
  }
}

/** True for a request that a codec of `codecInWorker` made. */
export function isForWorker(request: Pick<DirectRequest, "headers">): boolean {
  return request.headers["accept"]?.includes(workerMark) === true;
}

/** Returns a request without the mark. */
export function withoutMark<R extends Pick<DirectRequest, "headers">>(request: R): R {
  const accept = request.headers["accept"]!.replaceAll(workerMark, "");
  return { ...request, headers: { ...request.headers, accept } };
}

function ownHeader(headers: Readonly<Record<string, string>>, name: string): string | null {
  const key = name.toLowerCase();
  return Object.hasOwn(headers, key) ? headers[key]! : null;
}

function toError({ name, message, code, permanent, cause }: WorkerFailure): Error {
  const options = cause === undefined ? {} : { cause: new Error(cause) };
  if (name === "ConfigError") return new ConfigError(message, { ...options, permanent });
  if (name === "ClosedError") return new ClosedError(message, options);
  return new TransportError(message, { ...options, code });
}
