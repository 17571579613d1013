import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import { impersonationHeaders } from "../../client/decorators/with-impersonation.js";
import type { TransportRequest } from "../../transport/transport.js";

/** Headers of an impersonation. */
export type ImpersonationHeaders = ReturnType<typeof impersonationHeaders>;

/** Makes the headers that impersonate, as bytes that a header can carry. Throws a `TypeError` for what none can: line breaks, white space at the ends. */
export function encodeImpersonation(as: Impersonation): ImpersonationHeaders {
  const { headers, multiHeaders } = impersonationHeaders(as);
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerValue(value, name)])),
    multiHeaders: Object.fromEntries(
      Object.entries(multiHeaders).map(([name, values]) => [name, values.map((value) => headerValue(value, name))]),
    ),
  };
}

/** Adds the headers to a request, unless it impersonates somebody itself. */
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

/** What is not ASCII goes as UTF-8, which is what the server reads. */
function headerValue(value: string, name: string): string {
  if (typeof value !== "string" || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    throw new TypeError(`impersonation: ${name} holds control characters, which no header can carry`);
  if (value !== value.trim())
    throw new TypeError(`impersonation: ${name} begins or ends with white space, which headers lose`);
  return Buffer.from(value, "utf8").toString("latin1");
}
