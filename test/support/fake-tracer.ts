import { AsyncLocalStorage } from "node:async_hooks";
import { onTestFinished } from "vitest";
import type { Span, SpanContext, SpanOptions, Tracer } from "../../src/internal/telemetry/tracing.js";

/** A span that a fake tracer recorded. */
export interface RecordedSpan {
  readonly name: string;
  readonly options: SpanOptions;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly attributes: Record<string, unknown>;
  status: { code: number; message?: string | undefined } | undefined;
  exception: Error | string | undefined;
  ended: boolean;
}

/** Creates a tracer that records spans, and follows the active one like OpenTelemetry's for Node. */
export function createFakeTracer(): Tracer & {
  readonly spans: RecordedSpan[];
  /** Span that is active. */
  active(): SpanContext | undefined;
} {
  const spans: RecordedSpan[] = [];
  const active = new AsyncLocalStorage<SpanContext>();
  // A storage in use slows down every promise of the process.
  onTestFinished(() => {
    active.disable();
  });
  let count = 0;
  const startSpan = (name: string, options: SpanOptions = {}): Span => {
    const parent = options.root === true ? undefined : active.getStore();
    const spanId = (++count).toString(16).padStart(16, "0");
    const context = { traceId: parent?.traceId ?? spanId.padStart(32, "f"), spanId, traceFlags: 1 };
    const span: RecordedSpan = {
      name,
      options,
      context,
      parent,
      attributes: { ...options.attributes },
      status: undefined,
      exception: undefined,
      ended: false,
    };
    spans.push(span);
    return {
      spanContext: () => context,
      setAttribute: (key, value) => (span.attributes[key] = value),
      setStatus: (status) => (span.status = status),
      recordException: (exception) => void (span.exception = exception),
      end: () => void (span.ended = true),
    };
  };
  return {
    spans,
    active: () => active.getStore(),
    startSpan,
    startActiveSpan(name, options, work) {
      const span = startSpan(name, options);
      return active.run(span.spanContext(), () => work(span));
    },
  };
}
