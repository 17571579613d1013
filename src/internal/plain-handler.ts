/** An HTTP request to a handler in the same process. */
export interface PlainRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path and query, beginning with `/`. */
  readonly path: string;
  /** Headers by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with a line for each value. */
  readonly multiHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Body, if any. */
  readonly body?: Uint8Array | undefined;
  /** Aborts when the client no longer wants the response. */
  readonly signal: AbortSignal;
}

/** Reader of a body's chunks. The platform's stream reader implements it. */
export interface ByteReader {
  /** Returns the next chunk. Rejects if the body breaks. */
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  /** Stops the producer. */
  cancel(reason?: unknown): Promise<void>;
}

/** Response of a {@link PlainHandler}. */
export interface PlainResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Headers. `get` joins multiple values by `, ` and returns `null` for a missing header. */
  readonly headers: { get(name: string): string | null };
  /** The complete body, which the receiver owns; a reader of its chunks; or `undefined` for an empty one. */
  readonly body: Uint8Array | ByteReader | undefined;
}

/** Name of the property that holds a handler's {@link PlainHandler}. */
export const plainHandler: unique symbol = Symbol("plainHandler");

/**
 * Does the same as the fetch-style function that it belongs to, without the platform's `Request` and `Response`: to load
 * these takes Node longer than an API server needs for its first answer.
 */
export type PlainHandler = (request: PlainRequest) => Promise<PlainResponse>;

/** Returns the plain form of a fetch-style handler, if it has one. */
export function plainHandlerOf(handle: object): PlainHandler | undefined {
  return (handle as { readonly [plainHandler]?: PlainHandler })[plainHandler];
}
