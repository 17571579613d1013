import type { Client } from "../client/client.js";
import { collectionPath, objectPath } from "../client/resource/paths.js";
import { ConfigError } from "../errors/errors.js";
import type { PodTarget } from "./pod-target.js";

/** Service, by namespace and name. */
export interface ServiceTarget {
  /** Namespace of the service. */
  readonly namespace: string;
  /** Name of the service. */
  readonly service: string;
}

interface Pod {
  metadata?: { name?: string; deletionTimestamp?: string };
  spec?: { containers?: Container[]; initContainers?: Container[] };
  status?: { phase?: string; conditions?: { type?: string; status?: string }[] };
}

interface Container {
  ports?: { name?: string; containerPort?: number; protocol?: string }[];
}

interface Service {
  spec?: {
    selector?: Record<string, string>;
    type?: string;
    ports?: { name?: string; port?: number; targetPort?: number | string; protocol?: string }[];
  };
}

/**
 * Selects a running pod behind a service, preferably a ready one, and resolves the service's port to a port of the pod.
 * Rejects with a `ConfigError` if the service has no such port, no selector or no running pod.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { connectPort, resolveService } from "kubestream/streams";
 *
 * const client = await connect();
 * const { pod, port } = await resolveService(client, { namespace: "web", service: "web" }, "http");
 * const connection = await connectPort(client, pod, port);
 * await connection.close();
 * await client.close();
 * ```
 */
export async function resolveService(
  client: Pick<Client, "request">,
  target: ServiceTarget,
  port: number | string,
  signal?: AbortSignal,
): Promise<{ readonly pod: PodTarget; readonly port: number }> {
  const what = `service ${JSON.stringify(target.service)} in ${JSON.stringify(target.namespace)}`;
  const options = signal ? { signal } : {};
  const service = (await (
    await client.request({
      action: `read ${what}`,
      path: objectPath(
        collectionPath({ group: "", version: "v1", plural: "services" }, target.namespace),
        target.service,
      ),
      ...options,
    })
  ).json()) as Service;
  const { selector = {}, ports = [] } = service.spec ?? {};
  const servicePort = ports.find((candidate) => candidate.port === port || candidate.name === port);
  if (!servicePort)
    throw new ConfigError(
      `${what} has no port ${port}; it has ${ports.map((candidate) => candidate.port).join(", ") || "none"}`,
    );
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  if (labelSelector === "") throw new ConfigError(`${what} has no selector`);
  const list = (await (
    await client.request({
      action: `list the pods of ${what}`,
      path: collectionPath({ group: "", version: "v1", plural: "pods" }, target.namespace),
      query: { labelSelector },
      ...options,
    })
  ).json()) as { items?: Pod[] };
  const pod = choosePod(list.items ?? []);
  const name = pod?.metadata?.name;
  if (!pod || name === undefined) throw new ConfigError(`${what} has no running pod`);
  return {
    pod: { namespace: target.namespace, name },
    port: targetPort(pod, servicePort, `${what}: pod ${JSON.stringify(name)}`),
  };
}

function choosePod(pods: readonly Pod[]): Pod | undefined {
  const running = pods.filter(
    (pod) => pod.status?.phase === "Running" && pod.metadata?.deletionTimestamp === undefined,
  );
  return (
    running.find((pod) =>
      pod.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True"),
    ) ?? running[0]
  );
}

function targetPort(
  pod: Pod,
  servicePort: { port?: number; targetPort?: number | string; protocol?: string },
  what: string,
): number {
  const { targetPort: wanted = servicePort.port, protocol = "TCP" } = servicePort;
  if (typeof wanted === "number") return wanted === 0 ? servicePort.port! : wanted;
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const found = containers
    .flatMap((container) => container.ports ?? [])
    .find((candidate) => candidate.name === wanted && (candidate.protocol ?? "TCP") === protocol);
  if (found?.containerPort === undefined) throw new ConfigError(`${what} has no port named ${JSON.stringify(wanted)}`);
  return found.containerPort;
}
