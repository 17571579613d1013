// Traces and metrics for every request attempt. With OpenTelemetry, pass `trace.getTracer("kubernetes")` and
// `metrics.getMeter("kubernetes").createHistogram(name)` of @opentelemetry/api unchanged.
import type { Interceptor } from "kubestream";
import { measureRequests, type Span, type SpanOptions, type Tracer, traceRequests } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

type Histogram = { record(value: number, attributes: Record<string, string>): void };

/** Records durations by verb and resource. Object names are left out because each would create a new time series. */
const measured = (duration: Histogram): Interceptor =>
  measureRequests(({ verb, resource = "", totalMs }) => duration.record(totalMs / 1000, { verb, resource }));

const hex = (digits: number): string => crypto.randomUUID().replaceAll("-", "").slice(0, digits);
/** Prints spans, in place of OpenTelemetry. */
const startSpan = (name: string, { attributes = {} }: SpanOptions = {}): Span => {
  const context = { traceId: hex(32), spanId: hex(16), traceFlags: 1 };
  const ended: Record<string, unknown> = { ...attributes };
  return {
    spanContext: () => context,
    setAttribute: (key, value) => (ended[key] = value),
    setStatus: () => undefined,
    recordException: (error) => console.log("span", name, error),
    end: () =>
      console.log("span", context.traceId, context.spanId, name, ended["url.path"], ended["http.response.status_code"]),
  };
};
const tracer: Tracer = { startSpan, startActiveSpan: (name, options, work) => work(startSpan(name, options)) };
const duration: Histogram = { record: (_seconds, attributes) => console.log("duration", JSON.stringify(attributes)) };
// The last interceptor sees the headers that are sent: the ids of the span.
const sent: Interceptor = (next) => (request) => {
  console.log("sent", request.headers["traceparent"]);
  return next(request);
};
const client = await connect({ interceptors: [traceRequests(tracer), measured(duration), sent] });
console.log((await client.resource(Pod).namespace("web").list({ limit: 2 })).items.length, "pods");
await client.close();
