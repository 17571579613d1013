import { ClosedError, ConfigError, TransportError } from "../errors/errors.js";
import { linkAbort } from "../internal/abort.js";
import { singleHeaders } from "./single-headers.js";
import { streamBody } from "./stream-body.js";
import type { Transport } from "./transport.js";

/** Options for `fetchTransport`. */
export interface FetchTransportOptions {
  /** URL of the server. A path in it becomes the prefix of all request paths. */
  readonly url: string;
  /** Fetch function. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Cookie policy, for a page that is logged in to a proxy. Default `same-origin`. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
}

/**
 * Creates a transport over the platform's `fetch`, for browsers and other runtimes. Credentials come from an
 * interceptor such as `bearerToken`, or from a proxy in front of the server. Throws a `ConfigError` for an invalid URL.
 *
 * @example
 * ```ts
 * import { createClient, fetchTransport } from "kubestream";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * // A page served by the proxy that also forwards /k8s to the API server.
 * const client = createClient({ transport: fetchTransport({ url: `${location.origin}/k8s`, credentials: "include" }) });
 * console.log((await client.resource(Pod).list({ limit: 10 })).items.length);
 * ```
 */
export function fetchTransport(options: FetchTransportOptions): Transport {
  const base = baseUrl(options.url);
  const doFetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  let closed = false;
  return {
    async send(request) {
      if (closed) throw new ClosedError("the transport is closed");
      if (request.signal.aborted) throw request.signal.reason;
      const headers = singleHeaders(request);
      // fetch keeps a listener on its signal until the signal is aborted or collected, so each request gets its own.
      const link = linkAbort(request.signal);
      let response: Response;
      try {
        response = await doFetch(base + request.path, {
          method: request.method,
          headers,
          ...(request.body && { body: request.body as Uint8Array<ArrayBuffer> }),
          redirect: "manual",
          credentials: options.credentials ?? "same-origin",
          cache: "no-store",
          signal: link.signal,
        });
      } catch (error) {
        link.abort();
        if (request.signal.aborted) throw request.signal.reason;
        throw transportError(error);
      }
      if (response.type === "opaqueredirect") {
        link.abort();
        throw new TransportError("the server sent a redirect; redirects are not followed");
      }
      return {
        status: response.status,
        headers: response.headers,
        body: streamBody(response.body, request.signal, () => link.abort()),
      };
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

function baseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new ConfigError("invalid server URL", { cause });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigError(`invalid server URL: the protocol must be http: or https:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new ConfigError("invalid server URL: it must not contain credentials");
  if (url.search !== "" || url.hash !== "")
    throw new ConfigError("invalid server URL: it must not have a query or a fragment");
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
