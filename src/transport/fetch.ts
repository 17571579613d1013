import { ClosedError, ConfigError, TransportError } from "../errors/errors.js";
import { linkAbort } from "../internal/abort.js";
import { type Clock, systemClock } from "../internal/clock.js";
import { handleRejection } from "../internal/handle-rejection.js";
import { observeRequest } from "./page-connections.js";
import { singleHeaders } from "./single-headers.js";
import { streamBody } from "./stream-body.js";
import type { Transport } from "./transport.js";

/** Options for `fetchTransport`. */
export interface FetchTransportOptions {
  /**
   * URL of the server. A path in it becomes the prefix of all request paths. In a page it may be relative, such as
   * `/clusters/prod`.
   */
  readonly url: string;
  /** Fetch function. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Cookie policy, for a page that is logged in to a proxy. Default `same-origin`. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * WebSocket class for exec, attach and port forwarding. Default: the platform's `WebSocket`; without one, these calls
   * reject.
   */
  readonly WebSocket?: typeof WebSocket | undefined;
  /**
   * Receives a warning when the watches of a page hold all connections that a browser opens to one server over
   * HTTP/1.1. Default: `console.warn`.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Clock for waits. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a transport over the platform's `fetch`, for browsers and other runtimes. Credentials come from an
 * interceptor such as `bearerToken`, or from a proxy in front of the server. WebSockets carry a bearer token as a
 * subprotocol and no other header. Throws a `ConfigError` for an invalid URL.
 *
 * @example
 * ```ts
 * import { createClient, fetchTransport } from "kubestream";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * // A page served by the proxy that also forwards /k8s to the API server.
 * const client = createClient({ transport: fetchTransport({ url: "/k8s" }) });
 * console.log((await client.resource(Pod).list({ limit: 10 })).items.length);
 * ```
 */
export function fetchTransport(options: FetchTransportOptions): Transport {
  const base = baseUrl(options.url);
  const { origin } = new URL(base);
  const doFetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const { credentials = "same-origin", clock = systemClock } = options;
  const onWarning: (message: string) => unknown = options.onWarning ?? ((message) => globalThis.console.warn(message));
  const warn = (message: string): void => handleRejection(onWarning(message));
  const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: typeof globalThis.WebSocket }).WebSocket;
  const common = { redirect: "manual", credentials, cache: "no-store" } as const;
  let closed = false;

  return {
    async send(request) {
      if (closed) throw new ClosedError("the transport is closed");
      if (request.signal.aborted) throw request.signal.reason;
      const headers = singleHeaders(request);
      // fetch keeps a listener on its signal until the signal is aborted or collected, so each request gets its own.
      const link = linkAbort(request.signal);
      const observed = observeRequest(origin, clock, warn);
      const release = (): void => {
        observed.ended();
        link.abort();
      };
      let response: Response;
      try {
        response = await doFetch(base + request.path, {
          method: request.method,
          headers,
          ...(request.body && { body: request.body as Uint8Array<ArrayBuffer> }),
          ...common,
          signal: link.signal,
        });
      } catch (error) {
        release();
        if (request.signal.aborted) throw request.signal.reason;
        throw transportError(error);
      }
      observed.began();
      if (response.type === "opaqueredirect") {
        release();
        throw new TransportError("the server sent a redirect; redirects are not followed");
      }
      return {
        status: response.status,
        headers: response.headers,
        body: streamBody(response.body, request.signal, release),
      };
    },
    ...(WebSocket !== undefined && {
      async connect(request, protocols) {
        if (closed) throw new ClosedError("the transport is closed");
        if (request.signal.aborted) throw request.signal.reason;
        // Most pages open none.
        const module = await import("./page-socket.js");
        const get = (headers: Record<string, string>): Promise<Response> =>
          doFetch(base + request.path, { headers, ...common, signal: request.signal });
        return module.openPageSocket({ url: base + request.path, request, protocols, WebSocket, get, clock });
      },
    }),
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

function baseUrl(text: string): string {
  const page = globalThis as { document?: { baseURI: string }; location?: { href: string } };
  const base = page.document?.baseURI ?? page.location?.href;
  let url: URL;
  try {
    url = base === undefined ? new URL(text) : new URL(text, base);
  } catch (cause) {
    if (/^[/.]/.test(text))
      throw new ConfigError("invalid server URL: it is relative, and only a page has a URL to resolve it with", {
        cause,
      });
    throw new ConfigError("invalid server URL", { cause });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigError(`invalid server URL: the protocol must be http: or https:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new ConfigError("invalid server URL: it must not contain credentials");
  if (url.search !== "" || url.hash !== "")
    throw new ConfigError("invalid server URL: it must not have a query or a fragment");
  // eslint-disable-next-line regexp/no-super-linear-move -- the caller's own URL, in the smallest bundle
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Unwraps the cause in which `fetch` hides the actual error. */
function transportError(error: unknown): TransportError {
  const cause =
    error instanceof Error ? ((error.cause as { code?: unknown; message?: unknown } | undefined) ?? error) : undefined;
  const code = cause !== undefined && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const text = typeof cause?.message === "string" && cause.message !== "" ? cause.message : "no response";
  return new TransportError(text, { cause: error, code });
}
