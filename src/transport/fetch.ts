import { ClosedError, ConfigError, TransportError } from "../errors/errors.js";
import { linkAbort } from "../internal/abort.js";
import { singleHeaders } from "./single-headers.js";
import { streamBody } from "./stream-body.js";
import type { Transport } from "./transport.js";

/** Where and how to fetch. */
export interface FetchTransportOptions {
  /** The server's URL; a path in it is put before every request's path. */
  readonly url: string;
  /** Does the fetching. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Whether cookies go along, for a page that is logged in to a proxy. Default `same-origin`. */
  readonly credentials?: "omit" | "same-origin" | "include";
}

/**
 * A transport over the platform's `fetch`, for browsers and other runtimes. Credentials come from an interceptor such
 * as `bearerToken`, or from the proxy in front of the server. Throws a `ConfigError` for a URL that cannot be used.
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
      // The platform listens on the signal it is given until that fires or is collected: it gets one of its own.
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
        throw new TransportError("the server answered with a redirect, which is not followed");
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
    throw new ConfigError("the server's URL is none", { cause });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigError(`the server's URL must begin with http: or https:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw new ConfigError("the server's URL must not hold credentials");
  if (url.search !== "" || url.hash !== "")
    throw new ConfigError("the server's URL must have no query and no fragment");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** `fetch` hides what went wrong in the cause, where there is one. */
function transportError(error: unknown): TransportError {
  const cause =
    error instanceof Error ? ((error.cause as { code?: unknown; message?: unknown } | undefined) ?? error) : undefined;
  const code = cause !== undefined && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const text = typeof cause?.message === "string" && cause.message !== "" ? cause.message : "no answer";
  return new TransportError(text, { cause: error, code });
}
