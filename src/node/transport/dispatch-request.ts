import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import { ClosedError, ConfigError, TransportError } from "../../errors/errors.js";
import { type Abortable, abortableOf } from "../../internal/abort.js";
import type { DirectRequest } from "../../transport/direct.js";
import type { ResponseHeaders, TransportRequest, TransportResponse } from "../../transport/transport.js";
import { transportFailure } from "../websocket/transport-failure.js";
import { gunzip } from "./gunzip.js";
import { ResponseBody } from "./response-body.js";

/** Destination of requests. */
export interface DispatchTarget {
  /** Dispatcher that sends them. */
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  /** Origin of the server: scheme, host and port. */
  readonly origin: string;
  /** Prefix for every path. */
  readonly prefix: string;
  /** True to accept gzip. */
  readonly compression: boolean;
}

/** Connection that the server has upgraded to another protocol. */
export interface Upgraded {
  /** Response headers. */
  readonly headers: ResponseHeaders;
  /** The connection. */
  readonly socket: Duplex;
}

type Target = Pick<DirectRequest, "method" | "path" | "body"> & { readonly abort: Abortable };

/** Abort reason for undici. The caller sees the reason of their own signal. */
const aborted = new TransportError("the request was aborted");

/** Describes a request for messages. Leaves out the query, which may be long and contain secrets. */
export function describeRequest(
  { origin, prefix }: DispatchTarget,
  { method, path }: Pick<TransportRequest, "method" | "path">,
): string {
  const end = path.indexOf("?");
  return `${method} ${end < 0 ? path : path.slice(0, end)} at ${origin}${prefix}`;
}

/**
 * Sends a request. Resolves with the response as soon as its headers arrive. Rejects with a `TransportError`, or with
 * the signal's reason.
 */
export function dispatchRequest(target: DispatchTarget, request: TransportRequest): Promise<TransportResponse> {
  return dispatch(target, withAbort(request), flatten(target, request), undefined) as Promise<TransportResponse>;
}

/** Like `dispatchRequest`, for a request whose headers never change, so their encoded form is cached. */
export function dispatchDirect(target: DispatchTarget, request: DirectRequest): Promise<TransportResponse> {
  return dispatch(target, request, flattenOnce(target, request), undefined) as Promise<TransportResponse>;
}

/** Sends an upgrade request. Resolves with the connection, or with the response of a server that refuses. */
export function dispatchUpgrade(
  target: DispatchTarget,
  request: TransportRequest,
  protocol: string,
): Promise<TransportResponse | Upgraded> {
  return dispatch(target, withAbort(request), flatten(target, request), protocol);
}

function withAbort({ method, path, body, signal }: TransportRequest): Target {
  return { method, path, ...(body && { body }), abort: abortableOf(signal) };
}

function dispatch(
  target: DispatchTarget,
  request: Target,
  headers: string[],
  upgrade: string | undefined,
): Promise<TransportResponse | Upgraded> {
  return new Promise((resolve, reject) => {
    if (request.abort.aborted) {
      reject(request.abort.reason);
      return;
    }
    const exchange = new ResponseHandler(target, request, resolve, reject);
    try {
      target.dispatcher.dispatch(
        {
          origin: target.origin,
          path: target.prefix + request.path,
          method: request.method,
          headers,
          body: request.body ?? null,
          ...(upgrade !== undefined && { upgrade }),
        },
        exchange,
      );
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
  });
}

/**
 * Handler for one request. It's a class because methods on the prototype are cheaper than new closures for every
 * request.
 */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #target: DispatchTarget;
  readonly #request: Target;
  readonly #resolve: (answer: TransportResponse | Upgraded) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #unfollow: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ResponseBody | undefined;
  #settled = false;

  constructor(
    target: DispatchTarget,
    request: Target,
    resolve: (answer: TransportResponse | Upgraded) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#target = target;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#unfollow = request.abort.onAbort(() => this.#onAbort());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(aborted);
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    headers: UndiciHeaders,
    socket: Duplex,
  ): void {
    if (this.#settled) {
      socket.destroy();
      return;
    }
    this.#settle();
    this.#resolve({ headers: new AnswerHeaders(headers, false), socket });
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UndiciHeaders): void {
    if (status < 200 || this.#settled) return;
    const body = new ResponseBody(controller, () => this.#leave());
    this.#body = body;
    const encoding = headers["content-encoding"];
    const zipped = encoding !== undefined && /^(?:x-)?gzip$/i.test(String(encoding));
    this.#resolve({ status, headers: new AnswerHeaders(headers, zipped), body: zipped ? gunzip(body) : body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    if (this.#settled) return;
    this.#settle();
    const failure =
      error instanceof ClosedError || error instanceof ConfigError
        ? error
        : transportFailure(describeRequest(this.#target, this.#request), error);
    if (this.#body) this.#body.fail(failure);
    else this.#reject(failure);
  }

  /** Aborts the request because the reader leaves the body. */
  #leave(): void {
    this.#settle();
    this.#controller?.abort(aborted);
  }

  #onAbort(): void {
    this.#settle();
    const { reason } = this.#request.abort;
    if (this.#body) this.#body.abort(reason);
    else this.#reject(reason);
    this.#controller?.abort(aborted);
  }

  #settle(): void {
    this.#settled = true;
    this.#unfollow();
  }
}

type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Response headers as undici parsed them. */
class AnswerHeaders implements ResponseHeaders {
  readonly #headers: UndiciHeaders;
  readonly #unzipped: boolean;

  constructor(headers: UndiciHeaders, unzipped: boolean) {
    this.#headers = headers;
    this.#unzipped = unzipped;
  }

  names(): string[] {
    return Object.keys(this.#headers);
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    if (this.#unzipped && (key === "content-encoding" || key === "content-length")) return null;
    const value = this.#headers[key];
    if (typeof value === "string") return value;
    return value !== undefined && Object.hasOwn(this.#headers, key) ? value.join(", ") : null;
  }
}

/** Returns the headers of a response of `dispatchRequest` as plain data. */
export function headersToRecord(headers: ResponseHeaders): Record<string, string> {
  if (!(headers instanceof AnswerHeaders)) throw new TypeError("headers of another transport");
  return Object.fromEntries(
    headers.names().flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

const flattened = new WeakMap<object, { readonly plain?: string[]; readonly zipped?: string[] }>();

/** Returns the same list for the same headers object. */
function flattenOnce(target: DispatchTarget, request: DirectRequest): string[] {
  if (request.multiHeaders !== undefined) return flatten(target, request);
  const key = asksForGzip(target, request) ? "zipped" : "plain";
  const known = flattened.get(request.headers);
  const list = known?.[key];
  if (list !== undefined) return list;
  const made = flatten(target, request);
  flattened.set(request.headers, { ...known, [key]: made });
  return made;
}

/** Returns a flat list of alternating names and values. */
function flatten(
  target: DispatchTarget,
  request: Pick<TransportRequest, "method" | "path" | "headers" | "multiHeaders">,
): string[] {
  const list: string[] = [];
  for (const [name, value] of Object.entries(request.headers))
    if (request.multiHeaders?.[name] === undefined) list.push(name, value);
  for (const [name, values] of Object.entries(request.multiHeaders ?? {}))
    for (const value of values) list.push(name, value);
  if (asksForGzip(target, request) && request.headers["accept-encoding"] === undefined)
    list.push("accept-encoding", "gzip");
  return list;
}

/** Watches stay uncompressed: a compressor, even a proxy's, may hold back events. */
function asksForGzip(
  { compression }: DispatchTarget,
  { method, path }: Pick<TransportRequest, "method" | "path">,
): boolean {
  return compression && method === "GET" && !/[?&]watch=(?:1|true)\b/.test(path);
}
