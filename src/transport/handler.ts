import { ClosedError, TransportError } from "../errors/errors.js";
import { linkAbort } from "../internal/abort.js";
import { type PlainHandler, type PlainRequest, plainHandlerOf } from "../internal/plain-handler.js";
import { trimEnd } from "../internal/trim-end.js";
import type { WholeBody } from "./direct.js";
import { isPlain } from "./is-plain.js";
import { requireHeader } from "./single-headers.js";
import { streamBody } from "./stream-body.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";

/** Options for `handlerTransport`. */
export interface HandlerTransportOptions {
  /** Base URL of the requests that the handler sees. Default `http://localhost`. */
  readonly url?: string | undefined;
}

/**
 * Creates a transport that calls a fetch-style function instead of a server, such as an API server in the same process.
 * An error that the function throws becomes the cause of a `TransportError`.
 *
 * @example
 * ```ts
 * import { createClient, handlerTransport } from "kubestream";
 * import { Namespace } from "kubestream/kinds/core/v1";
 *
 * // A stub for a unit test.
 * const client = createClient({
 *   transport: handlerTransport(async () => Response.json({ kind: "NamespaceList", apiVersion: "v1", metadata: {}, items: [] })),
 * });
 * console.log((await client.resource(Namespace).list()).items.length);
 * ```
 */
export function handlerTransport(
  handle: (request: Request) => Promise<Response>,
  options: HandlerTransportOptions = {},
): Transport {
  const base = trimEnd(options.url ?? "http://localhost", "/");
  const plain = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/.test(base) ? plainHandlerOf(handle) : undefined;
  let closed = false;
  return {
    async send(request) {
      if (closed) throw new ClosedError("the transport is closed");
      const { signal } = request;
      if (signal.aborted) throw signal.reason;
      if (plain !== undefined && isPlain(request)) return sendPlain(plain, request);
      const headers = new Headers();
      const lines = Object.entries(request.headers).map(([name, value]) => [name, [value]] as const);
      for (const [name, values] of [...lines, ...Object.entries(request.multiHeaders ?? {})]) {
        for (const value of values) {
          requireHeader(name, value);
          headers.append(name, value);
        }
      }
      // Request keeps a listener on its signal until the signal is aborted or collected, so each request gets its own.
      const link = linkAbort(signal);
      try {
        const message = new Request(base + request.path, {
          method: request.method,
          headers,
          ...(request.body && { body: request.body as Uint8Array<ArrayBuffer> }),
          signal: link.signal,
        });
        const response = await answer(handle(message), signal, ({ body }) => body?.cancel());
        return {
          status: response.status,
          headers: response.headers,
          body: streamBody(response.body, signal, () => link.abort()),
        };
      } catch (error) {
        link.abort();
        throw error;
      }
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

/** Sends a request to a handler in its plain form. */
async function sendPlain(handle: PlainHandler, request: TransportRequest): Promise<TransportResponse> {
  const { signal } = request;
  // The handler may keep its request's signal for as long as it likes, so each request gets its own.
  const link = linkAbort(signal);
  try {
    const plain: PlainRequest = {
      ...request,
      get signal() {
        return link.signal;
      },
    };
    const { status, headers, body } = await answer(handle(plain), signal, (late) =>
      late.body !== undefined && "cancel" in late.body ? late.body.cancel() : undefined,
    );
    if (body !== undefined && "cancel" in body)
      return { status, headers, body: streamBody({ getReader: () => body }, signal, () => link.abort()) };
    link.release();
    return { status, headers, body: wholeBody(body, signal) };
  } catch (error) {
    link.abort();
    throw error;
  }
}

function wholeBody(bytes: Uint8Array | undefined, signal: AbortSignal): WholeBody {
  let rest = bytes ?? new Uint8Array();
  let read = false;
  const take = (): Uint8Array | undefined => {
    if (read) return undefined;
    if (signal.aborted) throw signal.reason;
    const whole = rest;
    rest = new Uint8Array();
    read = true;
    return whole;
  };
  return {
    takeWhole: () => (signal.aborted ? undefined : take()),
    // biome-ignore lint/suspicious/useAwait: an abort rejects.
    async *[Symbol.asyncIterator]() {
      const whole = take();
      if (whole !== undefined && whole.length > 0) yield whole;
    },
  };
}

/** Waits for the handler's response until the signal aborts. A response that comes later is passed to `discard`. */
async function answer<R>(
  response: Promise<R>,
  signal: AbortSignal,
  discard: (late: R) => Promise<void> | undefined,
): Promise<R> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([response, aborted]);
  } catch (error) {
    if (signal.aborted) {
      // Nothing reads a late response.
      response.then(discard).catch(() => undefined);
      throw signal.reason;
    }
    throw new TransportError(
      `the handler failed${error instanceof Error && error.message !== "" ? `: ${error.message}` : ""}`,
      { cause: error },
    );
  } finally {
    signal.removeEventListener("abort", onAbort!);
  }
}
