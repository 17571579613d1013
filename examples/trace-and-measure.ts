// Traces and metrics for every request attempt. The interfaces below match @opentelemetry/api, so its tracer and
// histogram can be passed unchanged.
import type { Interceptor } from "kubestream";
import { measureRequests } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

interface Span {
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
  setAttribute(name: string, value: number): unknown;
  recordException(error: Error): void;
  end(): void;
}
type Tracer = { startSpan(name: string): Span };
type Histogram = { record(value: number, attributes: Record<string, string>): void };

/** Starts a span for each attempt and sends its ids to the API server, whose spans become its children. */
const traced = (tracer: Tracer): Interceptor => {
  return (next) => async (request) => {
    const span = tracer.startSpan(`${request.method} ${request.path.split("?")[0] ?? ""}`);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? "01" : "00"}`;
    try {
      const response = await next({ ...request, headers: { ...request.headers, traceparent } });
      span.setAttribute("http.response.status_code", response.status);
      return response;
    } catch (error) {
      span.recordException(error as Error);
      throw error;
    } finally {
      span.end();
    }
  };
};

/** Records durations by verb and resource. Object names are left out because each would create a new time series. */
const measured = (duration: Histogram): Interceptor =>
  measureRequests(({ verb, resource = "", totalMs }) => duration.record(totalMs / 1000, { verb, resource }));

// With OpenTelemetry: `trace.getTracer("kubernetes")` and `metrics.getMeter("kubernetes").createHistogram(name)`.
const traceId = crypto.randomUUID().replaceAll("-", "");
const context = { traceId, spanId: traceId.slice(16), traceFlags: 1 };
const tracer: Tracer = {
  startSpan: (name) => ({
    spanContext: () => context,
    setAttribute: (key, value) => console.log("span", name, key, value),
    recordException: (error) => console.log("span", name, error.message),
    end: () => undefined,
  }),
};
const duration: Histogram = { record: (_seconds, attributes) => console.log("duration", JSON.stringify(attributes)) };
// The last interceptor sees the headers that are sent.
const sent: Interceptor = (next) => (request) => {
  console.log("sent", request.headers["traceparent"], "for span", context.traceId, context.spanId);
  return next(request);
};
const client = await connect({ interceptors: [traced(tracer), measured(duration), sent] });
console.log((await client.resource(Pod).namespace("web").list({ limit: 2 })).items.length, "pods");
await client.close();
