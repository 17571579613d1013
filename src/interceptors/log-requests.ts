import { type Clock, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Interceptor } from "../transport/transport.js";

/** Log entry for one request attempt. */
export interface RequestLogEntry {
  /** Severity: `warn` for an attempt that failed or got 429 or 5xx, else `debug`. */
  readonly level: "debug" | "warn";
  /** HTTP method. */
  readonly method: string;
  /** Path and query. Continue tokens are removed. */
  readonly path: string;
  /** Request headers with credentials redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP status; absent if no response arrived. */
  readonly status?: number | undefined;
  /** Message of the error, if the attempt failed. */
  readonly error?: string | undefined;
  /** Milliseconds until the response headers arrived or the attempt failed. */
  readonly durationMs: number;
  /** The entry as one line of text. */
  readonly text: string;
}

/** Matches headers whose values are secret. */
const secret =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-remote-.*|.*(?:token|secret|password).*)$/;

/**
 * Returns an interceptor that logs every attempt once, when the response headers arrive or the attempt fails.
 * Credentials are replaced by `[redacted]`, bodies aren't logged, and exceptions thrown by `log` are ignored.
 *
 * @example
 * ```ts
 * import { logRequests } from "kubestream/interceptors";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ interceptors: [logRequests(({ text }) => console.debug(text))] });
 * await client.close();
 * ```
 */
export function logRequests(
  log: (entry: RequestLogEntry) => void,
  options: { readonly clock?: Clock | undefined } = {},
): Interceptor {
  const clock = options.clock ?? systemClock;
  const report = quietly(log);
  return (next) => async (request) => {
    const begin = clock.monotonic();
    const { method } = request;
    const path = request.path.replace(/([?&]continue=)[^&]*/, "$1…");
    const headers = redactHeaders(request.headers);
    try {
      const response = await next(request);
      const durationMs = clock.monotonic() - begin;
      report({
        level: response.status === 429 || response.status >= 500 ? "warn" : "debug",
        method,
        path,
        headers,
        status: response.status,
        durationMs,
        text: `${method} ${path} ${response.status} in ${Math.round(durationMs)} ms`,
      });
      return response;
    } catch (error) {
      const durationMs = clock.monotonic() - begin;
      const message = error instanceof Error ? error.message : String(error);
      report({
        level: "warn",
        method,
        path,
        headers,
        error: message,
        durationMs,
        text: `${method} ${path} failed in ${Math.round(durationMs)} ms: ${message}`,
      });
      throw error;
    }
  };
}

/** Returns headers that are safe to log: names in lower case, credentials replaced by `[redacted]`. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      secret.test(name.toLowerCase()) ? "[redacted]" : value,
    ]),
  );
}
