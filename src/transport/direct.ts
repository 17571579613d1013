import type { Abortable } from "../internal/abort.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";

/**
 * A request for this package's own transports. Creating an AbortSignal costs more than the rest of a small request, and
 * most requests are never aborted, so the signal is created only on demand.
 */
export interface DirectRequest extends Omit<TransportRequest, "signal"> {
  /** Headers as in `TransportRequest`. The object never changes, so transports can cache what they derive from it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the request and its response body. */
  readonly abort: Abortable;
}

/** Name of the method that sends a `DirectRequest`. */
export const sendDirect: unique symbol = Symbol("sendDirect");

/** A transport that accepts a `DirectRequest`. */
export interface DirectTransport extends Transport {
  /** Does the same as `send`. */
  [sendDirect](request: DirectRequest): Promise<TransportResponse>;
}

/** A body that may already have arrived in full. */
export interface WholeBody extends AsyncIterable<Uint8Array> {
  /**
   * Returns all bytes and marks the body as read; `undefined` if bytes are missing or were already read. Absent if the
   * transport can't know.
   */
  takeWhole?(): Uint8Array | undefined;
}

/** Returns the transport's function for direct requests, if it has one. */
export function directOf(transport: Transport): ((request: DirectRequest) => Promise<TransportResponse>) | undefined {
  const direct = (transport as Partial<DirectTransport>)[sendDirect];
  return direct === undefined ? undefined : (request) => direct.call(transport, request);
}
