import { quietly } from "../internal/quietly.js";
import type { Interceptor, TransportRequest } from "../transport/transport.js";

/** A trace span for one request attempt. */
export interface TraceSpan {
  /** Trace ID: 32 hexadecimal digits, shared by all spans of the trace. */
  readonly traceId: string;
  /** Span ID: 16 hexadecimal digits. */
  readonly spanId: string;
  /** ID of the parent span; absent for the root of a trace. */
  readonly parentSpanId?: string | undefined;
  /** True if the trace is recorded. */
  readonly sampled: boolean;
}

/** Options for `traceContext`. */
export interface TraceOptions {
  /**
   * Returns the `traceparent` of the current operation, such as an incoming request. Default: each request starts a new
   * trace.
   */
  readonly parent?: (() => string | undefined) | undefined;
  /** Returns the `tracestate` that belongs to `parent`. */
  readonly state?: (() => string | undefined) | undefined;
  /**
   * Callback before each attempt. If it returns a function, that is called once when the response headers arrive or the
   * attempt fails; its exceptions are ignored.
   */
  readonly onSpan?:
    | ((
        span: TraceSpan,
        request: TransportRequest,
      ) => ((end: { readonly status?: number | undefined; readonly error?: unknown }) => void) | undefined)
    | undefined;
  /** True if new traces are recorded. Default `true`. */
  readonly sampled?: boolean | undefined;
}

/**
 * Returns an interceptor that sends a W3C `traceparent` header with every attempt. It links the server's spans and
 * audit events to the client's trace.
 * @see https://www.w3.org/TR/trace-context/
 *
 * @example
 * ```ts
 * import { traceContext } from "kubestream/interceptors";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({
 *   interceptors: [
 *     traceContext({
 *       onSpan: ({ traceId }, { method, path }) => ({ status }) => console.log(traceId, method, path, status),
 *     }),
 *   ],
 * });
 * await client.close();
 * ```
 */
export function traceContext(options: TraceOptions = {}): Interceptor {
  return (next) => async (request) => {
    const parent = parseTraceparent(options.parent?.());
    const span: TraceSpan = {
      traceId: parent?.traceId ?? hex(16),
      spanId: hex(8),
      ...(parent && { parentSpanId: parent.spanId }),
      sampled: parent?.sampled ?? options.sampled ?? true,
    };
    const state = parent === undefined ? undefined : options.state?.();
    const headers = {
      ...request.headers,
      traceparent: `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`,
      ...(state !== undefined && state !== "" && { tracestate: state }),
    };
    const end = quietly(options.onSpan?.(span, request));
    try {
      const response = await next({ ...request, headers });
      end({ status: response.status });
      return response;
    } catch (error) {
      end({ error });
      throw error;
    }
  };
}

/**
 * Parses a `traceparent` header. Returns `undefined` for an invalid one, which the specification requires to be
 * ignored.
 */
export function parseTraceparent(text: string | undefined): TraceSpan | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(
    text ?? "",
  );
  if (!match) return undefined;
  return { traceId: match[1]!, spanId: match[2]!, sampled: (Number.parseInt(match[3]!, 16) & 1) === 1 };
}

function hex(bytes: number): string {
  let text = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) text += byte.toString(16).padStart(2, "0");
  return text;
}
