import type { ServiceHandler, ServiceResolver } from "../../apiserver/http/service-resolver.js";
import type { Client } from "../../client/client.js";
import { APIService } from "../../kinds/apiregistration/v1.js";
import { Service } from "../../kinds/core/v1.js";

/** Service behind which the metrics API answers. */
const place = { namespace: "kube-system", name: "metrics-server" } as const;

/** Returns a resolver that leads to the metrics API for its Service, and for others to the given one. */
export function resolveMetrics(
  api: () => ServiceHandler | undefined,
  next: ServiceResolver | undefined,
): ServiceResolver {
  return (service) =>
    (service.namespace === place.namespace && service.name === place.name ? api() : undefined) ?? next?.(service);
}

/** Registers the metrics API with the server, and waits until it's served. */
export async function installMetrics(client: Client): Promise<void> {
  const labels = { "k8s-app": "metrics-server" };
  await client
    .resource(Service)
    .namespace(place.namespace)
    .create({
      metadata: { name: place.name, labels },
      spec: { ports: [{ name: "https", port: 443, targetPort: "https", protocol: "TCP" }] },
    });
  await client.resource(APIService).create({
    metadata: { name: "v1beta1.metrics.k8s.io", labels },
    spec: {
      group: "metrics.k8s.io",
      version: "v1beta1",
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: place,
    },
  });
}
