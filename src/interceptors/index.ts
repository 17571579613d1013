export type { MetricFamily, MetricHistogram, MetricSample, MetricSource } from "../internal/telemetry/metrics.js";
export type {
  Span,
  SpanAttributes,
  SpanContext,
  SpanOptions,
  Tracer,
  TraceState,
} from "../internal/telemetry/tracing.js";
export { formatTraceparent } from "../internal/telemetry/tracing.js";
export { bearerToken } from "../transport/bearer-token.js";
export type { RequestLogEntry } from "./log-requests.js";
export { logRequests, redactHeaders } from "./log-requests.js";
export type { RequestMeasurement } from "./measure-requests.js";
export { measureRequests } from "./measure-requests.js";
export type { RateLimitOptions } from "./rate-limit.js";
export { rateLimit } from "./rate-limit.js";
export type { RequestInfo } from "./request-info.js";
export { requestInfo } from "./request-info.js";
export type { RequestMetrics, RequestMetricsOptions } from "./request-metrics.js";
export { createRequestMetrics } from "./request-metrics.js";
export type { TraceOptions, TraceSpan } from "./trace-context.js";
export { parseTraceparent, traceContext } from "./trace-context.js";
export { traceRequests } from "./trace-requests.js";
