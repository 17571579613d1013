import type { ServiceHandler, ServiceResolver } from "../../apiserver/http/service-resolver.js";
import type { KubeletEndpoint } from "../../apiserver/kubelets/kubelet-server.js";
import type { Client } from "../../client/client.js";
import { APIService } from "../../kinds/apiregistration/v1.js";
import { Service } from "../../kinds/core/v1.js";
import type { KubernetesObject } from "../../meta/object.js";
import { createOrUpdate } from "../../objects/create-or-update.js";

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

const labels = { "k8s-app": "metrics-server" };
/** Name of the metrics API's APIService. */
const apiServiceName = "v1beta1.metrics.k8s.io";
const apiSpec = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  groupPriorityMinimum: 100,
  versionPriority: 100,
  insecureSkipTLSVerify: true,
};

/** Registers the metrics API with the server, and waits until it's served. */
export async function installMetrics(client: Client): Promise<void> {
  await client
    .resource(Service)
    .namespace(place.namespace)
    .create({
      metadata: { name: place.name, labels },
      spec: { ports: [{ name: "https", port: 443, targetPort: "https", protocol: "TCP" }] },
    });
  await client.resource(APIService).create({
    metadata: { name: apiServiceName, labels },
    spec: { ...apiSpec, service: place },
  });
}

/** Label of the objects that lead another API server to this program. */
const managedBy = { "app.kubernetes.io/managed-by": "kubestream" } as const;

/**
 * Registers the metrics API that answers at an endpoint with another API server, unless a metrics server is registered
 * there. Resolves with a function that removes it.
 */
export async function joinMetrics(
  client: Client,
  { address, port }: Pick<KubeletEndpoint, "address" | "port">,
): Promise<() => Promise<void>> {
  const apiServices = client.resource(APIService);
  const services = client.resource(Service).namespace(place.namespace);
  const isForeign = (object: KubernetesObject | undefined): boolean =>
    object !== undefined && Object.entries(managedBy).some(([key, value]) => object.metadata?.labels?.[key] !== value);
  const [known, service] = await Promise.all([
    apiServices.getOptional(apiServiceName),
    services.getOptional(place.name),
  ]);
  if (isForeign(known) || isForeign(service)) return () => Promise.resolve();
  // The API server connects to the name of such a Service, because the Service has no cluster IP.
  await createOrUpdate(services, place.name, (existing) => {
    existing.metadata = { ...existing.metadata, labels: { ...labels, ...managedBy } };
    existing.spec = { type: "ExternalName", externalName: address };
  });
  await createOrUpdate(apiServices, apiServiceName, (existing) => {
    existing.metadata = { ...existing.metadata, labels: { ...labels, ...managedBy } };
    existing.spec = { ...apiSpec, service: { ...place, port } };
  });
  return async () => {
    const signal = AbortSignal.timeout(removalMs);
    await Promise.all([apiServices.delete(apiServiceName, { signal }), services.delete(place.name, { signal })]);
  };
}

/** Time in milliseconds that an API server, which may be gone, has to remove the metrics API. */
const removalMs = 5_000;
