import { type Clock, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Interceptor } from "../transport/transport.js";

/** One line of the log, as data. */
export interface RequestLogEntry {
  /** HTTP method. */
  readonly method: string;
  /** Path and query; continue tokens are cut out. */
  readonly path: string;
  /** Headers of the request without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP status; absent where no answer came. */
  readonly status?: number;
  /** Message of what failed. */
  readonly error?: string;
  /** Milliseconds until the headers were there, or the attempt had failed. */
  readonly durationMs: number;
  /** The entry as one line of text. */
  readonly text: string;
}

/** Headers whose values nobody may see. */
const secret =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-remote-.*|.*(?:token|secret|password).*)$/;

/** Logs every attempt once, when its headers are there or it has failed. Credentials are replaced by `[redacted]`, bodies are left out. What `log` throws is dropped. */
export function logRequests(
  log: (entry: RequestLogEntry) => void,
  options: { readonly clock?: Clock } = {},
): Interceptor {
  const clock = options.clock ?? systemClock;
  const tell = quietly(log);
  return (next) => async (request) => {
    const begin = clock.monotonic();
    const { method } = request;
    const path = request.path.replace(/([?&]continue=)[^&]*/, "$1…");
    const headers = redactHeaders(request.headers);
    try {
      const response = await next(request);
      const durationMs = clock.monotonic() - begin;
      tell({
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
      tell({
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

/** Headers for others to see: names in lower case, credentials replaced by `[redacted]`. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      secret.test(name.toLowerCase()) ? "[redacted]" : value,
    ]),
  );
}
