import { ClosedError, TransportError } from "../errors/errors.js";
import { linkAbort } from "../internal/abort.js";
import { requireHeader } from "./single-headers.js";
import { streamBody } from "./stream-body.js";
import type { Transport } from "./transport.js";

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
      // Request keeps a listener on its signal until the signal is aborted or collected, so each request gets its own.
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

/** Waits for the handler's response until the signal aborts. */
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
      // Nothing reads a late response, so its body is canceled.
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
