import { quietly } from "../internal/quietly.js";
import type { Interceptor, TransportRequest } from "../transport/transport.js";

/** One attempt as a span of a trace. */
export interface TraceSpan {
  /** 32 hexadecimal digits that all spans of a trace share. */
  readonly traceId: string;
  /** 16 hexadecimal digits of this span. */
  readonly spanId: string;
  /** The span this one is part of; absent for the first of a trace. */
  readonly parentSpanId?: string;
  /** Whether the trace is recorded. */
  readonly sampled: boolean;
}

/** How requests are traced. */
export interface TraceOptions {
  /** The `traceparent` of what is going on, as of an incoming request. Default: each request begins a trace. */
  readonly parent?: () => string | undefined;
  /** The `tracestate` that goes with it. */
  readonly state?: () => string | undefined;
  /** Called before each attempt; what it answers is called once, when the response's headers are there or the attempt has failed, and what that throws is dropped. */
  readonly onSpan?: (
    span: TraceSpan,
    request: TransportRequest,
  ) => ((end: { readonly status?: number; readonly error?: unknown }) => void) | undefined;
  /** Whether traces that begin here are recorded. Default `true`. */
  readonly sampled?: boolean;
}

/**
 * Sends a `traceparent` header with every attempt, so that the server's spans and audit can be found from here.
 * @see https://www.w3.org/TR/trace-context/
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

/** Reads a `traceparent`; `undefined` for one that is none, which the specification tells to ignore. */
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
