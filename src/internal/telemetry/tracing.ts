/**
 * Attributes of a span by name. kubestream sets strings, numbers and booleans; the type is open because tracing systems
 * differ in the values that they accept.
 */
export type SpanAttributes = Readonly<Record<string, unknown>>;

/** State of a trace: a list of keys and values. The interface matches `TraceState` of `@opentelemetry/api`. */
export interface TraceState {
  /** Returns a copy in which the key has this value. */
  set(key: string, value: string): TraceState;
  /** Returns a copy without a value. */
  unset(key: string): TraceState;
  /** Returns a value. */
  get(key: string): string | undefined;
  /** Formats the state as a `tracestate` header. */
  serialize(): string;
}

/** Identity of a span. The interface matches `SpanContext` of `@opentelemetry/api`. */
export interface SpanContext {
  /** Trace ID: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Span ID: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Flags. The lowest bit is set if the trace is recorded. */
  readonly traceFlags: number;
  /** State of the trace that tracing systems pass on. */
  readonly traceState?: TraceState | undefined;
}

/** A span. The interface matches `Span` of `@opentelemetry/api`. */
export interface Span {
  /** Returns the identity. */
  spanContext(): SpanContext;
  /** Sets an attribute. */
  setAttribute(key: string, value: unknown): unknown;
  /** Sets the status: the code 1 for success, 2 for an error. */
  setStatus(status: { code: number; message?: string | undefined }): unknown;
  /** Records an exception. */
  recordException(exception: Error | string): void;
  /** Ends the span. */
  end(): void;
}

/** Options of a span. The interface matches `SpanOptions` of `@opentelemetry/api`. */
export interface SpanOptions {
  /** Kind: 2 for a client, 3 for a producer, 4 for a consumer. */
  readonly kind?: number | undefined;
  /** Attributes. */
  readonly attributes?: SpanAttributes | undefined;
  /** Other spans that caused this one. */
  readonly links?: { context: SpanContext; attributes?: SpanAttributes | undefined }[] | undefined;
  /** True to start a new trace, even if a span is active. */
  readonly root?: boolean | undefined;
}

/**
 * Starts spans. Pass a tracer of OpenTelemetry, such as `trace.getTracer("my-operator")` of `@opentelemetry/api`, which
 * matches this interface.
 */
export interface Tracer {
  /** Starts a span as a child of the active one. */
  startSpan(name: string, options?: SpanOptions): Span;
  /** Starts a span and calls `work` while it is active, so that spans that `work` starts become its children. */
  startActiveSpan(name: string, options: SpanOptions, work: (span: Span) => unknown): unknown;
}

/** Kinds of spans with their numbers in OpenTelemetry. */
export const spanKind = { client: 2, producer: 3, consumer: 4 } as const;

/** Marks a span as failed. */
export function failSpan(span: Span, error: unknown): void {
  const exception = error instanceof Error ? error : String(error);
  span.recordException(exception);
  span.setStatus({ code: 2, message: error instanceof Error ? error.message : String(error) });
}

/** Formats the identity of a span as a W3C `traceparent` header. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`;
}
