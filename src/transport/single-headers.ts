import { ConfigError } from "../errors/errors.js";
import type { TransportRequest } from "./transport.js";

/**
 * The headers of a request for a platform that joins lines of one name by commas. The API server takes `a, b` for one
 * group of that name, so several values are refused. Throws a `ConfigError`.
 */
export function singleHeaders(request: TransportRequest): Record<string, string> {
  const headers: Record<string, string> = { ...request.headers };
  for (const name of Object.keys(headers)) requireHeader(name, headers[name]!);
  for (const [name, values] of Object.entries(request.multiHeaders ?? {})) {
    if (values.length > 1)
      throw new ConfigError(`fetch cannot send several lines of header ${name}: use another transport`);
    if (values[0] === undefined) continue;
    requireHeader(name, values[0]);
    headers[name] = values[0];
  }
  return headers;
}

/** Throws a `ConfigError` for a value that no header can carry. The platform's own error repeats it, and it may be a secret. */
export function requireHeader(name: string, value: string): void {
  if (typeof value !== "string" || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new ConfigError(`header ${name} holds characters that no header can carry`);
}
