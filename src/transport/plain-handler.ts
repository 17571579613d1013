import type { ByteReader } from "./stream-body.js";
import type { ResponseHeaders, TransportRequest } from "./transport.js";

/** Response of a {@link PlainHandler}. */
export interface PlainResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Headers. */
  readonly headers: ResponseHeaders;
  /** The complete body, which the receiver owns; a reader of its chunks; or `undefined` for an empty one. */
  readonly body: Uint8Array | ByteReader | undefined;
}

/** Name of the property that holds a handler's {@link PlainHandler}. */
export const plainHandler: unique symbol = Symbol("plainHandler");

/**
 * Does the same as the fetch-style function that it belongs to, without the platform's `Request` and `Response`: to load
 * these takes Node longer than an API server needs for its first answer.
 */
export type PlainHandler = (request: TransportRequest) => Promise<PlainResponse>;

/** Returns the plain form of a fetch-style handler, if it has one. */
export function plainHandlerOf(handle: object): PlainHandler | undefined {
  return (handle as { readonly [plainHandler]?: PlainHandler })[plainHandler];
}

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
