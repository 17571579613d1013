// Spans and metrics of every attempt, for OpenTelemetry: its API has this shape, so a tracer and a meter of
// @opentelemetry/api fit in here as they are.

import type { Interceptor } from "kubestream";
import { measureRequests, traceContext } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

/** What of OpenTelemetry's `Tracer` is used. */
interface Tracer {
  startSpan(
    name: string,
    options: { attributes: Record<string, string> },
  ): { setAttribute(name: string, value: string | number): unknown; recordException(error: Error): void; end(): void };
}
/** What of OpenTelemetry's `Histogram` is used. */
interface Histogram {
  record(value: number, attributes: Record<string, string | number>): void;
}

/** A span for each attempt, whose ids the API server hears of in `traceparent`. */
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

/** How long requests took, by what they were about, never by name: names would make a series for each object. */
function measured(duration: Histogram): Interceptor {
  return measureRequests(({ verb, group = "", resource = "", status = 0, totalMs }) => {
    duration.record(totalMs / 1000, { verb, group, resource, "http.response.status_code": status });
  });
}

// In a program of yours: trace.getTracer("kubernetes") and metrics.getMeter("kubernetes").createHistogram("kubernetes.client.request.duration").
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
  retry: { onRetry: ({ action, delayMs }) => console.log(action, "is sent again in", delayMs, "ms") },
});
const pods = await client.resource(Pod).namespace("web").list({ limit: 2 });
console.log(pods.items.length, "pods");
await client.close();
