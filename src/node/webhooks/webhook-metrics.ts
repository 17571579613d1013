import type { Clock } from "../../internal/clock.js";
import { HistogramFamily, NumberFamily } from "../../internal/telemetry/metric-families.js";
import type { MetricFamily } from "../../internal/telemetry/metrics.js";

/** Bounds of controller-runtime's histogram, which are Prometheus' defaults. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of a webhook server, with the names and labels of controller-runtime. */
export class WebhookMetrics {
  readonly #clock: Clock;
  readonly #total = new NumberFamily(
    "counter",
    "controller_runtime_webhook_requests_total",
    "Requests to webhooks by path and HTTP status code",
  );
  readonly #latency = new HistogramFamily(
    "controller_runtime_webhook_latency_seconds",
    "Duration of requests to webhooks by path",
    seconds,
  );
  readonly #inFlight = new NumberFamily(
    "gauge",
    "controller_runtime_webhook_requests_in_flight",
    "Requests to webhooks that are being served, by path",
  );

  constructor(paths: readonly string[], clock: Clock) {
    this.#clock = clock;
    for (const webhook of paths) {
      this.#inFlight.add({ webhook }, 0);
      for (const code of ["200", "500"]) this.#total.add({ code, webhook }, 0);
    }
  }

  /** Counts and measures a request. `serve` resolves with the status code of the response and must not reject. */
  async measure(webhook: string, serve: () => Promise<number>): Promise<void> {
    const start = this.#clock.monotonic();
    this.#inFlight.add({ webhook }, 1);
    const code = await serve();
    this.#inFlight.add({ webhook }, -1);
    this.#latency.observe({ webhook }, (this.#clock.monotonic() - start) / 1_000);
    this.#total.add({ code: String(code), webhook }, 1);
  }

  /** Returns the current values. */
  collect(): readonly MetricFamily[] {
    return [this.#total, this.#latency, this.#inFlight].map((family) => family.collect());
  }
}
