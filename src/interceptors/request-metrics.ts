import type { Clock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import { HistogramFamily, NumberFamily } from "../internal/telemetry/metric-families.js";
import type { MetricFamily, MetricSource } from "../internal/telemetry/metrics.js";
import type { Interceptor } from "../transport/transport.js";
import { measureRequests } from "./measure-requests.js";

/** Options for `createRequestMetrics`. */
export interface RequestMetricsOptions {
  /** Value of the label `host`: the server's host and port. A function is called for each request. Default `""`. */
  readonly host?: string | (() => string) | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Metrics of the requests that pass an interceptor. */
export interface RequestMetrics extends MetricSource {
  /** Interceptor that counts and measures every attempt. */
  readonly interceptor: Interceptor;
  /** Returns the current values. */
  collect(): readonly MetricFamily[];
}

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const bytes = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/**
 * Creates an interceptor that counts and measures requests, and reports them with the names, labels and buckets of
 * client-go: `rest_client_requests_total` by code, method and host, and durations and sizes by verb (the HTTP method)
 * and host. An attempt without a response has the code `<error>`. Durations of watches aren't recorded, as in client-go.
 *
 * @example
 * ```ts
 * import { collectMetrics, formatMetrics } from "kubestream/controller";
 * import { createRequestMetrics } from "kubestream/interceptors";
 * import { connect } from "kubestream/node";
 *
 * const requests = createRequestMetrics({ host: () => new URL(client.server).host });
 * const client = await connect({ interceptors: [requests.interceptor] });
 * console.log(formatMetrics(collectMetrics({ sources: [requests] })));
 * ```
 */
export function createRequestMetrics(options: RequestMetricsOptions = {}): RequestMetrics {
  const { host = "", clock } = options;
  const requests = new NumberFamily("counter", "rest_client_requests_total", "Requests by code, method and host");
  const durations = new HistogramFamily(
    "rest_client_request_duration_seconds",
    "Duration of requests by verb and host, without watches",
    seconds,
  );
  const sent = new HistogramFamily("rest_client_request_size_bytes", "Size of requests by verb and host", bytes);
  const received = new HistogramFamily("rest_client_response_size_bytes", "Size of responses by verb and host", bytes);
  const readHost = (): string => (typeof host === "function" ? host() : host);
  // At the response, because a watch may stay open for hours.
  const count = quietly((method: string, code: string) => requests.add({ code, method, host: readHost() }, 1));
  const measure = measureRequests(
    ({ method, verb, status, totalMs, sentBytes, receivedBytes }) => {
      if (verb === "watch") return;
      const labels = { verb: method, host: readHost() };
      sent.observe(labels, sentBytes);
      durations.observe(labels, totalMs / 1_000);
      if (status !== undefined) received.observe(labels, receivedBytes);
    },
    { clock },
  );
  const interceptor: Interceptor = (next) => {
    const measured = measure(next);
    return async (request) => {
      try {
        const response = await measured(request);
        count(request.method, String(response.status));
        return response;
      } catch (error) {
        count(request.method, "<error>");
        throw error;
      }
    };
  };
  return { interceptor, collect: () => [requests, durations, sent, received].map((family) => family.collect()) };
}
