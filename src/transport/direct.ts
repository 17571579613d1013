import type { Abortable } from "../internal/abort.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";

/**
 * A request for a transport of this package. Most requests are ended by nobody: here the AbortSignal, which costs more than
 * all else of a small request, is made only if somebody asks for it.
 */
export interface DirectRequest extends Omit<TransportRequest, "signal"> {
  /** Headers as in `TransportRequest`; the object is not changed any more, so that what is made of it can be kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request and its response body. */
  readonly abort: Abortable;
}

/** The method by which a transport takes such requests. */
export const sendDirect: unique symbol = Symbol("sendDirect");

/** A transport that takes such requests. */
export interface DirectTransport extends Transport {
  /** As `send`. */
  [sendDirect](request: DirectRequest): Promise<TransportResponse>;
}

/** A body that may be there already. */
export interface WholeBody extends AsyncIterable<Uint8Array> {
  /** All bytes, which are then read; `undefined` where some are still to come or were read before. Absent where that is not known. */
  takeWhole?(): Uint8Array | undefined;
}

/** The way to send such requests over a transport, if it has one. */
export function directOf(transport: Transport): ((request: DirectRequest) => Promise<TransportResponse>) | undefined {
  const direct = (transport as Partial<DirectTransport>)[sendDirect];
  return direct === undefined ? undefined : (request) => direct.call(transport, request);
}
