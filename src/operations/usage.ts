import type { Client } from "../client/client.js";
import { collectionPath } from "../client/resource/paths.js";
import type { Kind } from "../meta/kind.js";
import type { ObjectMeta } from "../meta/object.js";
import type { ListOptions } from "../meta/options.js";
import { addQuantities, formatQuantity, parseQuantity } from "../meta/quantity.js";

/** Quantities by resource name, such as `cpu` and `memory`. */
export type Usage = Readonly<Record<string, string>>;

/** Resource usage of a node, as last measured by the metrics server. */
export interface NodeMetrics {
  /** API group and version. */
  apiVersion?: "metrics.k8s.io/v1beta1" | undefined;
  /** Kind. */
  kind?: "NodeMetrics" | undefined;
  /** Name and labels. */
  metadata?: ObjectMeta | undefined;
  /** End of the measured interval. */
  timestamp: string;
  /** Length of the measured interval, such as `30s`. */
  window: string;
  /** Measured usage. */
  usage: Record<string, string>;
}

/** Resource usage of a pod's containers, as last measured by the metrics server. */
export interface PodMetrics {
  /** API group and version. */
  apiVersion?: "metrics.k8s.io/v1beta1" | undefined;
  /** Kind. */
  kind?: "PodMetrics" | undefined;
  /** Name, namespace and labels. */
  metadata?: ObjectMeta | undefined;
  /** End of the measured interval. */
  timestamp: string;
  /** Length of the measured interval, such as `30s`. */
  window: string;
  /** Measured usage of each container. */
  containers: { name: string; usage: Record<string, string> }[];
}

/** Kind of node metrics. Requires a metrics server in the cluster. */
export const NodeMetrics: Kind<NodeMetrics, "Cluster", object, never> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "NodeMetrics",
  plural: "nodes",
  scope: "Cluster",
  custom: true,
};

/** Kind of pod metrics. Requires a metrics server in the cluster. */
export const PodMetrics: Kind<PodMetrics, "Namespaced", object, never> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "PodMetrics",
  plural: "pods",
  scope: "Namespaced",
  custom: true,
};

/** Usage and capacity of a node. */
export interface NodeUsage {
  /** Name of the node. */
  readonly name: string;
  /** Measured usage; absent if nothing was measured. */
  readonly usage?: Usage | undefined;
  /** Resources available to pods. */
  readonly allocatable: Usage;
}

/** Usage, requests and limits of a pod. */
export interface PodUsage {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** Sum of the containers' measured usage; absent if nothing was measured. */
  readonly usage?: Usage | undefined;
  /** Sum of the containers' requests. */
  readonly requests: Usage;
  /** Sum of the containers' limits. Containers without a limit are ignored. */
  readonly limits: Usage;
}

/**
 * Returns the usage and capacity of nodes, like `kubectl top nodes`. Rejects with a `StatusError` if the cluster has no
 * metrics server.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { topNodes } from "kubestream/operations";
 *
 * const client = await connect();
 * for (const { name, usage, allocatable } of await topNodes(client))
 *   console.log(name, usage?.["cpu"] ?? "?", "of", allocatable["cpu"]);
 * ```
 */
export async function topNodes(client: Pick<Client, "request">, options: UsageOptions = {}): Promise<NodeUsage[]> {
  const [metrics, nodes] = await Promise.all([
    listAt<NodeMetrics>(client, collectionPath(NodeMetrics), options),
    listAt<{ metadata: ObjectMeta; status?: { allocatable?: Usage } }>(
      client,
      collectionPath({ ...NodeMetrics, ...core }),
      options,
    ),
  ]);
  const used = new Map(metrics.map(({ metadata, usage }) => [metadata?.name, usage]));
  return nodes.map(({ metadata, status }) => {
    const usage = used.get(metadata.name);
    return { name: metadata.name ?? "", ...(usage && { usage }), allocatable: status?.allocatable ?? {} };
  });
}

/**
 * Returns the usage, requests and limits of pods, like `kubectl top pods`. Rejects with a `StatusError` if the cluster
 * has no metrics server.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { topPods } from "kubestream/operations";
 *
 * const client = await connect();
 * for (const { name, usage } of await topPods(client, { namespace: "web" })) console.log(name, usage?.cpu, usage?.memory);
 * ```
 */
export async function topPods(
  client: Pick<Client, "request">,
  options: UsageOptions & { readonly namespace?: string | undefined } = {},
): Promise<PodUsage[]> {
  const { namespace, ...rest } = options;
  const [metrics, pods] = await Promise.all([
    listAt<PodMetrics>(client, collectionPath(PodMetrics, namespace), rest),
    listAt<PodLike>(client, collectionPath({ ...PodMetrics, ...core }, namespace), rest),
  ]);
  const used = new Map(
    metrics.map(({ metadata, containers }) => [
      `${metadata?.namespace}/${metadata?.name}`,
      sumUsage(containers.map(({ usage }) => usage)),
    ]),
  );
  return pods.map(({ metadata, spec }) => {
    const usage = used.get(`${metadata.namespace}/${metadata.name}`);
    const resources = (spec?.containers ?? []).map((container) => container.resources ?? {});
    return {
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
      ...(usage && { usage }),
      requests: sumUsage(resources.map(({ requests = {} }) => requests)),
      limits: sumUsage(resources.map(({ limits = {} }) => limits)),
    };
  });
}

/** Options for `topNodes` and `topPods`. */
export type UsageOptions = Pick<ListOptions, "labelSelector" | "signal" | "timeoutMs">;

/** Nodes and pods have the same names in URLs as their metrics, but in the core group. */
const core = { group: "", version: "v1" };

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly containers?: readonly { readonly resources?: { readonly requests?: Usage; readonly limits?: Usage } }[];
  };
}

async function listAt<T>(
  client: Pick<Client, "request">,
  path: string,
  { labelSelector, ...request }: UsageOptions,
): Promise<T[]> {
  const response = await client.request({
    path,
    ...(labelSelector !== undefined && { query: { labelSelector } }),
    ...request,
  });
  return ((await response.json()) as { items?: T[] }).items ?? [];
}

/** Returns the sum of quantities by resource name. */
export function sumUsage(all: readonly Usage[]): Usage {
  const total: Record<string, string> = {};
  for (const one of all) {
    for (const [name, amount] of Object.entries(one)) {
      const before = total[name];
      total[name] =
        before === undefined ? amount : formatQuantity(addQuantities(parseQuantity(before), parseQuantity(amount)));
    }
  }
  return total;
}
