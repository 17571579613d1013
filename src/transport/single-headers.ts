import { ConfigError } from "../errors/errors.js";
import type { TransportRequest } from "./transport.js";

/**
 * Returns a request's headers for a platform that joins lines of the same name with commas. The API server would read
 * `a, b` as one group with that name, so multiple values are rejected with a `ConfigError`.
 */
export function singleHeaders(request: TransportRequest): Record<string, string> {
  const headers: Record<string, string> = { ...request.headers };
  for (const name of Object.keys(headers)) requireHeader(name, headers[name]!);
  for (const [name, values] of Object.entries(request.multiHeaders ?? {})) {
    if (values.length > 1)
      throw new ConfigError(`fetch can't send multiple lines of header ${name}: use another transport`);
    if (values[0] === undefined) continue;
    requireHeader(name, values[0]);
    headers[name] = values[0];
  }
  return headers;
}

/**
 * Throws an error for a value that a header can't carry, without the value, which may be a secret: the platform's own
 * error would repeat it.
 */
export function requireHeader(
  name: string,
  value: string,
  Failure: new (message: string) => Error = ConfigError,
): void {
  if (typeof value !== "string" || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new Failure(
      `header ${name}: the value must be a string without control characters and without characters outside Latin-1`,
    );
}
