import type { TransportRequest } from "./transport.js";

/**
 * True if `new Request` would pass the request on unchanged. It would normalize or refuse any other method, path or
 * header.
 */
export function isPlain({ method, path, headers, multiHeaders, body, upgrade }: TransportRequest): boolean {
  if (upgrade !== undefined || !(method === "GET" ? body === undefined : /^(?:POST|PUT|PATCH|DELETE)$/.test(method)))
    return false;
  if (!/^\/[\w.~%!$&()*+,;=:@?/-]*$/.test(path) || /\/(?:\.|%2e)/i.test(path)) return false;
  for (const name in headers) if (!isPlainHeader(name, headers[name]!)) return false;
  for (const name in multiHeaders)
    for (const value of multiHeaders[name]!) if (!isPlainHeader(name, value)) return false;
  return true;
}

function isPlainHeader(name: string, value: string): boolean {
  return (
    /^[\w-]+$/.test(name) &&
    typeof value === "string" &&
    /^(?:[!-~\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[!-~\x80-\xff])?)?$/.test(value)
  );
}
