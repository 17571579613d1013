import type { MetricFamily, MetricSource } from "../../internal/telemetry/metrics.js";
import type { DecodingWorkerStatus } from "./worker-link.js";

/**
 * Creates a source of metrics of a client's decoding worker, which the option `decodeInWorker` of `connect` turns on, for
 * `collectMetrics` and `serveOperations`: `kubestream_decoding_worker_running`, `…_responses`, `…_received_bytes_total`
 * and `…_failures_total`. A client without a worker has no series of them.
 *
 * @example
 * ```ts
 * import { collectMetrics, formatMetrics } from "kubestream/controller";
 * import { connect, createDecodingWorkerMetrics } from "kubestream/node";
 *
 * const client = await connect({ decodeInWorker: true });
 * console.log(formatMetrics(collectMetrics({ sources: [createDecodingWorkerMetrics(client)] })));
 * await client.close();
 * ```
 */
export function createDecodingWorkerMetrics(client: {
  readonly decodingWorker?: DecodingWorkerStatus | undefined;
}): MetricSource {
  return { collect: () => familiesOf(client.decodingWorker) };
}

function familiesOf(status: DecodingWorkerStatus | undefined): MetricFamily[] {
  const family = (
    type: "counter" | "gauge",
    name: string,
    help: string,
    read: (status: DecodingWorkerStatus) => number,
  ): MetricFamily => ({
    type,
    name: `kubestream_decoding_worker_${name}`,
    help,
    samples: status === undefined ? [] : [{ labels: {}, value: read(status) }],
  });
  return [
    family("gauge", "running", "1 if the decoding worker runs", ({ state }) => Number(state === "running")),
    family("gauge", "responses", "Responses that the decoding worker reads now", ({ responses }) => responses),
    family(
      "counter",
      "received_bytes_total",
      "Bytes of response bodies that the decoding worker has sent to the main thread",
      ({ bytes }) => bytes,
    ),
    family("counter", "failures_total", "Unexpected ends of the decoding worker", ({ failures }) => failures),
  ];
}
