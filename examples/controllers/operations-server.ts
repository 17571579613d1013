// Health, readiness, metrics and profiles of a manager on a port, for probes and Prometheus.
import { createController, createManager } from "kubestream/controller";
import { createRequestMetrics } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { connect, serveOperations } from "kubestream/node";

const requests = createRequestMetrics({ host: () => new URL(client.server).host });
const client = await connect({ interceptors: [requests.interceptor] });
const controller = createController({
  name: "pods",
  for: client.resource(Pod).namespace("web"),
  reconcile: () => undefined,
});
const manager = createManager({ controllers: [controller] });
const first = new Promise<void>((resolve) => void controller.onReconcile(() => resolve()));

// Port 0 picks a free port, and the host limits this example to this machine. In a pod, use 8080 and no host.
const operations = await serveOperations(manager, {
  port: 0,
  host: "127.0.0.1",
  metrics: { sources: [requests] },
  profiling: true,
  log: () => undefined,
});
const show = async (path: string, withText = true): Promise<void> => {
  const response = await fetch(operations.url + path);
  const text = await response.text();
  console.log(path, response.status, ...(withText ? [text.split("\n")[0]] : []));
};

await show("/readyz"); // The manager hasn't started.
manager.start();
await first;
for (const path of ["/readyz", "/readyz?verbose", "/readyz/manager", "/metrics"]) await show(path);
await show("/debug/profile?seconds=0.1", false);

await manager.stop();
await operations.close(); // It closes by itself, too. This waits for it.
await fetch(operations.url).catch(() => console.log("closed"));
await client.close();
