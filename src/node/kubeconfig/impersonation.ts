import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import { impersonationHeaders } from "../../client/decorators/with-impersonation.js";
import type { TransportRequest } from "../../transport/transport.js";

/** Headers of an impersonation. */
export type ImpersonationHeaders = ReturnType<typeof impersonationHeaders>;

/**
 * Encodes impersonation headers as bytes. Throws a `TypeError` for values that a header can't carry: line breaks, or
 * white space at either end.
 */
export function encodeImpersonation(as: Impersonation): ImpersonationHeaders {
  const { headers, multiHeaders } = impersonationHeaders(as);
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerValue(value, name)])),
    multiHeaders: Object.fromEntries(
      Object.entries(multiHeaders).map(([name, values]) => [name, values.map((value) => headerValue(value, name))]),
    ),
  };
}

/** Adds the headers to a request, unless the request impersonates a user itself. */
export function impersonate<R extends Pick<TransportRequest, "headers" | "multiHeaders">>(
  request: R,
  impersonation: ImpersonationHeaders,
): R {
  const { headers, multiHeaders } = request;
  if (Object.keys(headers).some((name) => name.startsWith("impersonate-"))) return request;
  return {
    ...request,
    headers: { ...headers, ...impersonation.headers },
    multiHeaders: { ...multiHeaders, ...impersonation.multiHeaders },
  };
}

/** Encodes non-ASCII characters as UTF-8, which is what the server expects. */
function headerValue(value: string, name: string): string {
  if (typeof value !== "string" || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    throw new TypeError(`impersonation: ${name} must not contain control characters`);
  if (value !== value.trim()) throw new TypeError(`impersonation: ${name} must not begin or end with white space`);
  return Buffer.from(value, "utf8").toString("latin1");
}
