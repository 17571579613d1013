// Metrics of a manager and its client in Prometheus' text format, with the names of controller-runtime and client-go.
import { collectMetrics, createController, createManager, formatMetrics } from "kubestream/controller";
import { createRequestMetrics } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const requests = createRequestMetrics({ host: () => new URL(client.server).host });
const client = await connect({ interceptors: [requests.interceptor] });

const seen = new Set<string>();
const controller = createController({
  name: "pods",
  for: client.resource(Pod).namespace("web"),
  reconcile: ({ name }) => void seen.add(name),
});
const manager = createManager({ controllers: [controller] });
const done = new Promise<void>((resolve) => {
  controller.onReconcile(() => {
    if (seen.size >= 3) resolve();
  });
});
manager.start();
await done;

/** A metric of your own, read on each scrape. */
const own = {
  collect: () => [
    {
      name: "pods_seen",
      help: "Pods seen so far",
      type: "gauge",
      samples: [{ labels: {}, value: seen.size }],
    } as const,
  ],
};
const text = formatMetrics(collectMetrics({ manager, sources: [requests, own] }));
const shown =
  /^(controller_runtime_reconcile_total|controller_runtime_reconcile_time_seconds_count|workqueue_adds|kubestream_informer_objects|rest_client_requests|pods_seen)/;
for (const line of text.split("\n")) if (shown.test(line)) console.log(line);
await manager.stop();
await client.close();
