import { ClosedError, TransportError } from "../errors/errors.js";
import { linkAbort } from "../internal/abort.js";
import { requireHeader } from "./single-headers.js";
import { streamBody } from "./stream-body.js";
import type { Transport } from "./transport.js";

/** How requests to a handler look. */
export interface HandlerTransportOptions {
  /** URL under which the handler believes to be reached. Default `http://localhost`. */
  readonly url?: string;
}

/** A transport that calls a function instead of a server, as the API server in the same process. What the function throws is a `TransportError`. */
export function handlerTransport(
  handle: (request: Request) => Promise<Response>,
  options: HandlerTransportOptions = {},
): Transport {
  const base = (options.url ?? "http://localhost").replace(/\/+$/, "");
  let closed = false;
  return {
    async send(request) {
      if (closed) throw new ClosedError("the transport is closed");
      const { signal } = request;
      if (signal.aborted) throw signal.reason;
      const headers = new Headers();
      const lines = Object.entries(request.headers).map(([name, value]) => [name, [value]] as const);
      for (const [name, values] of [...lines, ...Object.entries(request.multiHeaders ?? {})]) {
        for (const value of values) {
          requireHeader(name, value);
          headers.append(name, value);
        }
      }
      // The platform listens on the signal it is given until that fires or is collected: it gets one of its own.
      const link = linkAbort(signal);
      try {
        const message = new Request(base + request.path, {
          method: request.method,
          headers,
          ...(request.body && { body: request.body as Uint8Array<ArrayBuffer> }),
          signal: link.signal,
        });
        const response = await answer(handle(message), signal);
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

/** Waits for the handler, but not longer than the signal lets. */
async function answer(response: Promise<Response>, signal: AbortSignal): Promise<Response> {
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
      // The handler's late answer is for nobody; its body must not stay open.
      response
        .then(
          (late) => late.body?.cancel(),
          () => undefined,
        )
        .catch(() => undefined);
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
