// Traces and metrics for every request attempt. The interfaces below match @opentelemetry/api, so its tracer and
// histogram can be passed unchanged.
import type { Interceptor } from "kubestream";
import { measureRequests, traceContext } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

/** Subset of OpenTelemetry's `Tracer`. */
interface Tracer {
  startSpan(
    name: string,
    options: { attributes: Record<string, string> },
  ): { setAttribute(name: string, value: string | number): unknown; recordException(error: Error): void; end(): void };
}
/** Subset of OpenTelemetry's `Histogram`. */
interface Histogram {
  record(value: number, attributes: Record<string, string | number>): void;
}

/** Starts a span for each attempt and sends its ids to the API server in the `traceparent` header. */
function traced(tracer: Tracer): Interceptor {
  return traceContext({
    onSpan({ traceId, spanId }, { method, path }) {
      const span = tracer.startSpan(`${method} ${path.split("?")[0] ?? ""}`, {
        attributes: { "http.request.method": method, "w3c.trace_id": traceId, "w3c.span_id": spanId },
      });
      return ({ status, error }) => {
        if (status !== undefined) span.setAttribute("http.response.status_code", status);
        if (error instanceof Error) span.recordException(error);
        span.end();
      };
    },
  });
}

/** Records request durations by verb and resource. Object names are left out because each would create a new time series. */
function measured(duration: Histogram): Interceptor {
  return measureRequests(({ verb, group = "", resource = "", status = 0, totalMs }) => {
    duration.record(totalMs / 1000, { verb, group, resource, "http.response.status_code": status });
  });
}

// With OpenTelemetry: `trace.getTracer("kubernetes")` and `metrics.getMeter("kubernetes").createHistogram(name)`.
const tracer: Tracer = {
  startSpan: (name) => ({
    setAttribute: (key, value) => console.log("span", name, key, value),
    recordException: (error) => console.log("span", name, error.message),
    end: () => undefined,
  }),
};
const duration: Histogram = { record: (_seconds, attributes) => console.log("duration", JSON.stringify(attributes)) };

const client = await connect({
  interceptors: [traced(tracer), measured(duration)],
  retry: { onRetry: ({ action, delayMs }) => console.log("retrying", action, "in", delayMs, "ms") },
});
const pods = await client.resource(Pod).namespace("web").list({ limit: 2 });
console.log(pods.items.length, "pods");
await client.close();
